"""The gateway's own answers: errors in the one envelope, in the caller's language; preflights; health."""

import math
from http import HTTPStatus
from typing import Any

import orjson

from tidemill.kernel import i18n

EXPOSED = b"X-Request-Id, X-Tidemill-Version, X-Tidemill-Replica, Retry-After"
_PREFLIGHT_AGE_S = 600


class Refusal(Exception):
    """Why a request is not carried: a status, a code with words, and what the words need."""

    def __init__(self, status: int, code: str, *, retry_after_s: float | None = None, **params: Any) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.params = params
        self.retry_after_s = None if retry_after_s is None else max(1, math.ceil(retry_after_s))

    def words(self, accept_language: bytes | None) -> str:
        """The message alone."""
        return i18n.message(self.code, _language(accept_language), **self._all_params())

    def body(self, accept_language: bytes | None, request_id: str) -> tuple[bytes, i18n.Language]:
        """The envelope, and the language of its words."""
        language = _language(accept_language)
        params = self._all_params()
        error = {"code": self.code, "message": i18n.message(self.code, language, **params), "request_id": request_id}
        if hint := i18n.find_hint(self.code, language, **params):
            error["hint"] = hint
        return orjson.dumps({"error": error}), language

    def _all_params(self) -> dict[str, Any]:
        more = {} if self.retry_after_s is None else {"retry_after_s": self.retry_after_s}
        return {**self.params, **more}

    def headers(self) -> list[bytes]:
        found = []
        if self.retry_after_s is not None:
            found.append(b"Retry-After: %d\r\n" % self.retry_after_s)
        if self.status == 401:
            found.append(b'WWW-Authenticate: Bearer realm="tidemill"\r\n')
        return found


def status_line(status: int, reason: bytes = b"") -> bytes:
    """The first line of an answer."""
    if not reason:
        try:
            reason = HTTPStatus(status).phrase.encode()
        except ValueError:
            reason = b""
    return b"HTTP/1.1 %d %b\r\n" % (status, reason)


def cors_headers(allowed: frozenset[bytes], origin: bytes | None) -> bytes:
    """What lets a page of that origin read the answer; nothing where the service's list does not have it."""
    if not allowed:
        return b""
    if origin is None or not (b"*" in allowed or origin in allowed):
        return b"Vary: Origin\r\n"
    # Keys are sent in headers, never as cookies, so credentials are not allowed to come along.
    return b"Access-Control-Allow-Origin: %b\r\nAccess-Control-Expose-Headers: %b\r\nVary: Origin\r\n" % (
        origin,
        EXPOSED,
    )


def preflight_headers(headers: list[tuple[bytes, bytes]]) -> bytes:
    """The answer to a page that asks before it calls."""
    asked = next((value for name, value in headers if name.lower() == b"access-control-request-headers"), b"")
    return (
        b"Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n"
        b"Access-Control-Allow-Headers: %b\r\nAccess-Control-Max-Age: %d\r\n"
        % (asked or b"Authorization, Content-Type, X-API-Key, X-Request-Id", _PREFLIGHT_AGE_S)
    )


def _language(accept_language: bytes | None) -> i18n.Language:
    return i18n.pick_language((accept_language or b"").decode("latin-1"))
