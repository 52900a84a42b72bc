"""Keys of services: made, shown once, renamed, limited, deleted."""

import hashlib
import secrets

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.serving.events import ask, record
from tidemill.serving.schemas import KeyCreate, KeyCreated, KeyPatch, KeyView
from tidemill.serving.tables import KeyRow, ServiceRow

BEGINS = "tms_"
SHOWN = 8
KEYS_MAX = 200
"""Of one service."""


def list_keys(session: Session, row: ServiceRow, page: PageQuery) -> Page[KeyView]:
    statement = sa.select(KeyRow).where(KeyRow.service_id == row.id)
    if page.q:
        statement = statement.where(sa.func.lower(KeyRow.name).contains(page.q.lower(), autoescape=True))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": KeyRow.name, "created_at": KeyRow.created_at},
        id_column=KeyRow.id,
        default_sort="-created_at",
        view=lambda rows: [KeyView.model_validate(one) for one in rows],
    )


def create_key(session: Session, row: ServiceRow, body: KeyCreate, *, by: Caller) -> KeyCreated:
    """A new key with its secret, which is not kept."""
    _refuse_taken(session, row, body.name)
    if len(session.scalars(sa.select(KeyRow.id).where(KeyRow.service_id == row.id)).all()) >= KEYS_MAX:
        raise Conflict("service_key_limit", max=KEYS_MAX)
    secret = BEGINS + secrets.token_urlsafe(32)
    key = KeyRow(
        id=new_id("key"),
        service_id=row.id,
        name=body.name,
        prefix=secret[: len(BEGINS) + SHOWN],
        sha256=hashed(secret),
        rate_per_s=body.rate_per_s,
        created_at=by.now,
        created_by=by.user_name,
    )
    session.add(key)
    ask(session, row, by.now)
    record(session, "service.key_create", row, by=by, after={"key": body.name, "rate_per_s": body.rate_per_s})
    session.flush()
    return KeyCreated(**KeyView.model_validate(key).model_dump(), key=secret)


def update_key(session: Session, row: ServiceRow, name_or_id: str, body: KeyPatch, *, by: Caller) -> KeyView:
    key = _get_key(session, row, name_or_id)
    before = {"key": key.name, "rate_per_s": key.rate_per_s}
    if body.name is not None and body.name != key.name:
        _refuse_taken(session, row, body.name)
        key.name = body.name
    if "rate_per_s" in body.model_fields_set:
        key.rate_per_s = body.rate_per_s
    ask(session, row, by.now)
    after = {"key": key.name, "rate_per_s": key.rate_per_s}
    record(session, "service.key_update", row, by=by, before=before, after=after)
    return KeyView.model_validate(key)


def delete_key(session: Session, row: ServiceRow, name_or_id: str, *, by: Caller) -> None:
    key = _get_key(session, row, name_or_id)
    session.delete(key)
    ask(session, row, by.now)
    record(session, "service.key_delete", row, by=by, before={"key": key.name})


def hashed(secret: str) -> str:
    """What we keep of a key: it is random and long, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _get_key(session: Session, row: ServiceRow, name_or_id: str) -> KeyRow:
    match = KeyRow.id == name_or_id if looks_like_id(name_or_id, "key") else KeyRow.name == name_or_id
    key = session.scalar(sa.select(KeyRow).where(KeyRow.service_id == row.id, match))
    if key is None:
        raise NotFound("service_key_not_found", name=name_or_id[:100])
    return key


def _refuse_taken(session: Session, row: ServiceRow, name: str) -> None:
    if session.scalar(sa.select(KeyRow.id).where(KeyRow.service_id == row.id, KeyRow.name == name)):
        raise Conflict("name_taken", field="name", name=name)
