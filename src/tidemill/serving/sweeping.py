"""What is left of services that are gone, and of replicas that ended long ago."""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import system_caller
from tidemill.kernel.db import Database
from tidemill.kernel.errors import TidemillError
from tidemill.serving.tables import ReplicaRow, ServiceRow
from tidemill.workloads import service as workloads

KEPT_FOR = timedelta(days=7)
"""Ended replicas, with their logs."""
AT_ONCE = 200


def remove_gone(db: Database, now: datetime) -> None:
    """Rows of deleted services whose last replica has ended, with their replicas' workloads."""
    live = sa.select(ReplicaRow.id).where(ReplicaRow.service_id == ServiceRow.id, ReplicaRow.ended_at.is_(None))
    gone = sa.select(ServiceRow.id).where(ServiceRow.deleted_at.is_not(None), ~live.exists())
    with db.write() as session:
        for service_id in session.scalars(gone.limit(AT_ONCE)).all():
            mine = sa.select(ReplicaRow.workload_id).where(ReplicaRow.service_id == service_id)
            _delete_workloads(session, list(session.scalars(mine)), now)
            session.execute(sa.delete(ServiceRow).where(ServiceRow.id == service_id))


def remove_old_replicas(db: Database, now: datetime) -> None:
    """Replicas that ended a week ago and more."""
    with db.write() as session:
        old = session.execute(
            sa.select(ReplicaRow.id, ReplicaRow.workload_id)
            .where(ReplicaRow.ended_at < now - KEPT_FOR)
            .order_by(ReplicaRow.id)
            .limit(AT_ONCE)
        ).all()
        _delete_workloads(session, [workload_id for _, workload_id in old], now)
        session.execute(sa.delete(ReplicaRow).where(ReplicaRow.id.in_([replica_id for replica_id, _ in old])))


def _delete_workloads(session: Session, ids: list[str], now: datetime) -> None:
    for workload_id in ids:
        try:
            workloads.delete(session, workload_id, by=system_caller(now))
        except TidemillError:
            # Deleted already, with its project or by hand.
            continue
