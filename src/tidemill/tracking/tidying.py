"""The end of runs, experiments and logged models that were deleted and not brought back in time, and of projects."""

import logging
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import system_caller
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict
from tidemill.store import trees
from tidemill.store.tables import TreeRow
from tidemill.tracking.tables import LoggedModelRow
from tidemill.training.runs import delete_run
from tidemill.training.tables import ExperimentRow, RunRow

log = logging.getLogger("tidemill.tracking")

EVERY_S = 600.0
AT_ONCE = 200


class Tidying:
    """The loop of one process."""

    def __init__(self, db: Database, *, bin_days: float) -> None:
        self._db = db
        self._kept = timedelta(days=bin_days)

    def purge(self, now: datetime) -> None:
        """Removes what was deleted long enough ago: models, then runs, then the experiments they were in."""
        before = now - self._kept
        while self._purge_models(before) or self._purge_runs(before, now):
            continue
        self._purge_experiments(before)

    def _purge_models(self, before: datetime) -> int:
        gone = sa.select(ExperimentRow.id).where(ExperimentRow.deleted_at < before)
        with self._db.write() as session:
            rows = session.scalars(
                sa.select(LoggedModelRow)
                .where(sa.or_(LoggedModelRow.deleted_at < before, LoggedModelRow.experiment_id.in_(gone)))
                .limit(AT_ONCE)
            ).all()
            for row in rows:
                session.delete(row)
                session.flush()
                _drop(session, row.tree_id)
        return len(rows)

    def _purge_runs(self, before: datetime, now: datetime) -> int:
        """Each by itself: one whose viewer is still open waits until the next time."""
        with self._db.read() as session:
            ids = session.scalars(
                sa.select(RunRow.id).where(RunRow.deleted_at < before).order_by(RunRow.deleted_at).limit(AT_ONCE)
            ).all()
        removed = 0
        for run_id in ids:
            try:
                with self._db.write() as session:
                    run = session.get(RunRow, run_id, with_for_update=True)
                    if run is not None and run.deleted_at is not None and run.deleted_at < before:
                        delete_run(session, run, by=system_caller(now))
                        removed += 1
            except Conflict as error:
                log.info("%s is not removed yet: %s", run_id, error.code)
        return removed

    def _purge_experiments(self, before: datetime) -> None:
        with self._db.write() as session:
            used = sa.exists().where(RunRow.experiment_id == ExperimentRow.id)
            session.execute(sa.delete(ExperimentRow).where(ExperimentRow.deleted_at < before, ~used))


def clear_project(db: Database, project_id: str) -> None:
    """Files that were logged in a project that is no more; its rows go with the project itself."""
    owners: tuple[Any, ...] = (LoggedModelRow, RunRow)
    for table in owners:
        while True:
            with db.write() as session:
                rows = session.scalars(
                    sa.select(table).where(table.project_id == project_id, table.tree_id.is_not(None)).limit(AT_ONCE)
                ).all()
                for row in rows:
                    tree_id, row.tree_id = row.tree_id, None
                    session.flush()
                    _drop(session, tree_id)
            if not rows:
                break


def _drop(session: Session, tree_id: str | None) -> None:
    if tree_id is not None:
        trees.drop(session, session.get_one(TreeRow, tree_id))
