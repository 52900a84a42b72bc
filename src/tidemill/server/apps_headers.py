"""What of a request a workload gets to see, and what of its answer a browser does.

A workload's answers come from a host that the web application shares (another port is another origin, but the same
host to cookies, HSTS and the like), so whatever acts on a whole host is taken out.
"""

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from multidict import CIMultiDict

OUR_COOKIES = "tidemill"
"""Cookies whose names begin so are ours: workloads neither see nor set them."""

_HOP_BY_HOP = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
}  # fmt: skip
_NOT_FOR_WORKLOADS = _HOP_BY_HOP | {
    "authorization", "cookie", "expect", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    "x-real-ip", "x-tidemill",
}  # fmt: skip
_NOT_FOR_BROWSERS = _HOP_BY_HOP | {
    "alt-svc", "clear-site-data", "nel", "public-key-pins", "report-to", "reporting-endpoints",
    "service-worker-allowed", "set-cookie", "strict-transport-security", "x-frame-options", "content-security-policy",
}  # fmt: skip
_OF_A_HANDSHAKE = {
    "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept",
    "sec-websocket-protocol", "content-length",
}  # fmt: skip

Pairs = Iterable[tuple[bytes, bytes]]


def for_workload(headers: Pairs, *, client: str, scheme: str, authorization: str | None) -> CIMultiDict[str]:
    """The request's headers as the workload gets them: without our cookies, tokens, and what proxies say."""
    pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
    named = {token.strip().lower() for name, value in pairs if name == "connection" for token in value.split(",")}
    dropped = _NOT_FOR_WORKLOADS | named
    kept: CIMultiDict[str] = CIMultiDict((name, value) for name, value in pairs if name not in dropped)
    if cookies := _their_cookies(value for name, value in pairs if name == "cookie"):
        kept["Cookie"] = cookies
    if authorization is not None:
        kept["Authorization"] = authorization
    kept["X-Forwarded-For"] = client
    kept["X-Forwarded-Proto"] = scheme
    kept["X-Forwarded-Host"] = kept.get("host", "")
    return kept


def for_handshake(headers: CIMultiDict[str]) -> CIMultiDict[str]:
    """The same for a WebSocket, whose handshake the client library writes."""
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in _OF_A_HANDSHAKE)


def for_browser(headers: Pairs, *, path: str, frame_ancestors: str) -> list[tuple[bytes, bytes]]:
    """The answer's headers as the browser gets them."""
    pairs = [(name.lower(), value) for name, value in headers]
    named = {token.strip().lower() for name, value in pairs if name == b"connection" for token in value.split(b",")}
    kept = [
        (name, value) for name, value in pairs if name.decode("latin-1") not in _NOT_FOR_BROWSERS and name not in named
    ]
    for name, value in pairs:
        if name == b"set-cookie":
            kept += [(b"set-cookie", cookie) for cookie in _within(value, path)]
        elif name == b"content-security-policy" and (policy := _without_ancestors(value)):
            kept.append((b"content-security-policy", policy))
    kept.append((b"content-security-policy", f"frame-ancestors 'self' {frame_ancestors}".encode()))
    if not any(name == b"referrer-policy" for name, _ in kept):
        kept.append((b"referrer-policy", b"same-origin"))
    return kept


def _their_cookies(headers: Iterable[str]) -> str:
    parts = [part.strip() for header in headers for part in header.split(";")]
    return "; ".join(part for part in parts if part and not part.lower().startswith(OUR_COOKIES))


def _within(header: bytes, path: str) -> list[bytes]:
    """The cookie, for this port's path of this host and nothing else; none when it would pose as ours."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(header.decode("latin-1"))
    except CookieError:
        return []
    found = []
    for name, morsel in cookies.items():
        if name.lower().startswith((OUR_COOKIES, "__host-", "__secure-")):
            continue
        morsel["domain"] = ""
        if not morsel["path"].startswith(path):
            morsel["path"] = path
        found.append(morsel.OutputString().encode("latin-1"))
    return found


def _without_ancestors(policy: bytes) -> bytes:
    """Who may frame it is ours to say; the rest of its policy holds."""
    directives = [directive.strip() for directive in policy.split(b";")]
    kept = [one for one in directives if one and not one.lower().startswith(b"frame-ancestors")]
    return b"; ".join(kept)
