"""The store's upkeep as background work: collecting what nobody needs, checking what is there."""

import logging
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.accounts.access import system_caller
from tidemill.jobs.handlers import RunningJob, register
from tidemill.jobs.service import submit_once
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import Conflict
from tidemill.store import gc, verify

log = logging.getLogger("tidemill.upkeep")

GC = "gc"
VERIFY = "verify"
LINK = "/admin/system"
COLLECT_EVERY = timedelta(days=1)
PROBLEMS_SHOWN = 100


def install(app: FastAPI) -> None:
    """Gives the runner both kinds."""
    register(app, GC, _collect)
    register(app, VERIFY, _verify)


def collect_when_due(app: FastAPI) -> None:
    """Asks for a collection when the last one was asked for a day ago."""
    now = app.state.clock()
    with app.state.db.read() as session:
        last = session.scalar(sa.select(sa.func.max(JobRow.created_at)).where(JobRow.kind == GC))
    if last is not None and last > now - COLLECT_EVERY:
        return
    with app.state.db.write() as session:
        submit_once(session, GC, name="", by=system_caller(now), link=LINK)


def _collect(job: RunningJob) -> dict[str, Any]:
    grace = timedelta(hours=job.settings.gc_grace_hours)
    report = gc.collect(
        job.db,
        job.app.state.store,
        job.now,
        grace,
        progress=lambda done, total: job.progress(done, total, "steps"),
        cancelled=job.cancelled,
    )
    return asdict(report)


def _verify(job: RunningJob) -> dict[str, Any]:
    """A check that finds something has failed, so that whoever asked hears of it as of a failure."""
    report = verify.verify(
        job.db,
        job.app.state.store,
        progress=lambda done, total: job.progress(done, total, "bytes"),
        cancelled=job.cancelled,
    )
    if report.problems:
        log.error("the store has %d problems: %s", len(report.problems), report.problems[:PROBLEMS_SHOWN])
        shown = [asdict(problem) for problem in report.problems[:PROBLEMS_SHOWN]]
        raise Conflict("store_damaged", count=len(report.problems), details=shown)
    return {"blobs": report.blobs, "bytes": report.bytes, "trees": report.trees}
