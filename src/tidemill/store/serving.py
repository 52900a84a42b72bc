"""Sending a blob: whole or in part, never in a way that a browser would run it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from tidemill.store.backends import BlobBackend

SANDBOX = (
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; "
    "form-action 'none'; frame-ancestors 'self'"
)
_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes from `start` on, `length` of them."""

    start: int
    length: int


class RangeUnsatisfiable(Exception):
    """The range begins after the end."""


def blob_response(
    request: Request,
    backend: BlobBackend,
    digest: str,
    size_bytes: int,
    *,
    media_type: str,
    filename: str,
    download: bool = False,
) -> Response:
    """The answer to GET or HEAD for one content: ranges, `ETag`, `If-None-Match`, `If-Range`.

    The headers are safe for hostile content: its type is never guessed, and it is shown in a sandbox.
    """
    headers = _headers(digest, filename, download)
    if _matches(request.headers.get("If-None-Match"), digest):
        return Response(status_code=304, headers=headers)
    try:
        span = find_span(_usable_range(request, digest), size_bytes)
    except RangeUnsatisfiable:
        headers["Content-Range"] = f"bytes */{size_bytes}"
        return Response(status_code=416, headers=headers)
    part = span or Span(0, size_bytes)
    headers["Content-Length"] = str(part.length)
    if span is not None:
        headers["Content-Range"] = f"bytes {span.start}-{span.start + span.length - 1}/{size_bytes}"
    status = 200 if span is None else 206
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type=media_type)
    blocks: Iterator[bytes] = backend.read(digest, part.start, part.length)
    return StreamingResponse(blocks, status_code=status, headers=headers, media_type=media_type)


def find_span(header: str | None, size_bytes: int) -> Span | None:
    """What a Range header asks for; None for the whole, which is also the answer to what we do not understand."""
    found = _RANGE.fullmatch(header.strip()) if header else None
    if found is None or found[0] == "bytes=-":
        return None
    if not found[1]:
        length = min(int(found[2]), size_bytes)
        if length == 0:
            raise RangeUnsatisfiable
        return Span(size_bytes - length, length)
    start = int(found[1])
    end = min(int(found[2]), size_bytes - 1) if found[2] else size_bytes - 1
    if found[2] and int(found[2]) < start:
        return None
    if start >= size_bytes:
        raise RangeUnsatisfiable
    return Span(start, end - start + 1)


def attachment(filename: str, *, download: bool) -> str:
    """`Content-Disposition` with the name in a form every browser reads."""
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", filename) or "file"
    kind = "attachment" if download else "inline"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def _headers(digest: str, filename: str, download: bool) -> dict[str, str]:
    return {
        "ETag": f'"{digest}"',
        "Accept-Ranges": "bytes",
        "Content-Disposition": attachment(filename, download=download),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        "Content-Security-Policy": SANDBOX,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "private, no-cache",
    }


def _usable_range(request: Request, digest: str) -> str | None:
    condition = request.headers.get("If-Range")
    if condition is not None and condition.strip() != f'"{digest}"':
        return None
    return request.headers.get("Range")


def _matches(header: str | None, digest: str) -> bool:
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return "*" in tags or f'"{digest}"' in tags
