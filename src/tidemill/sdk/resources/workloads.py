"""Everything that runs, and the sizes it runs in."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tidemill.kernel.errors import TidemillError
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.patience import Patience
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.work_views import LogLine, LogPage, Machine, Spec, Waiting, Workload, WorkloadEvent

LOG_PAGE_BYTES = 1 << 16
LOOK_EVERY_S = 0.5


class Ends(Protocol):
    """Whatever runs and ends."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def stop_reason(self) -> str | None: ...
    @property
    def message(self) -> str: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def is_over(self) -> bool: ...


T = TypeVar("T", bound=Ends)


class WorkloadFailed(TidemillError):
    """Something that ran ended without success; `ended` is its last state."""

    default_code = "sdk_workload_failed"

    ended: Any


class Workloads(Resource):
    """`client.workloads`"""

    def list(
        self,
        *,
        project: str | None = None,
        kind: str | None = None,
        owner: str | None = None,
        state: str | None = None,
        q: str | None = None,
        sort: str | None = None,
    ) -> Listing[Workload]:
        params = {"kind": kind, "owner": owner, "state": state, "q": q, "sort": sort}
        return self._listing(self._in_project(project, "workloads"), Workload.read, params)

    def get(self, workload: str, *, project: str | None = None) -> Workload:
        return Workload.read(self._call("GET", self._in_project(project, "workloads", workload)))

    def stop(self, workload: str, *, project: str | None = None) -> Workload:
        return Workload.read(self._call("POST", self._in_project(project, "workloads", workload, "stop")))

    def events(self, workload: str, *, project: str | None = None) -> Listing[WorkloadEvent]:
        return self._listing(self._in_project(project, "workloads", workload, "events"), WorkloadEvent.read)

    def waiting(self, workload: str, *, project: str | None = None) -> Waiting:
        """Why it has not been started."""
        return Waiting.read(self._call("GET", self._in_project(project, "workloads", workload, "waiting")))

    def usage(
        self,
        workload: str,
        *,
        node: int = 0,
        attempt: int | None = None,
        points: int | None = None,
        project: str | None = None,
    ) -> dict[str, Any]:
        """What a node used over time."""
        path = self._in_project(project, "workloads", workload, "usage")
        params = {"node": node, "attempt": attempt, "points": points}
        answer: dict[str, Any] = self._call("GET", path, params=params)
        return answer

    def log_page(
        self,
        workload: str,
        *,
        node: int = 0,
        attempt: int | None = None,
        offset: int = 0,
        limit: int = LOG_PAGE_BYTES,
        project: str | None = None,
    ) -> LogPage:
        """A piece of a node's output; a negative offset counts from the end."""
        path = self._in_project(project, "workloads", workload, "logs")
        params = {"node": node, "attempt": attempt, "offset": offset, "limit": limit}
        return LogPage.read(self._call("GET", path, params=params))

    def logs(
        self,
        workload: str,
        *,
        node: int = 0,
        attempt: int | None = None,
        offset: int = 0,
        follow: bool = False,
        project: str | None = None,
    ) -> Iterator[str]:
        """A node's output piece by piece: of the newest attempt, or of that one. With `follow` until nothing more will
        be written, through all attempts that come."""
        if follow and attempt is None:
            yield from self._follow(workload, node, offset, project)
            return
        while True:
            page = self.log_page(workload, node=node, attempt=attempt, offset=offset, project=project)
            offset = page.next_offset
            if page.text:
                yield page.text
            if offset < page.end_offset and page.text:
                continue
            if page.is_over or not follow:
                return
            self._client.transport.sleep(LOOK_EVERY_S)

    def _follow(self, workload: str, node: int, offset: int, project: str | None) -> Iterator[str]:
        """From the newest attempt on, one after the other, until the workload is over."""
        told = max(0, self.get(workload, project=project).attempt - 1)
        while True:
            found = self.get(workload, project=project)
            if found.attempt > told:
                told += 1
                yield from self.logs(workload, node=node, attempt=told, offset=offset, follow=True, project=project)
                offset = 0
            elif found.is_over:
                return
            else:
                self._client.transport.sleep(LOOK_EVERY_S)

    def search_logs(
        self,
        workload: str,
        q: str | None = None,
        *,
        node: int = 0,
        attempt: int | None = None,
        since: str | None = None,
        until: str | None = None,
        project: str | None = None,
    ) -> Listing[LogLine]:
        """Lines of a node's output with a text in them, written within a time range (ISO 8601 with a zone)."""
        path = self._in_project(project, "workloads", workload, "logs", "search")
        params = {"q": q, "node": node, "attempt": attempt, "since": since, "until": until}
        return self._listing(path, LogLine.read, params)

    def download_logs(
        self,
        workload: str,
        target: str | Path,
        *,
        node: int = 0,
        attempt: int | None = None,
        project: str | None = None,
    ) -> Path:
        """Everything that is kept of a node's output, to a file."""
        path = self._in_project(project, "workloads", workload, "logs", "download")
        return self._client.transport.fetch(path, target, params={"node": node, "attempt": attempt})

    def wait(
        self,
        workload: Workload | str,
        *,
        project: str | None = None,
        timeout_s: float | None = None,
        watch: Callable[[Workload], None] | None = None,
    ) -> Workload:
        """The workload when it has ended; raises WorkloadFailed when that was no success."""
        found = self.get(workload, project=project) if isinstance(workload, str) else workload
        return self.wait_for(found, lambda: self.get(found.id, project=project), timeout_s=timeout_s, watch=watch)

    def wait_for(
        self,
        found: T,
        look: Callable[[], T],
        *,
        timeout_s: float | None,
        watch: Callable[[T], None] | None,
    ) -> T:
        """Looks again and again until it is over."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for wait in Patience(total_s=float("inf"), first_s=0.1, longest_s=2.0).waits():
            if watch:
                watch(found)
            if found.is_over:
                break
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"{found.name} is still {found.state}")
            self._client.transport.sleep(wait)
            found = look()
        if found.state == "completed":
            return found
        raise _failure(found)


def _failure(found: Any) -> WorkloadFailed:
    why = found.message or (f"exit code {found.exit_code}" if found.exit_code else found.stop_reason) or "?"
    code = "sdk_workload_stopped" if found.state == "stopped" else "sdk_workload_failed"
    return work_failed(code, found, found.name, why)


def work_failed(code: str, ended: Any, name: str, cause: str) -> WorkloadFailed:
    """Something did not become what was waited for."""
    failure = problem(WorkloadFailed, code, name=name, cause=cause)
    failure.ended = ended
    return failure


class Specs(Resource):
    """`client.specs`"""

    def list(self, *, q: str | None = None, enabled: bool | None = None, sort: str | None = None) -> Listing[Spec]:
        return self._listing("/specs", Spec.read, {"q": q, "enabled": enabled, "sort": sort})

    def get(self, spec: str) -> Spec:
        return Spec.read(self._call("GET", address("specs", spec)))

    def create(
        self,
        name: str,
        *,
        cpus: float,
        memory_bytes: int,
        accelerator: str | None = None,
        accelerators: float | None = None,
        fabrics: Sequence[str] = (),
        description: str = "",
        **more: Any,
    ) -> Spec:
        body = given(
            name=name,
            cpus=cpus,
            memory_bytes=memory_bytes,
            accelerator=accelerator,
            accelerators=accelerators,
            fabrics=[*fabrics],
            description=description,
            **more,
        )
        return Spec.read(self._call("POST", "/specs", json=body))

    def update(self, spec: str, **changes: Any) -> Spec:
        return Spec.read(self._call("PATCH", address("specs", spec), json=changes))

    def delete(self, spec: str) -> None:
        self._call("DELETE", address("specs", spec))


class Machines(Resource):
    """`client.machines`, for administrators."""

    def list(self) -> "list[Machine]":
        answer = self._call("GET", "/machines")
        return [Machine.read(item) for item in (answer["items"] if isinstance(answer, dict) else answer)]


class Overviews(Resource):
    """`client.overview`: counts, capacity, use."""

    def get(self, *, project: str | None = None) -> dict[str, Any]:
        """Of a project; of the whole platform with `project=""`, for administrators."""
        path = "/overview" if project == "" else self._in_project(project, "overview")
        answer: dict[str, Any] = self._call("GET", path)
        return answer
