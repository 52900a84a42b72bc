"""The one function that moves a replica: only if it still is where it was seen."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Base
from tidemill.serving.states import MOVES, ReplicaState
from tidemill.serving.tables import ReplicaRow

_TABLE = Base.metadata.tables[ReplicaRow.__tablename__]


class IllegalMove(Exception):
    """Code asked for a move that is not in the table."""


def move(
    session: Session, replica_id: str, from_state: ReplicaState, to: ReplicaState, *, now: datetime, **values: Any
) -> bool:
    """Moves the replica if it still is in `from_state`; whether it did."""
    if to not in MOVES[from_state]:
        raise IllegalMove(f"{from_state} → {to}")
    moved = session.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.id == replica_id, _TABLE.c.state == from_state)
        .values({"state": to} | _stamps(to, now) | values)
    )
    return bool(getattr(moved, "rowcount", 0))


def _stamps(to: ReplicaState, now: datetime) -> dict[str, Any]:
    if to == "ready":
        return {"ready_at": sa.func.coalesce(_TABLE.c.ready_at, sa.bindparam(None, now, _TABLE.c.ready_at.type)),
                "unwell_since": None, "reason": None}  # fmt: skip
    if to == "draining":
        return {"draining_at": now, "drain_revision": None}
    if to == "ended":
        return {"ended_at": now}
    return {}
