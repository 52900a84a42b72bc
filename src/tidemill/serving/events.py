"""What happened to services, and that something did."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.jobs.texts import Text
from tidemill.kernel.db import announce
from tidemill.kernel.ids import new_id
from tidemill.serving.tables import EventRow, ServiceRow, TrackRow

TOPIC = "services"
"""Announced with every change of a service."""
KEPT = 500
"""Events of one service."""


def touch(session: Session, row: ServiceRow, now: datetime) -> None:
    """People see something new of it."""
    row.revision += 1
    row.changed_at = now
    announce(session, TOPIC)


def ask(session: Session, row: ServiceRow, now: datetime) -> None:
    """Somebody wants something else of it: what was decided before does not hold any more."""
    row.asked += 1
    row.updated_at = now
    touch(session, row, now)


def unsettle(row: ServiceRow, *tracks: TrackRow) -> None:
    """What served is not as it should be any more, from this moment on: whoever waits for "serving" waits for the new.

    The reconciler finds the state that is right.
    """
    changed: list[ServiceRow | TrackRow] = [row, *tracks]
    for one in changed:
        if one.state == "serving":
            one.state, one.reason = "updating", None


def tell(
    session: Session,
    service_id: str,
    kind: str,
    message: Text,
    *,
    now: datetime,
    by: str,
    role: str | None = None,
    number: int | None = None,
) -> None:
    """Writes an event down."""
    session.add(
        EventRow(
            id=new_id("sev"),
            service_id=service_id,
            at=now,
            kind=kind,
            role=role,
            number=number,
            message=message,
            by=by,
        )
    )


def forget_old(session: Session, service_id: str) -> None:
    """Keeps the newest events only."""
    last = session.scalar(
        sa.select(EventRow.id)
        .where(EventRow.service_id == service_id)
        .order_by(EventRow.id.desc())
        .offset(KEPT)
        .limit(1)
    )
    if last is not None:
        session.execute(sa.delete(EventRow).where(EventRow.service_id == service_id, EventRow.id <= last))


def record(session: Session, action: str, row: ServiceRow, *, by: Caller, **changes: Any) -> None:
    """Into the audit log."""
    audit.record(
        session, action, by=by, target_kind="service", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
