"""The caller's public keys, with which they come in over SSH."""

import asyncssh
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.me import get_own_row
from tidemill.devenv.schemas import SshKeyCreate, SshKeyView
from tidemill.devenv.tables import SshKeyRow
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from tidemill.kernel.fields import NAME_MAX
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

KEYS_MAX = 100
RSA_BITS_MIN = 2048
_KINDS = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-", "sk-ssh-ed25519@", "sk-ecdsa-sha2-")


def list_keys(session: Session, page: PageQuery, *, by: Caller) -> Page[SshKeyView]:
    statement = sa.select(SshKeyRow).where(SshKeyRow.user_id == by.user_id)
    if page.q:
        statement = statement.where(contains(sa.func.lower(SshKeyRow.name), page.q.lower()))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": SshKeyRow.name, "created_at": SshKeyRow.created_at},
        id_column=SshKeyRow.id,
        default_sort="-created_at",
        view=lambda rows: [key_view(row) for row in rows],
    )


def add_key(session: Session, body: SshKeyCreate, *, by: Caller) -> SshKeyRow:
    """Registers a public key. A limited token may not: the key could do more than the token."""
    if by.is_limited:
        raise Forbidden("token_beyond_caller")
    key = _read(body.public_key)
    user = get_own_row(session, by, lock=True)
    mine = sa.select(SshKeyRow).where(SshKeyRow.user_id == user.id)
    if (session.scalar(sa.select(sa.func.count()).select_from(mine.subquery())) or 0) >= KEYS_MAX:
        raise Conflict("ssh_key_limit", max=KEYS_MAX)
    if session.scalar(mine.where(SshKeyRow.fingerprint == key.get_fingerprint())):
        raise Conflict("ssh_key_known", field="public_key")
    row = SshKeyRow(
        id=new_id("ssk"),
        user_id=user.id,
        name=body.name or (key.get_comment() or key.get_fingerprint())[:NAME_MAX],
        public_key=key.export_public_key().decode("utf-8", "replace").strip(),
        fingerprint=key.get_fingerprint(),
        created_at=by.now,
    )
    session.add(row)
    session.flush()
    _record(session, "ssh_key.create", row, by)
    return row


def delete_key(session: Session, key: str, *, by: Caller) -> None:
    """Whoever is inside by this key is shown out."""
    if by.is_limited:
        raise Forbidden("token_beyond_caller")
    row = session.scalar(sa.select(SshKeyRow).where(SshKeyRow.id == key, SshKeyRow.user_id == by.user_id))
    if row is None:
        raise NotFound("ssh_key_not_found", id=key[:100])
    session.delete(row)
    _record(session, "ssh_key.delete", row, by)


def key_view(row: SshKeyRow) -> SshKeyView:
    return SshKeyView(
        id=row.id,
        name=row.name,
        algorithm=row.public_key.partition(" ")[0],
        fingerprint=row.fingerprint,
        public_key=row.public_key,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )


def _read(text: str) -> asyncssh.SSHKey:
    line = text.strip()
    if "\n" in line or not line.startswith(_KINDS):
        raise Invalid("ssh_key_invalid", field="public_key")
    try:
        key = asyncssh.import_public_key(line)
        size = getattr(getattr(key, "pyca_key", None), "key_size", RSA_BITS_MIN)
    except (asyncssh.KeyImportError, ValueError):
        raise Invalid("ssh_key_invalid", field="public_key") from None
    if line.startswith("ssh-rsa") and size < RSA_BITS_MIN:
        raise Invalid("ssh_key_weak", field="public_key", bits=RSA_BITS_MIN)
    return key


def _record(session: Session, action: str, row: SshKeyRow, by: Caller) -> None:
    told = {"name": row.name, "fingerprint": row.fingerprint}
    audit.record(
        session, action, by=by, target_kind="ssh_key", target_id=row.id, target_name=row.name, after=told
    )  # fmt: skip
