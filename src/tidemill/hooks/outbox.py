"""From the audit log to deliveries, in the transaction that makes the change.

Whatever is committed has its deliveries waiting; whatever is rolled back has none. There is no log to read behind the
writers, and so nothing to read twice or to miss.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import object_session

from tidemill.accounts.tables import AuditRow, ProjectRow
from tidemill.hooks.patterns import matches
from tidemill.hooks.tables import DeliveryRow, WebhookRow
from tidemill.kernel.db import announce
from tidemill.kernel.ids import new_id

TOPIC = "webhooks"
GIVE_UP_AFTER = timedelta(hours=24)


def install() -> None:
    """From now on every row of the audit log is offered to the webhooks of its project."""
    if not event.contains(AuditRow, "after_insert", _offer):
        event.listen(AuditRow, "after_insert", _offer)


def new_delivery(webhook_id: str, name: str, *, at: datetime, project: str, actor: str, **rest: Any) -> dict[str, Any]:
    """The columns of a delivery that is due now."""
    delivery_id = new_id("dlv")
    return {
        "id": delivery_id,
        "webhook_id": webhook_id,
        "event": name,
        "payload": {
            "id": delivery_id,
            "event": name,
            "at": at.isoformat().replace("+00:00", "Z"),
            "project": project,
            "actor": actor,
            **rest,
        },
        "state": "waiting",
        "attempts": 0,
        "next_at": at,
        "give_up_at": at + GIVE_UP_AFTER,
        "created_at": at,
        "created_by": actor,
    }


def _offer(_mapper: Any, connection: sa.Connection, row: AuditRow) -> None:
    if row.project_id is None:
        return
    hooks = connection.execute(
        sa.select(WebhookRow.id, WebhookRow.events, ProjectRow.name)
        .join(ProjectRow, ProjectRow.id == WebhookRow.project_id)
        .where(WebhookRow.project_id == row.project_id, WebhookRow.is_enabled)
    ).all()
    due = [_delivery(hook_id, project, row) for hook_id, events, project in hooks if matches(events, row.action)]
    if not due:
        return
    connection.execute(sa.insert(DeliveryRow), due)
    if session := object_session(row):
        announce(session, TOPIC)


def _delivery(hook_id: str, project: str, row: AuditRow) -> dict[str, Any]:
    target = {"kind": row.target_kind, "id": row.target_id, "name": row.target_name}
    rest = {} if row.after is None else {"after": row.after}
    return new_delivery(hook_id, row.action, at=row.at, project=project, actor=row.actor, target=target, **rest)
