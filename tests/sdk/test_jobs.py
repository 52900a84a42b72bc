from typing import Any

import pytest

from tests.sdk.fake import Recorder, ok, refusal
from tidemill.sdk import JobFailed
from tidemill.sdk.views import Job


def job(state: str, **more: Any) -> dict[str, Any]:
    return {"id": "job_1", "name": "Import", "state": state, "project": "tides", **more}


def test_a_job_is_watched_until_it_is_over() -> None:
    recorder = Recorder(ok(job("running", progress=0.5)), ok(job("completed", result={"files": 3})))
    seen: list[str] = []
    done = recorder.client().jobs.wait(Job.read(job("waiting")), watch=lambda now: seen.append(now.state))
    assert seen == ["waiting", "running", "completed"]
    assert done.result == {"files": 3}
    assert len(recorder.slept) == 2
    assert {request.url.path for request in recorder.requests} == {"/api/v1/projects/tides/jobs/job_1"}


def test_a_failed_job_raises_what_it_said() -> None:
    failed = job("failed", error={"code": "x", "message": "the host is not allowed", "hint": "ask"})
    with pytest.raises(JobFailed) as caught:
        Recorder(ok(failed)).client().jobs.wait(Job.read(job("running")))
    assert "the host is not allowed" in str(caught.value)
    assert (caught.value.hint, caught.value.job.state) == ("ask", "failed")


def test_a_cancelled_job_is_no_success() -> None:
    with pytest.raises(JobFailed) as caught:
        Recorder(ok(job("cancelled"))).client().jobs.wait(Job.read(job("running")))
    assert caught.value.code == "sdk_job_cancelled"


def test_a_job_that_takes_too_long_is_left_alone() -> None:
    with pytest.raises(TimeoutError):
        Recorder(ok(job("running"))).client().jobs.wait(Job.read(job("running")), timeout_s=-1)


def test_the_platforms_own_jobs_are_asked_for_among_mine() -> None:
    recorder = Recorder(ok(job("completed", project=None)))
    recorder.client().jobs.wait(Job.read(job("running", project=None)))
    assert recorder.requests[0].url.path == "/api/v1/me/jobs/job_1"


def test_a_job_of_somebody_else_is_found_in_the_current_project() -> None:
    recorder = Recorder(refusal(404, "job_not_found"), ok(job("running", cancel_requested=True)))
    assert recorder.client().jobs.cancel("job_1").state == "running"
    assert recorder.requests[1].url.path == "/api/v1/projects/tides/jobs/job_1/cancel"
