"""The audit log: one row a change, written in the transaction that makes the change."""

from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import AuditRow
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id


def record(
    session: Session,
    action: str,
    *,
    by: Caller,
    target_kind: str,
    target_id: str,
    target_name: str,
    project_id: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Writes down one change. `action` is `thing.verb`, as in `algorithm.create`; no secret in before or after."""
    session.add(
        AuditRow(
            id=new_id("aud"),
            at=by.now,
            actor_id=by.user_id,
            actor=by.user_name,
            actor_kind=by.kind,
            address=by.address,
            request_id=by.request_id,
            project_id=project_id if project_id is not None or by.project_ref is None else by.project_ref.id,
            action=action,
            target_kind=target_kind,
            target_id=target_id,
            target_name=target_name,
            before=before,
            after=after,
            search_key=name_key(f"{by.user_name}\n{action}\n{target_name}"),
        )
    )
