"""Runs jobs: claims what waits, beats while it runs, takes back what a dead process left.

Several processes may run this against one database. Claiming is a guarded UPDATE; what a worker writes later counts
only while it still is the owner, so a job taken from a process that was merely slow cannot end twice.
"""

import logging
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.jobs.handlers import Handlers, JobCancelled, Progress, RunningJob
from tidemill.jobs.process import fate, this_process
from tidemill.jobs.service import end
from tidemill.jobs.states import TOPIC, State, move
from tidemill.jobs.tables import JobRow
from tidemill.jobs.texts import Text, error_text, text
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database, announce
from tidemill.kernel.errors import TidemillError

log = logging.getLogger("tidemill.jobs")

WORKERS = 2
BEAT_EVERY_S = 2.0
LOOK_EVERY_S = 1.0
DEAD_AFTER = timedelta(seconds=60)
ATTEMPTS_MAX = 3
PROGRESS_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a job whose process may be gone."""

    to_state: State
    error: Text | None = None


def judge(row: JobRow, *, owner_fate: str, now: datetime) -> Verdict | None:
    """Decides over a running job that is not ours to beat for; None leaves it alone."""
    silent_since = row.heartbeat_at or row.started_at or row.created_at
    if owner_fate != "dead" and now - silent_since < DEAD_AFTER:
        return None
    if row.cancel_requested:
        return Verdict("cancelled")
    if row.attempts >= ATTEMPTS_MAX:
        return Verdict("failed", text("job_gave_up", attempts=row.attempts))
    return Verdict("waiting")


class Runner:
    """The workers of one process. All methods may be called from any thread."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._db: Database = app.state.db
        self._clock: Clock = app.state.clock
        self._handlers: Handlers = app.state.job_handlers
        self._me = this_process()
        self._running: dict[str, RunningJob] = {}
        self._reported: dict[str, float] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._news = threading.Condition()
        self._db.listen(TOPIC, self._wake)

    def work(self) -> None:
        """One worker's turn: runs what waits until nothing does, then listens for news for a moment."""
        while not self._closing.is_set() and self.run_next():
            pass
        with self._news:
            if not self._closing.is_set():
                self._news.wait(LOOK_EVERY_S)

    def run_next(self) -> bool:
        """Claims the oldest waiting job and runs it to its end; False when nothing waits."""
        job = self._claim()
        if job is None:
            return False
        with self._lock:
            self._running[job.id] = job
            if self._closing.is_set():
                job.stop_asked.set()
        try:
            self._run(job)
        finally:
            with self._lock:
                del self._running[job.id]
                self._reported.pop(job.id, None)
        return True

    def watch(self) -> None:
        """The watcher's turn: beats, hands on wishes to cancel, takes back abandoned jobs."""
        self.beat()
        self.take_back()

    def beat(self) -> None:
        """Says that our jobs are alive, and tells those that should stop."""
        with self._lock:
            ids = list(self._running)
        if not ids:
            return
        ours = [JobRow.id.in_(ids), JobRow.owner == str(self._me)]
        with self._db.write() as session:
            session.execute(sa.update(JobRow).where(*ours).values(heartbeat_at=self._clock()))
            wishes = dict(session.execute(sa.select(JobRow.id, JobRow.cancel_requested).where(*ours)).all())
        with self._lock:
            for job_id in ids:
                # Not among `wishes`: it ended this instant or was taken from us; there is no point in going on.
                if wishes.get(job_id, True) and (job := self._running.get(job_id)):
                    job.stop_asked.set()

    def take_back(self) -> int:
        """Frees jobs whose process is gone; how many."""
        now = self._clock()
        with self._lock:
            ours = list(self._running)
        with self._db.read() as session:
            rows = session.scalars(
                sa.select(JobRow).where(JobRow.state == "running", JobRow.id.not_in(ours)).limit(100)
            ).all()
        freed = 0
        for row in rows:
            verdict = judge(row, owner_fate=fate(row.owner or "", self._me), now=now)
            if verdict is not None:
                freed += self._carry_out(row, verdict, now)
        return freed

    def close(self) -> None:
        """Tells running jobs to stop; they go back to waiting and run again at the next start."""
        self._closing.set()
        with self._lock:
            for job in self._running.values():
                job.stop_asked.set()
        self._wake()

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def _claim(self) -> RunningJob | None:
        with self._db.read() as session:
            waiting = session.scalars(
                sa.select(JobRow.id)
                .where(JobRow.state == "waiting", JobRow.kind.in_(self._handlers.kinds()))
                .order_by(JobRow.created_at, JobRow.id)
                .limit(10)
            ).all()
        for job_id in waiting:
            if job := self._claim_one(job_id):
                return job
        return None

    def _claim_one(self, job_id: str) -> RunningJob | None:
        now = self._clock()
        signed: dict[str, Any] = {
            "owner": str(self._me),
            "heartbeat_at": now,
            "started_at": now,
            "attempts": JobRow.attempts + 1,
            "done": 0,
            "total": None,
            "message": None,
        }
        with self._db.write() as session:
            if not move(session, job_id, "waiting", "running", now=now, **signed):
                return None
            return self._running_job(session.get_one(JobRow, job_id))

    def _running_job(self, row: JobRow) -> RunningJob:
        return RunningJob(
            id=row.id,
            kind=row.kind,
            name=row.name,
            params=row.params,
            project_id=row.project_id,
            created_by=row.created_by,
            created_by_id=row.created_by_id,
            attempt=row.attempts,
            app=self._app,
            report=self._report,
        )

    def _run(self, job: RunningJob) -> None:
        handler = self._handlers.get(job.kind)
        try:
            result = handler(job)
        except JobCancelled:
            if job.cancelled():
                self._finish(job, "completed")
            else:
                # It would wait, be claimed and leave again for ever.
                log.error("job %s (%s) left although nobody asked it to stop", job.id, job.kind)
                self._finish(job, "failed", error=text("internal"))
        except TidemillError as error:
            self._finish(job, "failed", error=error_text(error))
        except Exception:
            log.exception("job %s (%s) failed", job.id, job.kind)
            self._finish(job, "failed", error=text("internal"))
        else:
            self._finish(job, "completed", result=result)

    def _finish(self, job: RunningJob, outcome: State, **values: Any) -> None:
        """Ends the job as its handler left it; one that was told to stop is cancelled, or waits for the next start."""
        now = self._clock()
        with self._db.write() as session:
            row = session.get(JobRow, job.id, with_for_update=True)
            if row is None:
                log.info("job %s went away while it ran", job.id)
                return
            me = str(self._me)
            if not job.was_told:
                done = end(session, row, outcome, now=now, held_by=me, **_last_progress(job), **values)
            elif row.cancel_requested:
                done = end(session, row, "cancelled", now=now, held_by=me, **_last_progress(job))
            else:
                done = move(session, row.id, "running", "waiting", now=now, held_by=me, attempts=row.attempts - 1)
        if not done:
            log.warning("job %s was taken by another process; what this one did does not count", job.id)

    def _carry_out(self, row: JobRow, verdict: Verdict, now: datetime) -> bool:
        log.warning("job %s (%s) lost its process; now %s", row.id, row.kind, verdict.to_state)
        with self._db.write() as session:
            if verdict.to_state == "waiting":
                return move(session, row.id, "running", "waiting", now=now, held_by=row.owner)
            return end(session, row, verdict.to_state, now=now, held_by=row.owner, error=verdict.error)

    def _report(self, job: RunningJob, progress: Progress) -> None:
        """Writes progress down, at most every half second; on the way it hears of a wish to cancel."""
        job.latest = progress
        now_s = time.monotonic()
        if now_s - self._reported.get(job.id, -PROGRESS_EVERY_S) < PROGRESS_EVERY_S:
            return
        self._reported[job.id] = now_s
        values = {
            "done": progress.done,
            "total": progress.total,
            "unit": progress.unit,
            "message": progress.message,
            "changed_at": self._clock(),
            "revision": JobRow.revision + 1,
        }
        ours = [JobRow.id == job.id, JobRow.state == "running", JobRow.owner == str(self._me)]
        with self._db.write() as session:
            session.execute(sa.update(JobRow).where(*ours).values(values))
            wish = session.scalar(sa.select(JobRow.cancel_requested).where(*ours))
            announce(session, TOPIC)
        if wish is not False:
            job.stop_asked.set()


def _last_progress(job: RunningJob) -> dict[str, Any]:
    """What the job said last, which may not have been written down yet."""
    return {"done": job.latest.done, "total": job.latest.total, "unit": job.latest.unit, "message": None}
