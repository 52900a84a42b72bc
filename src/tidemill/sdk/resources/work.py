"""Background jobs, the recycle bin, the audit log, webhooks, the system, search."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from tidemill.kernel.errors import NotFound, TidemillError
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.patience import Patience
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import AuditEntry, BinEntry, Delivery, Found, Job, System, Webhook


class JobFailed(TidemillError):
    """Background work ended without success; `job` is its last state."""

    default_code = "sdk_job_failed"

    job: Job


class Jobs(Resource):
    """`client.jobs`"""

    def list(self, *, project: str | None = None, state: str | None = None, sort: str | None = None) -> Listing[Job]:
        return self._listing(self._in_project(project, "jobs"), Job.read, {"state": state, "sort": sort})

    def mine(self, *, state: str | None = None) -> Listing[Job]:
        """The caller's, in every project and of the platform."""
        return self._listing("/me/jobs", Job.read, {"state": state})

    def get(self, job: str, *, project: str | None = None) -> Job:
        """A job of a project, or one of the caller's own anywhere."""
        return Job.read(self._call("GET", self._find_address(job, project)))

    def cancel(self, job: Job | str, *, project: str | None = None) -> Job:
        job_id = job.id if isinstance(job, Job) else job
        project = project or (job.project if isinstance(job, Job) else None)
        return Job.read(self._call("POST", self._find_address(job_id, project) + "/cancel"))

    def wait(
        self,
        job: Job | str,
        *,
        timeout_s: float | None = None,
        watch: Callable[[Job], None] | None = None,
    ) -> Job:
        """The job when it is over; raises JobFailed when it did not succeed, TimeoutError when it takes too long."""
        found = job if isinstance(job, Job) else self.get(job)
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for wait in Patience(total_s=float("inf"), first_s=0.1, longest_s=2.0).waits():
            if watch:
                watch(found)
            if found.is_over:
                break
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"job {found.id} is still {found.state}")
            self._client.transport.sleep(wait)
            found = Job.read(self._call("GET", self._address(found)))
        if found.state == "completed":
            return found
        raise _failure(found)

    def _address(self, job: Job) -> str:
        return address("projects", job.project, "jobs", job.id) if job.project else address("me", "jobs", job.id)

    def _find_address(self, job_id: str, project: str | None) -> str:
        """Where a job is: in the project named, else among the caller's own, else in the current project."""
        if project:
            return address("projects", project, "jobs", job_id)
        try:
            self._call("GET", address("me", "jobs", job_id))
        except NotFound:
            if self._client.project is None:
                raise
            return self._in_project(None, "jobs", job_id)
        return address("me", "jobs", job_id)


def _failure(job: Job) -> JobFailed:
    if job.state == "cancelled":
        failure = problem(JobFailed, "sdk_job_cancelled", name=job.name)
    else:
        said = job.error.get("message") if isinstance(job.error, dict) else job.error
        failure = problem(JobFailed, "sdk_job_failed", name=job.name, cause=said or job.message or "?")
        failure.hint = job.error.get("hint") if isinstance(job.error, dict) else None
    failure.job = job
    return failure


class Bin(Resource):
    """`client.bin`: what was deleted in a project."""

    def list(
        self, *, project: str | None = None, q: str | None = None, kind: str | None = None, sort: str | None = None
    ) -> Listing[BinEntry]:
        return self._listing(self._in_project(project, "bin"), BinEntry.read, {"q": q, "kind": kind, "sort": sort})

    def restore(self, entry: str, *, name: str | None = None, project: str | None = None) -> Any:
        return self._call("POST", self._in_project(project, "bin", entry, "restore"), json=given(name=name))

    def delete(self, entry: str, *, project: str | None = None) -> None:
        """For good."""
        self._call("DELETE", self._in_project(project, "bin", entry))

    def empty(self, *, project: str | None = None) -> Job:
        return Job.read(self._call("POST", self._in_project(project, "bin", "empty")))


class Audit(Resource):
    """`client.audit`"""

    def list(self, *, project: str | None = None, **filters: Any) -> Listing[AuditEntry]:
        """A project's changes, or the platform's. Filters: q, actor, action, target_kind, since, until."""
        path = address("projects", project, "audit") if project else "/audit"
        return self._listing(path, AuditEntry.read, filters)


class Webhooks(Resource):
    """`client.webhooks`"""

    def list(self, *, project: str | None = None) -> Listing[Webhook]:
        return self._listing(self._in_project(project, "webhooks"), Webhook.read)

    def get(self, webhook: str, *, project: str | None = None) -> Webhook:
        return Webhook.read(self._call("GET", self._in_project(project, "webhooks", webhook)))

    def create(
        self,
        name: str,
        url: str,
        events: Sequence[str],
        *,
        secret: str | None = None,
        enabled: bool = True,
        project: str | None = None,
    ) -> Webhook:
        body = given(name=name, url=url, events=[*events], secret=secret, enabled=enabled)
        return Webhook.read(self._call("POST", self._in_project(project, "webhooks"), json=body))

    def update(self, webhook: str, *, project: str | None = None, **changes: Any) -> Webhook:
        """Changes `name`, `url`, `events`, `secret`, `enabled`."""
        return Webhook.read(self._call("PATCH", self._in_project(project, "webhooks", webhook), json=changes))

    def delete(self, webhook: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._in_project(project, "webhooks", webhook))

    def test(self, webhook: str, *, project: str | None = None) -> Any:
        """Sends a `ping`."""
        return self._call("POST", self._in_project(project, "webhooks", webhook, "test"))

    def deliveries(self, webhook: str, *, project: str | None = None) -> Listing[Delivery]:
        return self._listing(self._in_project(project, "webhooks", webhook, "deliveries"), Delivery.read)

    def retry(self, webhook: str, delivery: str, *, project: str | None = None) -> Any:
        return self._call("POST", self._in_project(project, "webhooks", webhook, "deliveries", delivery, "retry"))


class Systems(Resource):
    """`client.system`, for administrators."""

    def get(self) -> System:
        return System.read(self._call("GET", "/system"))

    def collect_garbage(self) -> Job:
        return Job.read(self._call("POST", "/system/gc"))

    def verify(self) -> Job:
        return Job.read(self._call("POST", "/system/verify"))


class Search(Resource):
    """`client.search("name")`"""

    def __call__(self, q: str, *, limit: int = 20) -> list[Found]:
        answer = self._call("GET", "/search", params={"q": q, "limit": limit})
        return [Found.read(item) for item in answer["items"]]
