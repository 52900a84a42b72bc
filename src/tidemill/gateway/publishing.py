"""Writing the routing table that the gateway follows."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.gateway.schemas import RoutingTable
from tidemill.gateway.tables import THE_ROW, GatewayTableRow
from tidemill.kernel.db import announce, take_turn

TOPIC = "gateway"
"""Announced with every new revision: a good moment to `Control.nudge` the gateway."""
TURN = "gateway_table"
"""Whoever publishes takes it, best before the table is put together: then a later one holds all that an earlier did."""


def publish(session: Session, table: RoutingTable, now: datetime) -> int:
    """Makes this the table that is served; its revision, which is a new one only when the content changed."""
    take_turn(session, TURN)
    content = _plain(table.to_json())
    row = session.scalar(sa.select(GatewayTableRow).where(GatewayTableRow.id == THE_ROW).with_for_update())
    if row is not None and row.content == content:
        return row.revision
    if row is None:
        row = GatewayTableRow(id=THE_ROW, revision=0)
        session.add(row)
    row.revision += 1
    row.content = content
    row.written_at = now
    session.flush()
    announce(session, TOPIC)
    return row.revision


def find_published(session: Session) -> tuple[int, RoutingTable]:
    """The revision that is served and its table; 0 and an empty one before the first."""
    row = session.get(GatewayTableRow, THE_ROW)
    return (0, RoutingTable()) if row is None else (row.revision, RoutingTable.from_json(row.content))


def _plain(value: Any) -> Any:
    """Tuples become lists, as they do in the database."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
