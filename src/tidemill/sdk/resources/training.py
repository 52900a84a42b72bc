"""Training tasks and their runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tidemill.kernel.errors import Conflict
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import file_address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.work_views import Run, RunFile, Series, Task, Waiting, WorkloadEvent

KIND = "run"
"""What workloads of runs are."""


class Tasks(Resource):
    """`client.tasks`. A task is named by its name or id."""

    def list(self, *, project: str | None = None, q: str | None = None, sort: str | None = None) -> Listing[Task]:
        return self._listing(self._in_project(project, "tasks"), Task.read, {"q": q, "sort": sort})

    def get(self, task: str, *, project: str | None = None) -> Task:
        return Task.read(self._call("GET", self._in_project(project, "tasks", task)))

    def create(self, name: str, command: str, *, project: str | None = None, **settings: Any) -> Task:
        """`algorithm`, `models`, `image`, `spec`, `nodes`, `launcher`, `save_model`, `parameters`, …: see the API."""
        body = given(name=name, command=command, **settings)
        return Task.read(self._call("POST", self._in_project(project, "tasks"), json=body))

    def update(self, task: str, *, project: str | None = None, **changes: Any) -> Task:
        """Changes what is named; None puts a setting back to its default."""
        return Task.read(self._call("PATCH", self._in_project(project, "tasks", task), json=changes))

    def copy(self, task: str, name: str, *, project: str | None = None) -> Task:
        return Task.read(self._call("POST", self._in_project(project, "tasks", task, "copy"), json={"name": name}))

    def delete(self, task: str, *, project: str | None = None) -> None:
        """Refused while it has runs."""
        self._call("DELETE", self._in_project(project, "tasks", task))

    def start(
        self,
        task: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        spec: str | None = None,
        priority: str | None = None,
        project: str | None = None,
    ) -> Run:
        """A new run; what is given here counts for this run only."""
        body = given(parameters=parameters, spec=spec, priority=priority)
        return Run.read(self._call("POST", self._in_project(project, "tasks", task, "start"), json=body))

    def runs(self, task: str, *, project: str | None = None, state: str | None = None) -> Listing[Run]:
        return self._listing(self._in_project(project, "tasks", task, "runs"), Run.read, {"state": state})


class Runs(Resource):
    """`client.runs`. A run is named by its name (`resnet-3`) or id."""

    def list(
        self,
        *,
        project: str | None = None,
        task: str | None = None,
        state: str | None = None,
        q: str | None = None,
        sort: str | None = None,
    ) -> Listing[Run]:
        params = {"task": task, "state": state, "q": q, "sort": sort}
        return self._listing(self._in_project(project, "runs"), Run.read, params)

    def get(self, run: str, *, project: str | None = None) -> Run:
        return Run.read(self._call("GET", self._in_project(project, "runs", run)))

    def stop(self, run: str, *, project: str | None = None) -> Run:
        return Run.read(self._call("POST", self._in_project(project, "runs", run, "stop")))

    def resume(self, run: str, *, project: str | None = None) -> Run:
        """The same run goes on from its newest whole checkpoint."""
        return Run.read(self._call("POST", self._in_project(project, "runs", run, "resume")))

    def delete(self, run: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._in_project(project, "runs", run))

    def wait(
        self,
        run: Run | str,
        *,
        project: str | None = None,
        timeout_s: float | None = None,
        watch: Callable[[Run], None] | None = None,
    ) -> Run:
        """The run when it has ended; raises WorkloadFailed when that was no success."""
        found = self.get(run, project=project) if isinstance(run, str) else run
        return self._client.workloads.wait_for(
            found, lambda: self.get(found.id, project=project), timeout_s=timeout_s, watch=watch
        )

    def metrics(
        self,
        run: str,
        keys: Sequence[str] | None = None,
        *,
        since_step: int | None = None,
        points: int | None = None,
        project: str | None = None,
    ) -> Sequence[Series]:
        """The run's curves."""
        params = {"keys": [*keys] if keys else None, "since_step": since_step, "points": points}
        answer = self._call("GET", self._in_project(project, "runs", run, "metrics"), params=params)
        return [Series.read(item) for item in answer["series"]]

    def compare(self, runs: Sequence[str], key: str | None = None, *, project: str | None = None) -> dict[str, Any]:
        """One key of several runs."""
        params = {"ids": [*runs], "key": key}
        answer: dict[str, Any] = self._call("GET", self._in_project(project, "runs", "compare"), params=params)
        return answer

    def logs(
        self,
        run: str,
        *,
        node: int = 0,
        attempt: int | None = None,
        offset: int = 0,
        follow: bool = False,
        project: str | None = None,
    ) -> Iterator[str]:
        """The output of the run's newest attempt, or of that one; see `workloads.logs`."""
        workload, number = self.find_attempt(run, attempt, project=project)
        return self._client.workloads.logs(
            workload, node=node, attempt=number, offset=offset, follow=follow, project=project
        )

    def find_attempt(self, run: str, attempt: int | None, *, project: str | None = None) -> tuple[str, int | None]:
        """Which workload carried an attempt of the run, and as which of its own: a resume begins a new workload."""
        found = self._carried(run, project)
        if attempt is None:
            return found.workload_id, None
        before = 0
        for workload in self._client.workloads.list(kind=KIND, owner=found.id, sort="created_at", project=project):
            if before < attempt <= before + workload.attempt:
                return workload.id, attempt - before
            before += workload.attempt
        return found.workload_id, attempt

    def events(self, run: str, *, project: str | None = None) -> Listing[WorkloadEvent]:
        return self._client.workloads.events(self._carried(run, project).workload_id, project=project)

    def waiting(self, run: str, *, project: str | None = None) -> Waiting:
        return self._client.workloads.waiting(self._carried(run, project).workload_id, project=project)

    def files(self, run: str, path: str = "", *, q: str | None = None, project: str | None = None) -> Listing[RunFile]:
        """A folder of the run's workspace."""
        return self._listing(self._in_project(project, "runs", run, "files"), RunFile.read, {"path": path, "q": q})

    def download(self, run: str, path: str, target: str | Path, *, project: str | None = None) -> Path:
        """Fetches a file of the run's workspace to `target`."""
        place = self._in_project(project, "runs", run, "files") + "/" + file_address(path)
        return self._client.transport.fetch(place, target)

    def logged_files(
        self, run: str, path: str = "", *, q: str | None = None, project: str | None = None
    ) -> Listing[RunFile]:
        """Files that were logged to the run, by the MLflow client or `tidemill.start_run`."""
        return self._listing(self._in_project(project, "runs", run, "logged"), RunFile.read, {"path": path, "q": q})

    def download_logged(self, run: str, path: str, target: str | Path, *, project: str | None = None) -> Path:
        """Fetches a file that was logged to the run."""
        place = self._in_project(project, "runs", run, "logged") + "/" + file_address(path)
        return self._client.transport.fetch(place, target)

    def update(self, run: str, *, project: str | None = None, **changes: Any) -> Run:
        """`name`, `tags` (None takes one away), `parameters` (added), and `state` of a run from outside."""
        return Run.read(self._call("PATCH", self._in_project(project, "runs", run), json=changes))

    def _carried(self, run: str, project: str | None) -> Run:
        found = self.get(run, project=project)
        if not found.workload_id:
            raise problem(Conflict, "sdk_run_from_outside", name=found.name)
        return found

    def tensorboard(self, run: str, *, project: str | None = None) -> dict[str, Any]:
        """Starts TensorBoard for the run, or finds it: `state` starting or open, and then its `url`."""
        answer: dict[str, Any] = self._call("POST", self._in_project(project, "runs", run, "tensorboard"))
        return answer
