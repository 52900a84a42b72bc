"""Running jobs: once each, to an end that is told, across cancels, crashes and restarts."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from tests.jobs.conftest import House
from tidemill.accounts.tables import AuditRow
from tidemill.jobs import runner as runner_module
from tidemill.jobs.handlers import JobCancelled, RunningJob
from tidemill.jobs.process import ProcessName, fate, this_process
from tidemill.jobs.runner import ATTEMPTS_MAX, DEAD_AFTER
from tidemill.jobs.tables import JobRow, NotificationRow
from tidemill.jobs.texts import say, say_error
from tidemill.kernel.errors import Invalid


def nothing(_job: RunningJob) -> dict[str, Any]:
    return {}


def abandon(house: House, job_id: str, *, owner: str = "elsewhere|1|1|x", attempts: int = 1) -> None:
    """As a process leaves a job when it is killed."""
    with house.db.write() as session:
        session.execute(
            sa.update(JobRow)
            .where(JobRow.id == job_id)
            .values(
                state="running",
                owner=owner,
                attempts=attempts,
                started_at=house.hands.now,
                heartbeat_at=house.hands.now,
            )
        )


def test_a_job_runs_and_keeps_its_result(house: House) -> None:
    house.handle("gc", lambda job: {"echo": job.params["word"], "for": job.created_by})
    job_id = house.submit(params={"word": "low water"})
    assert house.runner().run_next()
    ended = house.job(job_id)
    assert (ended.state, ended.result) == ("completed", {"echo": "low water", "for": "admin"})
    assert ended.started_at
    assert ended.finished_at
    assert not house.runner().run_next()


def test_the_oldest_waiting_job_runs_first(house: House) -> None:
    seen: list[str] = []
    house.handle("gc", lambda job: seen.append(job.id) or {})  # type: ignore[func-returns-value]
    jobs = []
    for _ in range(3):
        jobs.append(house.submit())
        house.hands.turn(seconds=1)
    runner = house.runner()
    while runner.run_next():
        pass
    assert seen == jobs


def test_a_known_error_is_kept_and_said_in_both_languages(house: House) -> None:
    def fail(_job: RunningJob) -> dict[str, Any]:
        raise Invalid("name_taken", field="name", name="潮汐")

    house.handle("gc", fail)
    job_id = house.submit()
    house.runner().run_next()
    ended = house.job(job_id)
    assert ended.state == "failed"
    assert ended.error
    assert say_error(ended.error, "en")["message"] == "The name “潮汐” is already in use."
    assert say_error(ended.error, "zh-CN")["message"] == "名称“潮汐”已被使用。"
    assert say_error(ended.error, "zh-CN")["field"] == "name"


def test_a_defect_in_a_handler_is_said_without_its_insides(house: House, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_job: RunningJob) -> dict[str, Any]:
        raise RuntimeError("secret insides")

    house.handle("gc", fail)
    job_id = house.submit()
    house.runner().run_next()
    ended = house.job(job_id)
    assert ended.state == "failed"
    assert ended.error
    assert ended.error["code"] == "internal"
    assert "secret insides" not in str(ended.error)
    assert "secret insides" in caplog.text


def test_a_handler_that_leaves_unasked_does_not_run_for_ever(house: House) -> None:
    def leave(_job: RunningJob) -> dict[str, Any]:
        raise JobCancelled

    house.handle("gc", leave)
    job_id = house.submit()
    runner = house.runner()
    assert runner.run_next()
    assert not runner.run_next()
    assert house.job(job_id).state == "failed"


def test_the_end_is_told_to_whoever_asked_and_written_in_the_audit_log(house: House) -> None:
    house.handle("gc", nothing)
    house.submit(link="/admin/system")
    house.runner().run_next()
    (told,) = house.rows(NotificationRow)
    assert (told.user_id, told.state, told.link) == (house.user, "success", "/admin/system")
    assert say(told.title, "en") == "Clean up storage"
    assert say(told.title, "zh-CN") == "清理存储空间"
    actions = [row.action for row in house.rows(AuditRow) if row.target_kind == "job"]
    assert actions == ["job.create", "job.finish"]


def test_a_failure_is_told_as_an_error_with_its_reason(house: House) -> None:
    def fail(_job: RunningJob) -> dict[str, Any]:
        raise Invalid("name_blank")

    house.handle("gc", fail)
    house.submit()
    house.runner().run_next()
    (told,) = house.rows(NotificationRow)
    assert told.state == "error"
    assert say(told.body, "en") == "Failed: The name must not be empty or only spaces."


def test_a_waiting_job_is_cancelled_at_once_and_never_runs(house: House) -> None:
    house.handle("gc", nothing)
    job_id = house.submit()
    house.cancel(job_id)
    assert house.job(job_id).state == "cancelled"
    assert not house.runner().run_next()
    assert house.rows(NotificationRow) == []


def test_a_running_job_stops_when_asked_to(house: House) -> None:
    def work(job: RunningJob) -> dict[str, Any]:
        assert not job.cancelled()
        house.cancel(job.id)
        runner.beat()
        assert job.cancelled()
        return {"half": True}

    house.handle("gc", work)
    runner = house.runner()
    job_id = house.submit()
    runner.run_next()
    ended = house.job(job_id)
    assert (ended.state, ended.cancel_requested, ended.result) == ("cancelled", True, {})


def test_progress_hears_of_a_cancel_without_waiting_for_the_beat(house: House) -> None:
    def work(job: RunningJob) -> dict[str, Any]:
        house.cancel(job.id)
        job.progress(1, 10, "files")
        job.check()
        raise AssertionError("went on after the cancel")

    house.handle("gc", work)
    job_id = house.submit()
    house.runner().run_next()
    assert house.job(job_id).state == "cancelled"


def test_a_job_that_ends_before_it_hears_of_the_cancel_is_completed(house: House) -> None:
    def work(job: RunningJob) -> dict[str, Any]:
        house.cancel(job.id)
        return {"all": True}

    house.handle("gc", work)
    job_id = house.submit()
    house.runner().run_next()
    assert (house.job(job_id).state, house.job(job_id).result) == ("completed", {"all": True})


def test_progress_is_written_at_most_twice_a_second_and_the_last_is_kept(house: House) -> None:
    revisions = []

    def work(job: RunningJob) -> dict[str, Any]:
        for done in range(1, 1001):
            job.progress(done, 1000, "files")
        revisions.append(house.job(job.id).revision)
        return {}

    house.handle("gc", work)
    job_id = house.submit()
    house.runner().run_next()
    ended = house.job(job_id)
    assert (ended.done, ended.total, ended.unit) == (1000, 1000, "files")
    assert revisions[0] < 100


def test_a_job_whose_process_fell_silent_runs_again(house: House) -> None:
    house.handle("gc", nothing)
    job_id = house.submit()
    abandon(house, job_id)
    runner = house.runner()
    assert runner.take_back() == 0
    house.hands.turn(seconds=DEAD_AFTER.total_seconds() + 1)
    assert runner.take_back() == 1
    assert house.job(job_id).state == "waiting"
    assert runner.run_next()
    assert (house.job(job_id).state, house.job(job_id).attempts) == ("completed", 2)


def test_a_job_of_a_process_known_to_be_dead_is_taken_back_at_once(house: House) -> None:
    child = subprocess.run(
        [sys.executable, "-c", "from tidemill.jobs.process import this_process; print(this_process())"],
        check=True, capture_output=True, text=True, env=os.environ,
    )  # fmt: skip
    job_id = house.submit()
    abandon(house, job_id, owner=child.stdout.strip())
    assert house.runner().take_back() == 1
    assert house.job(job_id).state == "waiting"


def test_a_job_that_was_interrupted_too_often_fails(house: House) -> None:
    job_id = house.submit()
    abandon(house, job_id, attempts=ATTEMPTS_MAX)
    house.hands.turn(hours=1)
    assert house.runner().take_back() == 1
    ended = house.job(job_id)
    assert ended.state == "failed"
    assert ended.error
    assert ended.error["code"] == "job_gave_up"
    assert [row.state for row in house.rows(NotificationRow)] == ["error"]


def test_an_abandoned_job_somebody_cancelled_ends_as_cancelled(house: House) -> None:
    job_id = house.submit()
    abandon(house, job_id)
    house.cancel(job_id)
    house.hands.turn(hours=1)
    house.runner().take_back()
    assert house.job(job_id).state == "cancelled"


def test_what_a_process_does_after_losing_its_job_does_not_count(house: House) -> None:
    def work(job: RunningJob) -> dict[str, Any]:
        abandon(house, job.id, owner="another|2|2|y")
        return {"stolen": True}

    house.handle("gc", work)
    job_id = house.submit()
    house.runner().run_next()
    kept = house.job(job_id)
    assert (kept.state, kept.owner, kept.result) == ("running", "another|2|2|y", {})
    assert house.rows(NotificationRow) == []


def test_a_closing_process_gives_its_job_back_without_counting_the_attempt(house: House) -> None:
    def work(job: RunningJob) -> dict[str, Any]:
        runner.close()
        job.check()
        raise AssertionError("went on while closing")

    house.handle("gc", work)
    runner = house.runner()
    job_id = house.submit()
    runner.run_next()
    waiting = house.job(job_id)
    assert (waiting.state, waiting.attempts, waiting.owner) == ("waiting", 0, None)
    house.handle("gc", nothing)
    assert house.runner().run_next()
    assert house.job(job_id).state == "completed"


def test_two_processes_never_run_one_job_twice(house: House) -> None:
    runs: list[str] = []
    house.handle("gc", lambda job: runs.append(job.id) or {})  # type: ignore[func-returns-value]
    jobs = [house.submit() for _ in range(12)]
    runners = [house.runner() for _ in range(4)]
    start = threading.Barrier(len(runners))

    def drain(runner: Any) -> None:
        start.wait(10)
        while runner.run_next():
            pass

    with ThreadPoolExecutor(len(runners)) as pool:
        for result in [pool.submit(drain, runner) for runner in runners]:
            result.result(60)
    assert sorted(runs) == sorted(jobs)
    assert {house.job(job_id).attempts for job_id in jobs} == {1}


def test_jobs_of_kinds_this_process_does_not_know_are_left_for_others(house: House) -> None:
    house.handle("gc", nothing)
    with house.db.write() as session:
        session.add(_unknown_job(house))
    assert not house.runner().run_next()


def test_a_worker_wakes_when_a_job_is_submitted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "LOOK_EVERY_S", 30.0)
    ran = threading.Event()
    house.handle("gc", lambda _job: ran.set() or {})  # type: ignore[func-returns-value]
    runner = house.runner()
    listening = threading.Event()
    wait = runner._news.wait

    def waiting(timeout: float | None = None) -> bool:
        listening.set()
        return wait(timeout)

    runner._news.wait = waiting  # type: ignore[method-assign]
    worker = threading.Thread(target=lambda: [runner.work(), runner.work()])
    worker.start()
    assert listening.wait(10)
    house.submit()
    assert ran.wait(10)
    runner.close()
    worker.join(10)
    assert not worker.is_alive()


def test_a_process_with_the_same_number_but_another_beginning_is_dead() -> None:
    me = this_process()
    assert fate(str(me), me) == "alive"
    assert fate(str(ProcessName(me.place, me.pid, "0", "n")), me) == "dead"
    assert fate(str(ProcessName("another-boot", me.pid, me.began, "n")), me) == "unknown"
    assert fate("", me) == "unknown"


def _unknown_job(house: House) -> JobRow:
    now = house.hands.now
    return JobRow(
        id="job_00000000000000000000000000", kind="from_the_future", name="x", name_key="x", state="waiting", params={},
        result={}, changed_at=now, created_at=now, created_by="admin", created_by_id=house.user,
    )  # fmt: skip
