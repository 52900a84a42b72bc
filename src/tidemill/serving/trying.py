"""The online test: one request passed on to a service through the gateway, with a key of our own."""

import base64
import http.client
import time
from urllib.parse import quote, urlsplit

from fastapi import Request

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Conflict, TooLarge, Unavailable
from tidemill.serving.addresses import local_url, service_path
from tidemill.serving.internal import InternalKeys
from tidemill.serving.lookup import get_service
from tidemill.serving.schemas import TestView

BODY_MAX_BYTES = 20 * 2**20
ANSWER_MAX_BYTES = 8 * 2**20
_PASSED = ("content-type", "accept", "accept-language", "inference-header-content-length")
_HIDDEN = frozenset({"set-cookie", "connection", "transfer-encoding", "keep-alive"})
_TEXTS = ("text/", "application/json", "application/xml", "application/x-ndjson")


async def read_body(request: Request) -> bytes:
    """The whole body; raises TooLarge as soon as it is too long."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_MAX_BYTES:
            raise TooLarge("service_test_too_large", max=BODY_MAX_BYTES // 2**20)
    return bytes(body)


def send(request: Request, service: str, path: str, method: str, body: bytes, by: Caller) -> TestView:
    """Asks the service, and shows all of its answer."""
    state = request.app.state
    with state.db.read() as session:
        row = get_service(session, service, by=by)
    if row.is_stopped:
        raise Conflict("service_stopped", name=row.name)
    internal: InternalKeys = state.service_keys
    address = urlsplit(local_url(state.settings))
    target = f"{service_path(by.project.name, row.name)}/{quote(path, safe='/-._~:@!$&()*+,;=')}"
    if request.url.query:
        target += f"?{request.url.query}"
    headers = {name: value for name, value in request.headers.items() if name.lower() in _PASSED}
    headers["X-API-Key"] = internal.secret(row.id, state.clock())
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=row.timeout_s + 5)
    began = time.perf_counter()
    try:
        connection.request(method, target, body=body if method == "POST" else None, headers=headers)
        answer = connection.getresponse()
        content = answer.read(ANSWER_MAX_BYTES + 1)
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable("service_unreachable", reason=f"{type(error).__name__}: {error}"[:200]) from error
    finally:
        connection.close()
    return _view(answer, content, 1000 * (time.perf_counter() - began))


def _view(answer: http.client.HTTPResponse, content: bytes, latency_ms: float) -> TestView:
    headers = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in _HIDDEN}
    kind = headers.get("content-type", "")
    shown = content[:ANSWER_MAX_BYTES]
    text = _text(shown) if kind.startswith(_TEXTS) or "+json" in kind or not kind else None
    return TestView(
        status=answer.status,
        headers=headers,
        latency_ms=round(latency_ms, 3),
        version=headers.get("x-tidemill-version"),
        replica=headers.get("x-tidemill-replica"),
        content_type=kind,
        text=text,
        base64=None if text is not None else base64.b64encode(shown).decode(),
        is_cut=len(content) > ANSWER_MAX_BYTES,
    )


def _text(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
