"""One POST to an address somebody else chose: checked, pinned, signed, bounded in time, never redirected."""

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from tidemill import __version__
from tidemill.jobs.texts import Text, error_text, text
from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import Resolver, Target, check_url, resolve_host

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent, and where."""

    id: str
    url: str
    event: str
    payload: dict[str, Any]
    secret: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt. No error: the receiver took it."""

    status_code: int | None
    error: Text | None
    duration_ms: int


Send = Callable[[Letter, datetime], Outcome]


class Sender:
    """Sends letters. Safe to use from several threads."""

    def __init__(self, allow: Sequence[str], *, timeout_s: float = TIMEOUT_S, resolve: Resolver = resolve_host) -> None:
        self._allow = allow
        self._timeout_s = timeout_s
        self._resolve = resolve

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Made for the first receiver that has it: reading all certificates of the machine takes a while."""
        return ssl.create_default_context()

    def __call__(self, letter: Letter, now: datetime) -> Outcome:
        """Never raises for what the network or the receiver does."""
        started = time.monotonic()
        status, error = self._attempt(letter, now)
        return Outcome(status, error, round((time.monotonic() - started) * 1000))

    def _attempt(self, letter: Letter, now: datetime) -> tuple[int | None, Text | None]:
        try:
            target = check_url(letter.url, self._allow, resolve=self._resolve)
            status = self._post(target, letter, now)
        except Invalid as refused:
            return None, error_text(refused)
        except TimeoutError:
            return None, text("hook_timeout", seconds=round(self._timeout_s))
        except ssl.SSLError:
            return None, text("hook_tls")
        except ConnectionRefusedError:
            return None, text("hook_refused")
        except (OSError, http.client.HTTPException, ValueError):
            return None, text("hook_broken")
        if 300 <= status < 400:
            return status, text("hook_redirect", status=status)
        return status, None if 200 <= status < 300 else text("hook_status", status=status)

    def _post(self, target: Target, letter: Letter, now: datetime) -> int:
        body = json.dumps(letter.payload, ensure_ascii=False, separators=(",", ":")).encode()
        with self._connected(target) as connection:
            connection.request("POST", target.path or "/", body=body, headers=headers_for(letter, body, now))
            return connection.getresponse().status

    @contextmanager
    def _connected(self, target: Target) -> Iterator[http.client.HTTPConnection]:
        """A connection to the address that was checked, which the name cannot change any more."""
        deadline = _Deadline(self._timeout_s)
        connection = http.client.HTTPConnection(target.host, target.port, timeout=self._timeout_s)
        try:
            plain = socket.create_connection((target.ip, target.port), self._timeout_s)
            deadline.watch(plain)
            connection.sock = (
                self._tls.wrap_socket(plain, server_hostname=target.host) if target.scheme == "https" else plain
            )
            deadline.watch(connection.sock)
            yield connection
            if deadline.has_passed:
                # What was shut down half-way can look like the end of an answer.
                raise TimeoutError
        except OSError as error:
            raise (TimeoutError() if deadline.has_passed else error) from None
        except (http.client.HTTPException, ValueError):
            if deadline.has_passed:
                raise TimeoutError from None
            raise
        finally:
            deadline.cancel()
            connection.close()


class _Deadline:
    """Shuts the socket down when the time is up. A socket's own timeout begins anew with every byte received."""

    def __init__(self, timeout_s: float) -> None:
        self.has_passed = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(timeout_s, self._strike)
        self._timer.daemon = True
        self._timer.start()

    def watch(self, sock: socket.socket) -> None:
        self._socket = sock
        if self.has_passed:
            self._strike()

    def cancel(self) -> None:
        self._timer.cancel()

    def _strike(self) -> None:
        self.has_passed = True
        if self._socket is None:
            return
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            # Already closed by either side: there is nothing left to end.
            return


def headers_for(letter: Letter, body: bytes, now: datetime) -> dict[str, str]:
    """What goes with the body; signed when the webhook has a secret."""
    timestamp = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": f"Tidemill/{__version__}",
        "Connection": "close",
        "X-Tidemill-Event": letter.event,
        "X-Tidemill-Delivery": letter.id,
        "X-Tidemill-Timestamp": timestamp,
    }
    if letter.secret:
        headers["X-Tidemill-Signature"] = sign(letter.secret, timestamp, body)
    return headers


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over the timestamp, a dot and the body: an old message cannot be passed off as a new one."""
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"
