"""Webhooks of a project: made, changed, tried out; their deliveries listed and sent again."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.hooks.outbox import GIVE_UP_AFTER, TOPIC, new_delivery
from tidemill.hooks.schemas import DeliveryState, DeliveryView, WebhookCreate, WebhookPatch, WebhookView
from tidemill.hooks.tables import DeliveryRow, WebhookRow
from tidemill.jobs.texts import say, text
from tidemill.kernel.db import announce, contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.outbound import check_url
from tidemill.kernel.paging import Page, PageQuery, fetch_page

WEBHOOKS_MAX = 50


def refuse_forbidden_address(url: str, allow: Sequence[str]) -> None:
    """Says at once what would fail later. A name that is not known right now may be known by then."""
    try:
        check_url(url, allow)
    except Invalid as refused:
        if refused.code != "address_unresolved":
            raise


def list_webhooks(session: Session, page: PageQuery, *, by: Caller) -> Page[WebhookView]:
    statement = sa.select(WebhookRow).where(WebhookRow.project_id == by.project.id)
    if page.q:
        statement = statement.where(contains(WebhookRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": WebhookRow.name_key, "created_at": WebhookRow.created_at},
        id_column=WebhookRow.id,
        default_sort="name",
        view=lambda rows: [webhook_view(row) for row in rows],
    )


def get_webhook(session: Session, name_or_id: str, *, by: Caller) -> WebhookRow:
    """A webhook of the project of this call."""
    by_id = looks_like_id(name_or_id, "whk")
    match = WebhookRow.id == name_or_id if by_id else WebhookRow.name_key == name_key(name_or_id)
    row = session.scalar(sa.select(WebhookRow).where(WebhookRow.project_id == by.project.id, match))
    if row is None:
        raise NotFound("webhook_not_found", name=name_or_id[:100])
    return row


def create_webhook(session: Session, body: WebhookCreate, *, by: Caller) -> WebhookRow:
    _refuse_taken_name(session, body.name, by=by)
    _refuse_too_many(session, by=by)
    row = WebhookRow(
        id=new_id("whk"),
        project_id=by.project.id,
        name=body.name,
        name_key=name_key(body.name),
        url=body.url,
        events=_distinct(body.events),
        secret=body.secret,
        is_enabled=body.enabled,
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    _audit(session, "webhook.create", row, by=by, after=_told(row))
    return row


def update_webhook(session: Session, row: WebhookRow, body: WebhookPatch, *, by: Caller) -> None:
    """Changes what was named."""
    before = _told(row)
    given = body.model_fields_set
    if body.name is not None and name_key(body.name) != row.name_key:
        _refuse_taken_name(session, body.name, by=by)
    if body.name is not None:
        row.name, row.name_key = body.name, name_key(body.name)
    if body.url is not None:
        row.url, row.paused_until = body.url, None
    if body.events is not None:
        row.events = _distinct(body.events)
    if "secret" in given:
        row.secret = body.secret
    if body.enabled is not None:
        row.is_enabled = body.enabled
    row.updated_at = by.now
    if not row.is_enabled:
        _drop_waiting(session, row, by=by)
    session.flush()
    _audit(session, "webhook.update", row, by=by, before=before, after=_told(row))


def delete_webhook(session: Session, row: WebhookRow, *, by: Caller) -> None:
    """Removes the webhook with all its deliveries."""
    before = _told(row)
    session.execute(sa.delete(DeliveryRow).where(DeliveryRow.webhook_id == row.id))
    session.delete(row)
    session.flush()
    _audit(session, "webhook.delete", row, by=by, before=before)


def add_ping(session: Session, row: WebhookRow, *, by: Caller) -> str:
    """A delivery that only says hello; its id."""
    target = {"kind": "webhook", "id": row.id, "name": row.name}
    values = new_delivery(row.id, "ping", at=by.now, project=by.project.name, actor=by.user_name, target=target)
    session.execute(sa.insert(DeliveryRow), [values | {"give_up_at": by.now}])
    _audit(session, "webhook.test", row, by=by)
    return str(values["id"])


def list_deliveries(
    session: Session, page: PageQuery, webhook: str, *, state: DeliveryState | None, by: Caller
) -> Page[DeliveryView]:
    """Newest first."""
    row = get_webhook(session, webhook, by=by)
    statement = sa.select(DeliveryRow).where(DeliveryRow.webhook_id == row.id)
    if state:
        statement = statement.where(DeliveryRow.state == state)
    if page.q:
        statement = statement.where(contains(DeliveryRow.event, page.q.lower()))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"id": DeliveryRow.id, "created_at": DeliveryRow.created_at},
        id_column=DeliveryRow.id,
        default_sort="-id",
        view=lambda rows: [delivery_view(found, by.language) for found in rows],
    )


def get_delivery(session: Session, webhook: str, delivery_id: str, *, by: Caller) -> DeliveryRow:
    hook = get_webhook(session, webhook, by=by)
    row = session.get(DeliveryRow, delivery_id)
    if row is None or row.webhook_id != hook.id:
        raise NotFound("delivery_not_found", id=delivery_id[:100])
    return row


def retry_delivery(session: Session, webhook: str, delivery_id: str, *, by: Caller) -> DeliveryRow:
    """Sends it once more, now, whatever became of it; the receiver knows it by its id."""
    hook = get_webhook(session, webhook, by=by)
    row = get_delivery(session, webhook, delivery_id, by=by)
    if not hook.is_enabled:
        raise Conflict("webhook_disabled", name=hook.name)
    row.state, row.attempts, row.next_at, row.finished_at = "waiting", 0, by.now, None
    row.give_up_at = by.now + GIVE_UP_AFTER
    hook.paused_until = None
    _audit(session, "webhook.retry", hook, by=by, after={"delivery": row.id, "event": row.event})
    announce(session, TOPIC)
    return row


def webhook_view(row: WebhookRow) -> WebhookView:
    return WebhookView(
        id=row.id,
        name=row.name,
        url=row.url,
        events=row.events,
        has_secret=row.secret is not None,
        enabled=row.is_enabled,
        last_state=row.last_state,
        last_at=row.last_at,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def delivery_view(row: DeliveryRow, language: Language) -> DeliveryView:
    return DeliveryView(
        id=row.id,
        name=row.event,
        event=row.event,
        state=row.state,
        attempts=row.attempts,
        next_at=row.next_at if row.state == "waiting" else None,
        status_code=row.status_code,
        error=say(row.error, language) if row.error else None,
        duration_ms=row.duration_ms,
        payload=row.payload,
        created_at=row.created_at,
        created_by=row.created_by,
        finished_at=row.finished_at,
    )


def _refuse_taken_name(session: Session, name: str, *, by: Caller) -> None:
    taken = sa.select(WebhookRow.id).where(
        WebhookRow.project_id == by.project.id, WebhookRow.name_key == name_key(name)
    )
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


def _refuse_too_many(session: Session, *, by: Caller) -> None:
    there = sa.select(sa.func.count()).select_from(WebhookRow).where(WebhookRow.project_id == by.project.id)
    if (session.scalar(there) or 0) >= WEBHOOKS_MAX:
        raise Conflict("webhook_limit", max=WEBHOOKS_MAX)


def _drop_waiting(session: Session, row: WebhookRow, *, by: Caller) -> None:
    """A webhook that is turned off sends nothing more, not even what is on its way."""
    session.execute(
        sa.update(DeliveryRow)
        .where(DeliveryRow.webhook_id == row.id, DeliveryRow.state == "waiting")
        .values(state="failed", error=text("webhook_disabled", name=row.name), finished_at=by.now)
    )


def _distinct(events: list[str]) -> list[str]:
    return list(dict.fromkeys(events))


def _told(row: WebhookRow) -> dict[str, Any]:
    """For the audit log: an address may carry a secret in its path, so only its beginning is told."""
    scheme, _, rest = row.url.partition("://")
    return {
        "name": row.name,
        "address": f"{scheme}://{rest.partition('/')[0].partition('?')[0]}",
        "events": row.events,
        "has_secret": row.secret is not None,
        "enabled": row.is_enabled,
    }


def _audit(session: Session, action: str, row: WebhookRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="webhook", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
