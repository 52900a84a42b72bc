"""Leave to use one port of one workload, from the apps origin, which knows no sessions.

A *ticket* travels once, in an address, for less than a minute; it is exchanged for a *grant*, which lives in a cookie
that is sent to that port's path only. Both are signed with a key that never leaves this server. Neither says that
somebody may: `doors.rights` looks that up again and again for as long as a grant is used.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

TICKET_LIFETIME = timedelta(seconds=60)
GRANT_LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may reach what, as long as their session or token is good and they hold the permission."""

    user_id: str
    session_id: str | None
    token_id: str | None
    workload_id: str
    node: int
    port: int
    permission: str
    token_of: str | None = None
    """The program there was started with `Office.app_token` of this owner: the proxy shows it."""

    @property
    def path(self) -> str:
        return base_path(self.workload_id, self.node, self.port)


def base_path(workload_id: str, node: int, port: int) -> str:
    """Where on the apps origin a port is. What listens there must know that it is reached under this path."""
    return f"/w/{workload_id}/{node}/{port}/"


class Office:
    """Writes and checks tickets and grants. Used tickets are remembered for as long as they would be good."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, b"tidemill doors 1", hashlib.sha256)
        self._used: dict[str, datetime] = {}
        self._lock = threading.Lock()
        # What was used before a restart is not remembered, so tickets from then are not taken either.
        self._era = secrets.token_hex(8)

    def ticket(self, grant: Grant, *, now: datetime) -> str:
        """Good once, for less than a minute."""
        return self._write("ticket", [secrets.token_hex(12), self._era, asdict(grant)], now + TICKET_LIFETIME)

    def redeem(self, text: str, *, now: datetime) -> Grant | None:
        """The grant of a ticket nobody used yet."""
        found = self._read("ticket", text, now)
        if found is None or found[1] != self._era:
            return None
        with self._lock:
            self._used = {number: until for number, until in self._used.items() if until > now}
            if found[0] in self._used:
                return None
            self._used[found[0]] = now + TICKET_LIFETIME
        return Grant(**found[2])

    def seal(self, grant: Grant, *, now: datetime) -> str:
        """The grant as a cookie's value."""
        return self._write("grant", asdict(grant), now + GRANT_LIFETIME)

    def open(self, text: str, *, now: datetime) -> Grant | None:
        """The grant in a cookie's value, when we wrote it."""
        found = self._read("grant", text, now)
        return None if found is None else Grant(**found)

    def app_token(self, owner_id: str) -> str:
        """The secret that programs of this owner's workloads ask for, such as JupyterLab's token. Nobody types it."""
        return self._sign("app", owner_id.encode()).hex()

    def _write(self, kind: str, content: Any, until: datetime) -> str:
        body = json.dumps([int(until.timestamp()), content], separators=(",", ":")).encode()
        return f"{_encode(body)}.{_encode(self._sign(kind, body))}"

    def _read(self, kind: str, text: str, now: datetime) -> Any:
        try:
            body_text, _, mark_text = text.partition(".")
            body, mark = _decode(body_text), _decode(mark_text)
        except (ValueError, binascii.Error):
            return None
        if not hmac.compare_digest(mark, self._sign(kind, body)):
            return None
        until, content = json.loads(body)
        return None if datetime.fromtimestamp(until, UTC) <= now else content

    def _sign(self, kind: str, body: bytes) -> bytes:
        return hmac.digest(self._key, f"{kind}\n".encode() + body, hashlib.sha256)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
