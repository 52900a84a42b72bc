"""Headers: what we read of a request's, what of them a replica gets to see, and what of its answer a caller does.

A replica's answers come from a host that the web application shares (another port is another origin, but the same host
to cookies, HSTS and the like), so whatever acts on a whole host is taken out.
"""

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

Pairs = list[tuple[bytes, bytes]]

OUR_COOKIES = b"tidemill"
"""Cookies whose names begin so are the web application's: replicas neither see nor set them."""
OUR_SECRETS = (b"tms_", b"tm_")

_HOP_BY_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
})  # fmt: skip
_DROPPED, _CONNECTION, _UPGRADE, _ENCODING, _LENGTH, _EXPECT, _HOST, _AUTHORIZATION, _KEY, _COOKIE = range(10)
_REQUEST_ID, _STICKY, _ORIGIN, _LANGUAGE, _IDEMPOTENCY, _PREFLIGHT, _FORWARDED_FOR, _FORWARDED_PROTO = range(10, 18)
_OF_REQUESTS = {
    **dict.fromkeys(_HOP_BY_HOP, _DROPPED),
    b"connection": _CONNECTION,
    b"upgrade": _UPGRADE,
    b"transfer-encoding": _ENCODING,
    b"content-length": _LENGTH,
    b"expect": _EXPECT,
    b"host": _HOST,
    b"authorization": _AUTHORIZATION,
    b"x-api-key": _KEY,
    b"cookie": _COOKIE,
    b"x-request-id": _REQUEST_ID,
    b"x-tidemill-sticky": _STICKY,
    b"origin": _ORIGIN,
    b"accept-language": _LANGUAGE,
    b"idempotency-key": _IDEMPOTENCY,
    b"access-control-request-method": _PREFLIGHT,
    b"x-forwarded-for": _FORWARDED_FOR,
    b"x-forwarded-proto": _FORWARDED_PROTO,
    **dict.fromkeys((b"forwarded", b"x-forwarded-host", b"x-forwarded-prefix", b"x-real-ip", b"x-tidemill"), _DROPPED),
}
_ORDINARY_TOKENS = frozenset({b"keep-alive", b"close", b"upgrade", b""})
_NOT_FOR_CALLERS = _HOP_BY_HOP | {
    b"alt-svc", b"clear-site-data", b"nel", b"public-key-pins", b"report-to", b"reporting-endpoints",
    b"service-worker-allowed", b"strict-transport-security", b"x-request-id", b"x-tidemill-version",
    b"x-tidemill-replica", b"access-control-allow-origin", b"access-control-allow-credentials",
    b"access-control-expose-headers", b"access-control-allow-methods", b"access-control-allow-headers",
    b"access-control-max-age",
}  # fmt: skip
_SET_COOKIE, _CONTENT_LENGTH = 1, 2
_OF_ANSWERS = {**dict.fromkeys(_NOT_FOR_CALLERS, 0), b"set-cookie": _SET_COOKIE, b"content-length": _CONTENT_LENGTH}


class BadRequest(Exception):
    """Headers that contradict each other, or that we do not take."""


class Asked:
    """What a request's headers say, and those of them that go on to a replica."""

    __slots__ = (
        "authorization", "cookies", "expects", "forwarded_for", "forwarded_proto", "has_idempotency_key",
        "is_chunked", "key", "language", "length", "named", "origin", "parts", "preflight", "request_id", "sticky",
        "upgrade",
    )  # fmt: skip

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.authorization = self.key = self.origin = self.language = self.sticky = self.request_id = None
        self.upgrade = self.preflight = self.forwarded_for = self.forwarded_proto = self.length = self.named = None
        self.is_chunked = self.expects = self.has_idempotency_key = False

    authorization: bytes | None
    key: bytes | None
    origin: bytes | None
    language: bytes | None
    sticky: bytes | None
    request_id: bytes | None
    upgrade: bytes | None
    preflight: bytes | None
    forwarded_for: bytes | None
    forwarded_proto: bytes | None
    length: int | None
    named: frozenset[bytes] | None
    """Headers that the Connection header names: they are for us alone."""

    @property
    def secret(self) -> bytes | None:
        """The key or token that was sent."""
        if self.key is not None:
            return self.key.strip()
        if self.authorization is not None:
            scheme, _, secret = self.authorization.partition(b" ")
            return secret.strip() if scheme.lower() == b"bearer" else b""
        return None

    def pass_foreign_secrets(self) -> None:
        """Lets the replica see credentials that are not ours: an open service may have a door of its own."""
        secret = self.secret
        if secret is None or secret.startswith(OUR_SECRETS):
            return
        if self.authorization is not None:
            self.parts += (b"Authorization: ", self.authorization, b"\r\n")
        if self.key is not None:
            self.parts += (b"X-API-Key: ", self.key, b"\r\n")


def read_request(headers: Pairs, *, is_http_1_1: bool) -> Asked:
    """Reads a request's headers; raises `BadRequest`."""
    asked = Asked()
    parts = asked.parts
    hosts = 0
    for name, value in headers:
        kind = _OF_REQUESTS.get(name.lower())
        if kind is None:
            parts += (name, b": ", value, b"\r\n")
        elif kind == _HOST:
            hosts += 1
            parts += (b"Host: ", value, b"\r\n")
        elif kind == _LENGTH:
            asked.length = int(value)
        elif kind != _DROPPED:
            _note(asked, kind, name, value)
    if hosts > 1 or (hosts == 0 and is_http_1_1):
        raise BadRequest
    if asked.is_chunked and (asked.length is not None or not is_http_1_1):
        raise BadRequest
    if asked.named:
        # Framing and credentials cannot be named away.
        dropped = (asked.named - _OF_REQUESTS.keys()) | {b"connection"}
        kept = [(name, value) for name, value in headers if name.lower() not in dropped]
        return read_request(kept, is_http_1_1=is_http_1_1)
    return asked


def answer_parts(headers: Pairs) -> tuple[list[bytes], int | None]:
    """An answer's headers as the caller gets them, and the length they say."""
    parts: list[bytes] = []
    length = None
    named: frozenset[bytes] = frozenset()
    for name, value in headers:
        lower = name.lower()
        kind = _OF_ANSWERS.get(lower)
        if kind is None:
            parts += (name, b": ", value, b"\r\n")
        elif kind == _CONTENT_LENGTH:
            length = int(value)
        elif kind == _SET_COOKIE:
            for cookie in _for_this_service(value):
                parts += (b"Set-Cookie: ", cookie, b"\r\n")
        elif lower == b"connection":
            named |= _tokens(value) - _ORDINARY_TOKENS
    if named:
        kept = [(name, value) for name, value in headers if name.lower() not in named | {b"connection"}]
        return answer_parts(kept)
    return parts, length


def upgrade_parts(headers: Pairs) -> list[bytes]:
    """The headers of an answer that upgrades the connection."""
    parts, _ = answer_parts(headers)
    upgrade = next((value for name, value in headers if name.lower() == b"upgrade"), b"websocket")
    return [*parts, b"Connection: Upgrade\r\nUpgrade: ", upgrade, b"\r\n"]


def is_sane_request_id(value: bytes) -> bool:
    """Whether a request id that was sent can be repeated in headers and logs."""
    return 0 < len(value) <= 128 and value.replace(b"-", b"").replace(b"_", b"").replace(b".", b"").isalnum()


def _note(asked: Asked, kind: int, name: bytes, value: bytes) -> None:
    if kind == _CONNECTION:
        named = _tokens(value) - _ORDINARY_TOKENS
        asked.named = named if asked.named is None else asked.named | named
    elif kind == _ENCODING:
        if asked.is_chunked or value.strip().lower() != b"chunked":
            raise BadRequest
        asked.is_chunked = True
    elif kind == _UPGRADE:
        asked.upgrade = value.strip().lower()
    elif kind == _EXPECT:
        asked.expects = value.strip().lower() == b"100-continue"
    elif kind == _AUTHORIZATION:
        asked.authorization = value
    elif kind == _KEY:
        asked.key = value
    elif kind == _REQUEST_ID:
        asked.request_id = value
    elif kind == _STICKY:
        asked.sticky = value
    elif kind == _FORWARDED_FOR:
        asked.forwarded_for = value
    elif kind == _FORWARDED_PROTO:
        asked.forwarded_proto = value
    else:
        _note_and_pass(asked, kind, name, value)


def _note_and_pass(asked: Asked, kind: int, name: bytes, value: bytes) -> None:
    if kind == _ORIGIN:
        asked.origin = value
    elif kind == _LANGUAGE:
        asked.language = value
    elif kind == _IDEMPOTENCY:
        asked.has_idempotency_key = True
    elif kind == _PREFLIGHT:
        asked.preflight = value
    elif kind == _COOKIE:
        value = b"; ".join(one for one in _split(value, b";") if one and not one.lower().startswith(OUR_COOKIES))
        if not value:
            return
    asked.parts += (name, b": ", value, b"\r\n")


def _tokens(value: bytes) -> frozenset[bytes]:
    return frozenset(token.lower() for token in _split(value, b","))


def _split(value: bytes, mark: bytes) -> Iterable[bytes]:
    return (part.strip() for part in value.split(mark))


def _for_this_service(header: bytes) -> list[bytes]:
    """The cookie for this host alone; none when it would pose as ours."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(header.decode("latin-1"))
    except CookieError:
        return []
    found = []
    for name, morsel in cookies.items():
        if not name.lower().startswith((OUR_COOKIES.decode(), "__host-", "__secure-")):
            morsel["domain"] = ""
            found.append(morsel.OutputString().encode("latin-1"))
    return found
