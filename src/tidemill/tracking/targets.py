"""The run that something is logged to, and who may log to it."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Conflict, Forbidden, NotFound
from tidemill.kernel.prepared import Prepared
from tidemill.training.tables import RunRow
from tidemill.workloads.tables import WorkloadRow


class Target(NamedTuple):
    """What logging needs to know of a run."""

    id: str
    name: str
    experiment_id: str
    workload_id: str | None
    made_in: str | None
    is_deleted: bool


_TARGET = Prepared(
    sa.select(
        RunRow.id,
        RunRow.name,
        RunRow.experiment_id,
        RunRow.workload_id,
        RunRow.made_in,
        RunRow.deleted_at.is_not(None),
    ).where(
        RunRow.id == sa.bindparam("run", type_=sa.Text()),
        RunRow.project_id == sa.bindparam("project", type_=sa.Text()),
    )
)


def find_target(session: Session, run_id: str, *, by: Caller) -> Target:
    """A run of the project of this call; raises NotFound."""
    rows = _TARGET.rows(session, run=run_id, project=by.project.id)
    if not rows:
        raise NotFound("run_not_found", name=run_id[:100])
    return Target(*rows[0])


def get_target(session: Session, run_id: str, *, by: Caller, measures: bool = True) -> Target:
    """A run that the caller may log to.

    What a run of the platform measured, only its own program may say (`measures`). The program of a run, or a dev
    environment, may log to what it made itself; people to every run that none of the platform's programs carries.
    """
    target = find_target(session, run_id, by=by)
    if target.is_deleted:
        raise Conflict("run_deleted", name=target.name)
    if by.workload_id is None:
        if measures and target.workload_id is not None:
            raise Forbidden("metrics_not_own_run", name=target.name)
        return target
    if by.workload_id == target.workload_id or _made_by(session, target, by.workload_id):
        return target
    raise Forbidden("metrics_not_own_run", name=target.name)


def maker_of(session: Session, by: Caller) -> str | None:
    """What a program's token stands for: its run, its environment; None for people."""
    if by.workload_id is None:
        return None
    return session.scalar(sa.select(WorkloadRow.owner_id).where(WorkloadRow.id == by.workload_id))


def _made_by(session: Session, target: Target, workload_id: str) -> bool:
    if target.made_in is None:
        return False
    owner = sa.select(WorkloadRow.owner_id).where(WorkloadRow.id == workload_id)
    return session.scalar(owner) == target.made_in
