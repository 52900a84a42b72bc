"""Webhooks over HTTP."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.hooks import service
from tidemill.hooks.delivery import Deliverer
from tidemill.hooks.schemas import DeliveryState, DeliveryView, WebhookCreate, WebhookPatch, WebhookView
from tidemill.hooks.tables import DeliveryRow
from tidemill.kernel.db import Database
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(tags=["webhooks"], prefix="/projects/{project}/webhooks")

WebhookPath = Annotated[str, Path(description="A webhook's name or id", max_length=200)]
DeliveryPath = Annotated[str, Path(description="A delivery's id", max_length=200)]
Reader = Annotated[Caller, needs("webhook.read")]
Writer = Annotated[Caller, needs("webhook.write")]


def _address_is_allowed(request: Request, body: WebhookCreate | WebhookPatch) -> None:
    if body.url is not None:
        service.refuse_forbidden_address(body.url, request.app.state.settings.outbound_allow)


def _new_address(request: Request, body: WebhookCreate, caller: Writer) -> Caller:
    """Asks the name service before the transaction begins."""
    _address_is_allowed(request, body)
    return caller


def _changed_address(request: Request, body: WebhookPatch, caller: Writer) -> Caller:
    """Asks the name service before the transaction begins."""
    _address_is_allowed(request, body)
    return caller


@router.get("")
def list_webhooks(page: Paging, caller: Reader, session: ReadSession) -> Page[WebhookView]:
    return service.list_webhooks(session, page, by=caller)


@router.post("", status_code=201)
def create_webhook(
    body: WebhookCreate,
    caller: Annotated[Caller, Depends(_new_address)],
    session: WriteSession,
) -> WebhookView:
    return service.webhook_view(service.create_webhook(session, body, by=caller))


@router.get("/{webhook}")
def get_webhook(webhook: WebhookPath, caller: Reader, session: ReadSession) -> WebhookView:
    return service.webhook_view(service.get_webhook(session, webhook, by=caller))


@router.patch("/{webhook}")
def update_webhook(
    webhook: WebhookPath,
    body: WebhookPatch,
    caller: Annotated[Caller, Depends(_changed_address)],
    session: WriteSession,
) -> WebhookView:
    row = service.get_webhook(session, webhook, by=caller)
    service.update_webhook(session, row, body, by=caller)
    return service.webhook_view(row)


@router.delete("/{webhook}", status_code=204)
def delete_webhook(webhook: WebhookPath, caller: Writer, session: WriteSession) -> None:
    service.delete_webhook(session, service.get_webhook(session, webhook, by=caller), by=caller)


@router.post("/{webhook}/test")
def test_webhook(webhook: WebhookPath, caller: Writer, request: Request) -> DeliveryView:
    """Sends a `ping` now and says what came of it; it is not tried again."""
    db: Database = request.app.state.db
    deliverer: Deliverer = request.app.state.webhook_deliverer
    with db.write() as session:
        delivery_id = service.add_ping(session, service.get_webhook(session, webhook, by=caller), by=caller)
    deliverer.deliver(delivery_id)
    with db.read() as session:
        return service.delivery_view(session.get_one(DeliveryRow, delivery_id), caller.language)


@router.get("/{webhook}/deliveries")
def list_webhook_deliveries(
    webhook: WebhookPath,
    page: Paging,
    caller: Reader,
    session: ReadSession,
    state: Annotated[DeliveryState | None, Query(description="Only deliveries in this state")] = None,
) -> Page[DeliveryView]:
    return service.list_deliveries(session, page, webhook, state=state, by=caller)


@router.post("/{webhook}/deliveries/{delivery}/retry")
def retry_webhook_delivery(
    webhook: WebhookPath,
    delivery: DeliveryPath,
    caller: Writer,
    session: WriteSession,
) -> DeliveryView:
    return service.delivery_view(service.retry_delivery(session, webhook, delivery, by=caller), caller.language)
