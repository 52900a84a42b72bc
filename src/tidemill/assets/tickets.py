"""Tickets: leave to read one file from the apps origin, for a short while, without a session.

A ticket says which file of which version, and until when, and is signed with a key that never leaves this server. The
apps origin knows no sessions, so that what is shown there can never act as the user.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tidemill.store.backends import DIGEST

LIFETIME = timedelta(minutes=15)
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Ticket:
    """What may be read."""

    version_id: str
    path: str
    digest: str
    size_bytes: int
    expires_at: int
    """Seconds since 1970, to keep it short."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class TicketOffice:
    """Writes and checks tickets."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def issue(self, *, version_id: str, path: str, digest: str, size_bytes: int, now: datetime) -> tuple[str, datetime]:
        """A ticket and when it ends."""
        expires_at = (now + LIFETIME).replace(microsecond=0)
        ticket = Ticket(version_id, path, digest, size_bytes, int(expires_at.timestamp()))
        body = json.dumps(list(asdict(ticket).values()), ensure_ascii=False, separators=(",", ":")).encode()
        return f"{_encode(body)}.{_encode(self._sign(body))}", expires_at

    def find(self, text: str, *, now: datetime) -> Ticket | None:
        """The ticket, when we wrote it and its time is not over."""
        try:
            body_text, _, mark_text = text.partition(".")
            body, mark = _decode(body_text), _decode(mark_text)
        except (ValueError, binascii.Error):
            return None
        if not hmac.compare_digest(mark, self._sign(body)):
            return None
        ticket = Ticket(*json.loads(body))
        is_over = datetime.fromtimestamp(ticket.expires_at, UTC) <= now
        return None if is_over or DIGEST.fullmatch(ticket.digest) is None else ticket

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._key, b"tidemill ticket 1\n" + body, hashlib.sha256)


def load_key(home: Path) -> bytes:
    """The key of this home, made at the first start, readable by its owner only."""
    file = home / "keys" / "tickets"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not file.exists():
        _make_key(file)
    return file.read_bytes()


def _make_key(file: Path) -> None:
    """Whole or not at all: written aside, then given its name unless another process was first."""
    aside = file.with_name(f"tickets.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, secrets.token_bytes(_KEY_BYTES))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(aside, file)
    except FileExistsError:
        return
    finally:
        aside.unlink()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
