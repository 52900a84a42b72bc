"""Services are changed, stopped, started, deleted."""

from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import text
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.fields import name_key
from tidemill.serving.creating import rules_of
from tidemill.serving.events import ask, record, tell
from tidemill.serving.schemas import ServicePatch
from tidemill.serving.tables import ServiceRow, TrackRow

_PLAIN = ("description", "access", "body_max_bytes", "timeout_s")
_NULLABLE = ("rate_per_s", "retry_posts")


def update_service(session: Session, row: ServiceRow, body: ServicePatch, *, by: Caller) -> None:
    """Changes what was named; callers notice within a second, and nothing is started anew."""
    before = told(row)
    given = body.model_fields_set
    for field in _PLAIN:
        if (value := getattr(body, field)) is not None:
            setattr(row, field, value)
    for field in _NULLABLE:
        if field in given:
            setattr(row, field, getattr(body, field))
    if body.cors is not None:
        row.cors = list(body.cors)
    if body.alerts is not None:
        row.alert_rules = rules_of(body.alerts)
    if "rollback" in given:
        row.rollback_rule = body.rollback.model_dump() if body.rollback else None
    ask(session, row, by.now)
    record(session, "service.update", row, by=by, before=before, after=told(row))


def stop_service(session: Session, row: ServiceRow, *, by: Caller) -> None:
    """No replica is to run; raises Conflict where that is so already."""
    if row.is_stopped:
        raise Conflict("service_stopped", name=row.name)
    row.is_stopped, row.state, row.reason = True, "stopping", None
    ask(session, row, by.now)
    tell(session, row.id, "stopped", text("service_event_stopped"), now=by.now, by=by.user_name)
    record(session, "service.stop", row, by=by)


def start_service(session: Session, row: ServiceRow, *, by: Caller) -> None:
    """Replicas are to run again; also what has given up tries anew at once."""
    if row.is_stopped:
        row.is_stopped, row.state, row.reason = False, "starting", None
    for track in session.query(TrackRow).where(TrackRow.service_id == row.id):
        forgive(track)
    ask(session, row, by.now)
    tell(session, row.id, "started", text("service_event_started"), now=by.now, by=by.user_name)
    record(session, "service.start", row, by=by)


def delete_service(session: Session, row: ServiceRow, *, confirm: str, by: Caller) -> None:
    """Gone for everybody at once; its replicas end when they have answered."""
    if name_key(confirm) != row.name_key:
        raise Invalid("service_confirm", field="confirm", name=row.name)
    row.deleted_at = by.now
    ask(session, row, by.now)
    record(session, "service.delete", row, by=by, before=told(row))


def forgive(track: TrackRow) -> None:
    """What failed before does not hold it up any more."""
    track.failures, track.retry_at, track.failure = 0, None, None


def told(row: ServiceRow) -> dict[str, Any]:
    """What the audit log shows of it."""
    return {
        "name": row.name,
        "access": row.access,
        "cors": list(row.cors),
        "body_max_bytes": row.body_max_bytes,
        "timeout_s": row.timeout_s,
        "rate_per_s": row.rate_per_s,
        "alerts": len(row.alert_rules),
        "rollback": row.rollback_rule,
    }
