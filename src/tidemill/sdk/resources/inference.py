"""Batch inference: entries, their runs, and what those found."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tidemill.sdk.inference_views import Inference, InferenceResult, InferenceRun, WriteBack
from tidemill.sdk.paging import Listing
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.work_views import RunFile

PLACE = "inferences"


class Inferences(Resource):
    """`client.inferences`. An entry is named by its name or id, a run by its number, name or id (the newest: 0)."""

    def list(
        self,
        *,
        project: str | None = None,
        q: str | None = None,
        sort: str | None = None,
        form: str | None = None,
        scene: str | None = None,
        state: str | None = None,
        mine: bool | None = None,
    ) -> Listing[Inference]:
        params = {"q": q, "sort": sort, "form": form, "scene": scene, "state": state, "mine": mine}
        return self._listing(self._in_project(project, PLACE), Inference.read, params)

    def get(self, inference: str, *, project: str | None = None) -> Inference:
        return Inference.read(self._call("GET", self._in_project(project, PLACE, inference)))

    def create(
        self,
        name: str,
        settings: Mapping[str, Any],
        *,
        scene: str | None = None,
        description: str | None = None,
        project: str | None = None,
    ) -> Inference:
        """`settings` have a `form`: `model` (`source`, `dataset`, `threshold`, `states`, `workers`, `spec`) or `code`
        (`command`, `datasets`, `models`, `algorithm`, `image`, `spec`, …); see the API."""
        body = given(name=name, settings=dict(settings), scene=scene, description=description)
        return Inference.read(self._call("POST", self._in_project(project, PLACE), json=body))

    def update(self, inference: str, *, project: str | None = None, **changes: Any) -> Inference:
        """`name`, `scene`, `description`, `settings` (as a whole)."""
        return Inference.read(self._call("PATCH", self._in_project(project, PLACE, inference), json=changes))

    def copy(self, inference: str, name: str, *, project: str | None = None) -> Inference:
        place = self._in_project(project, PLACE, inference, "copy")
        return Inference.read(self._call("POST", place, json={"name": name}))

    def delete(self, inference: str, *, project: str | None = None) -> None:
        """Refused while it has runs."""
        self._call("DELETE", self._in_project(project, PLACE, inference))

    def start(self, inference: str, *, project: str | None = None, **changes: Any) -> InferenceRun:
        """A new run; `dataset`, `threshold`, `spec`, `priority`, `token` count for this run only."""
        place = self._in_project(project, PLACE, inference, "start")
        return InferenceRun.read(self._call("POST", place, json=given(**changes)))

    def runs(self, inference: str, *, project: str | None = None, state: str | None = None) -> Listing[InferenceRun]:
        place = self._in_project(project, PLACE, inference, "runs")
        return self._listing(place, InferenceRun.read, {"state": state})

    def run(self, inference: str, run: str | int = 0, *, project: str | None = None) -> InferenceRun:
        """One run; without a number the newest."""
        return InferenceRun.read(self._call("GET", self._at(inference, run, project)))

    def stop(self, inference: str, run: str | int = 0, *, project: str | None = None) -> InferenceRun:
        return InferenceRun.read(self._call("POST", f"{self._at(inference, run, project)}/stop"))

    def resume(
        self, inference: str, run: str | int = 0, *, token: str | None = None, project: str | None = None
    ) -> InferenceRun:
        """The same run goes on where it stopped."""
        place = f"{self._at(inference, run, project)}/resume"
        return InferenceRun.read(self._call("POST", place, json=given(token=token)))

    def delete_run(self, inference: str, run: str | int, *, project: str | None = None) -> None:
        self._call("DELETE", self._at(inference, run, project))

    def wait(
        self,
        run: InferenceRun,
        *,
        project: str | None = None,
        timeout_s: float | None = None,
        watch: Callable[[InferenceRun], None] | None = None,
    ) -> InferenceRun:
        """The run when it has ended; raises WorkloadFailed when that was no success."""

        def look() -> InferenceRun:
            return self.run(run.inference_id, run.id, project=project)

        return self._client.workloads.wait_for(run, look, timeout_s=timeout_s, watch=watch)

    def logs(
        self, inference: str, run: str | int = 0, *, follow: bool = False, project: str | None = None
    ) -> Iterator[str]:
        """The output of the run's newest attempt."""
        found = self.run(inference, run, project=project)
        return self._client.workloads.logs(found.workload_id, follow=follow, project=project)

    def results(
        self, inference: str, run: str | int = 0, *, project: str | None = None, **filters: Any
    ) -> Listing[InferenceResult]:
        """What was found; `label`, `min_score`, `max_score`, `errors`, `q`, `sort`."""
        place = f"{self._at(inference, run, project)}/results"
        return self._listing(place, InferenceResult.read, filters)

    def result(self, inference: str, seq: int, run: str | int = 0, *, project: str | None = None) -> InferenceResult:
        return InferenceResult.read(self._call("GET", f"{self._at(inference, run, project)}/results/{seq}"))

    def download(
        self,
        inference: str,
        target: str | Path,
        run: str | int = 0,
        *,
        format: str = "json",
        threshold: float | None = None,
        project: str | None = None,
    ) -> Path:
        """Everything that was found, as `json`, `jsonl`, `csv` or `coco`, to a file."""
        place = f"{self._at(inference, run, project)}/download"
        return self._client.transport.fetch(place, target, params=given(format=format, threshold=threshold))

    def files(
        self, inference: str, run: str | int = 0, path: str = "", *, project: str | None = None
    ) -> Listing[RunFile]:
        """A folder of the run's workspace."""
        return self._listing(f"{self._at(inference, run, project)}/files", RunFile.read, {"path": path})

    def write_back(
        self, inference: str, run: str | int = 0, *, form: str, project: str | None = None, **options: Any
    ) -> WriteBack:
        """Writes results into a dataset, as `suggestions` of a draft or as a new `version`; `dataset`, `threshold`,
        `mapping`, `make_labels`, `existing`, `note`."""
        place = f"{self._at(inference, run, project)}/write-backs"
        return WriteBack.read(self._call("POST", place, json=given(form=form, **options)))

    def mapping(
        self, inference: str, run: str | int = 0, *, form: str, dataset: str | None = None, project: str | None = None
    ) -> dict[str, Any]:
        """Which labels of the dataset the labels that were found seem to mean; nothing is written."""
        place = f"{self._at(inference, run, project)}/write-backs/mapping"
        found: dict[str, Any] = self._call("POST", place, json=given(form=form, dataset=dataset))
        return found

    def wait_written(
        self, inference: str, written: WriteBack, *, project: str | None = None,
        watch: Callable[[WriteBack], None] | None = None,
    ) -> WriteBack:  # fmt: skip
        """The write-back when it is over, however it ended."""
        place = f"{self._at(inference, written.run, project)}/write-backs/{written.id}"

        def look() -> WriteBack:
            return WriteBack.read(self._call("GET", place))

        return self._until(written, look, lambda now: now.is_over, watch)

    def _at(self, inference: str, run: str | int, project: str | None) -> str:
        if run == 0:
            newest = self.get(inference, project=project).last_run
            run = newest.id if newest else 1
        return self._in_project(project, PLACE, inference, "runs", str(run))
