"""Keys of services over HTTP."""

from typing import Annotated

from fastapi import Path, Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession, never_replayed
from tidemill.serving import keys, lookup, routing
from tidemill.serving.routes.parameters import PREFIX, Reader, ServicePath, Writer
from tidemill.serving.schemas import KeyCreate, KeyCreated, KeyPatch, KeyView

router = Router(tags=["services"], prefix=PREFIX + "/{service}/keys")

KeyPath = Annotated[str, Path(max_length=200, description="A key's name or id")]


@router.get("")
def list_service_keys(service: ServicePath, page: Paging, caller: Reader, session: ReadSession) -> Page[KeyView]:
    return keys.list_keys(session, lookup.get_service(session, service, by=caller), page)


@router.post("", status_code=201)
@never_replayed
def create_service_key(
    service: ServicePath, body: KeyCreate, request: Request, caller: Writer, session: WriteSession
) -> KeyCreated:
    """A key that opens this service, at once; it is in this answer and never shown again."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    made = keys.create_key(session, row, body, by=caller)
    _spread(request, session, caller)
    return made


@router.patch("/{key}")
def update_service_key(
    service: ServicePath, key: KeyPath, body: KeyPatch, request: Request, caller: Writer, session: WriteSession
) -> KeyView:
    row = lookup.get_service(session, service, by=caller, lock=True)
    changed = keys.update_key(session, row, key, body, by=caller)
    _spread(request, session, caller)
    return changed


@router.delete("/{key}", status_code=204)
def delete_service_key(
    service: ServicePath, key: KeyPath, request: Request, caller: Writer, session: WriteSession
) -> None:
    """It opens nothing any more once this is answered."""
    row = lookup.get_service(session, service, by=caller, lock=True)
    keys.delete_key(session, row, key, by=caller)
    _spread(request, session, caller)


def _spread(request: Request, session: Session, by: Caller) -> None:
    """The gateway knows it before whoever asked for it does."""
    routing.spread(session, request.app.state.service_keys, by.now)
