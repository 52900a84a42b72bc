"""Emptying a bin as background work, and the loop that does by itself what is due."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, system_caller
from tidemill.accounts.projects import list_expired_projects
from tidemill.assets import purging
from tidemill.assets.links import bin_link
from tidemill.assets.project_purge import Clearer, purge_project
from tidemill.assets.tables import BinRow
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings

KIND = "bin_empty"

log = logging.getLogger("tidemill.assets")


def submit_emptying(session: Session, *, by: Caller) -> JobRow:
    """Asks for everything that is in the project's bin now to be removed for good."""
    return jobs.submit(
        session,
        KIND,
        params={"until": by.now.isoformat()},
        name=by.project.name,
        by=by,
        project_id=by.project.id,
        link=bin_link(by.project.name),
    )


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the job: entries go one by one, so that a cancelled job leaves the rest where it is."""
    del app

    def run(job: RunningJob) -> dict[str, Any]:
        assert job.project_id
        until = datetime.fromisoformat(job.params["until"])
        with job.db.read() as session:
            total = session.scalar(sa.select(sa.func.count()).select_from(_due(job.project_id, until).subquery())) or 0
        done = 0
        while entry_id := _take_next(job, until):
            purging.purge(job.db, entry_id)
            done += 1
            job.progress(done, max(total, done), "entries", "bin_emptying")
            job.check()
        _ask_for_collection(job.db, job.now)
        return {"removed": done}

    return run


def do_what_is_due(db: Database, settings: Settings, now: datetime, clearers: Sequence[Clearer] = ()) -> None:
    """One turn of the loop: finishes what was begun, and removes what has been in the bin for its time."""
    by = system_caller(now)
    removed = finish_purges(db)
    while True:
        with db.write() as session:
            marked = purging.mark_expired(session, by=by)
        if not marked:
            break
        removed += finish_purges(db)
    with db.read() as session:
        projects = [row.id for row in list_expired_projects(session, now=now, bin_days=settings.bin_days)]
    for project_id in projects:
        _purge_project(db, project_id, by, clearers)
    if removed or projects:
        _ask_for_collection(db, now)


def _purge_project(db: Database, project_id: str, by: Caller, clearers: Sequence[Clearer]) -> None:
    """One project that cannot be removed must not keep the others from it."""
    try:
        purge_project(db, project_id, by=by, clearers=clearers)
    except Exception:
        log.exception("project %s could not be removed; it is tried again at the next turn", project_id)


def finish_purges(db: Database) -> int:
    """Takes apart whatever is marked; how many entries."""
    done = 0
    while True:
        with db.read() as session:
            entry_id = purging.find_marked(session)
        if entry_id is None:
            return done
        purging.purge(db, entry_id)
        done += 1


def _take_next(job: RunningJob, until: datetime) -> str | None:
    """The next entry, marked: one that an interrupted run had marked comes first."""
    assert job.project_id
    with job.db.write() as session:
        if entry_id := purging.find_marked(session, job.project_id):
            return entry_id
        entry_id = session.scalar(_due(job.project_id, until).limit(1))
        if entry_id is None:
            return None
        purging.mark_row(session, entry_id, by=job.caller())
        return purging.find_marked(session, job.project_id)


def _due(project_id: str, until: datetime) -> sa.Select[str]:
    """Versions before assets, so that progress counts each."""
    return (
        sa.select(BinRow.id)
        .where(BinRow.project_id == project_id, BinRow.deleted_at <= until)
        .order_by(BinRow.version_id.is_(None), BinRow.id)
    )


def _ask_for_collection(db: Database, now: datetime) -> None:
    with db.write() as session:
        jobs.submit_once(session, "gc", name="", by=system_caller(now))
