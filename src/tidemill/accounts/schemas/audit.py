"""The audit log on the wire."""

from datetime import datetime
from typing import Any, Literal

from tidemill.kernel.fields import View


class AuditView(View):
    id: str
    name: str
    at: datetime
    actor: str
    actor_kind: Literal["session", "token", "system"]
    address: str
    project: str | None
    action: str
    target_kind: str
    target_id: str
    target_name: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    request_id: str
    created_at: datetime
    created_by: str
