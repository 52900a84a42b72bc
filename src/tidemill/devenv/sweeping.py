"""Deleted environments: their files go once nothing runs in them any more, and their rows with them."""

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.devenv.starting import KIND, workspace_key
from tidemill.devenv.tables import EnvironmentRow
from tidemill.engines.base import Engine
from tidemill.kernel.db import Database
from tidemill.workloads.tables import WorkloadRow

AT_ONCE = 20


def sweep(app: FastAPI) -> None:
    """Removes what is left of deleted environments. The row goes last: whatever dies before, comes here again."""
    db: Database = app.state.db
    engine: Engine = app.state.engine
    with db.read() as session:
        gone = _find_gone(session)
    for environment_id in gone:
        engine.remove_workspace(workspace_key(environment_id))
        with db.write() as session:
            session.execute(sa.delete(EnvironmentRow).where(EnvironmentRow.id == environment_id))


def _find_gone(session: Session) -> list[str]:
    """Deleted ones whose every start has ended, with what it wrote collected."""
    uses_it = (
        sa.select(WorkloadRow.id)
        .where(
            WorkloadRow.owner_id == EnvironmentRow.id,
            WorkloadRow.kind == KIND,
            sa.or_(WorkloadRow.ended_at.is_(None), WorkloadRow.outputs_state == "waiting"),
        )
        .exists()
    )
    deleted = sa.select(EnvironmentRow.id).where(EnvironmentRow.deleted_at.is_not(None), ~uses_it)
    return list(session.scalars(deleted.limit(AT_ONCE)))


def clear_project(app: FastAPI, project_id: str) -> None:
    """Removes the files of a project that is going for good; nothing runs in it any more."""
    db: Database = app.state.db
    engine: Engine = app.state.engine
    with db.read() as session:
        ids = list(session.scalars(sa.select(EnvironmentRow.id).where(EnvironmentRow.project_id == project_id)))
    for environment_id in ids:
        engine.remove_workspace(workspace_key(environment_id))
