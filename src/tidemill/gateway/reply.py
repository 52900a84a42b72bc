"""The answer as its caller gets it: head and pieces, gathered until they are written."""

from typing import TYPE_CHECKING

from tidemill.gateway.answers import status_line
from tidemill.gateway.headers import Pairs, answer_parts, upgrade_parts

if TYPE_CHECKING:
    from tidemill.gateway.body import Body
    from tidemill.gateway.core import Core

_LINES: dict[tuple[int, bytes], bytes] = {}
_LINES_MAX = 1000


class Reply:
    """One answer: a replica's, passed on, or one of our own."""

    __slots__ = (
        "_body", "_core", "_is_chunked", "_is_http_1_1", "_out", "_request_id", "cors", "is_head", "keeps_alive",
        "status",
    )  # fmt: skip

    def __init__(self, core: "Core", body: "Body", request_id: bytes, is_head: bool, is_http_1_1: bool) -> None:
        self._core = core
        self._body = body
        self._request_id = request_id
        self._is_http_1_1 = is_http_1_1
        self._is_chunked = False
        self._out: list[bytes] = []
        self.is_head = is_head
        self.cors = b""
        """Headers for pages of other origins."""
        self.keeps_alive = True
        """Whether the connection may bring another request after this answer."""
        self.status = 0
        """0 before the answer has begun."""

    def begin(self, status: int, reason: bytes, headers: Pairs, own: bytes) -> bool:
        """The head of a replica's answer; whether the answer ends only with the replica's connection."""
        parts, length = answer_parts(headers)
        self.status = status
        has_body = not (self.is_head or status in {204, 304})
        out = self._out
        out.append(_LINES.get((status, reason)) or _line(status, reason))
        out += parts
        if length is not None:
            out.append(b"Content-Length: %d\r\n" % length)
        elif has_body and self._is_http_1_1:
            self._is_chunked = True
            out.append(b"Transfer-Encoding: chunked\r\n")
        elif has_body:
            self.keeps_alive = False
        out.append(own)
        self._end_head()
        if not has_body or length is not None:
            return False
        return not any(name.lower() == b"transfer-encoding" for name, _ in headers)

    def upgrade(self, headers: Pairs, own: bytes, rest: bytes) -> None:
        """The head of an answer after which both sides speak as they like, and what the replica said first."""
        self.status = 101
        self.keeps_alive = True
        self._out += (status_line(101), *upgrade_parts(headers), own)
        self._end_head()
        self._out.append(rest)

    def be(self, status: int, head: list[bytes], body: bytes | None) -> None:
        """A whole answer of our own."""
        self.status = status
        self._out = [status_line(status), *head]
        if body is not None:
            self._out.append(b"Content-Length: %d\r\n" % len(body))
        self._end_head()
        if body is not None and not self.is_head:
            self._out.append(body)

    def piece(self, data: bytes) -> None:
        """More of the body."""
        if self._is_chunked:
            self._out += (b"%x\r\n" % len(data), data, b"\r\n")
        else:
            self._out.append(data)

    def taken(self) -> bytes:
        """What is to be written now."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def last(self) -> bytes:
        """What is to be written when that was all."""
        if self._is_chunked:
            self._out.append(b"0\r\n\r\n")
        return b"".join(self._out)

    def _end_head(self) -> None:
        if self._core.is_draining or not self._body.is_complete:
            self.keeps_alive = self.keeps_alive and self.status == 101
        if not self.keeps_alive:
            end = b"\r\nConnection: close\r\n\r\n"
        elif not self._is_http_1_1:
            end = b"\r\nConnection: keep-alive\r\n\r\n"
        else:
            end = b"\r\n\r\n"
        self._out += (self.cors, b"X-Request-Id: ", self._request_id, end)


def _line(status: int, reason: bytes) -> bytes:
    line = status_line(status, reason)
    if len(_LINES) < _LINES_MAX:
        _LINES[status, reason] = line
    return line
