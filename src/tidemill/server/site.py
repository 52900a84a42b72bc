"""The web application's files, with every unknown address answered by its front page."""

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException

from tidemill.kernel import i18n
from tidemill.kernel.addresses import apps_url
from tidemill.kernel.web import language_of

WEB_FILES = Path(__file__).parent.parent / "web_dist"

_FRONT_PAGE = "index.html"
_HASHED = "assets/"
_COMPRESSIBLE = frozenset({".css", ".html", ".js", ".json", ".svg", ".webmanifest"})
_ORIGIN = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?")
# Scripts come from here only. Ant Design and the editor write their styles into the page; previews are data and blobs.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; media-src 'self' blob:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src {frames}"
)


def install(app: FastAPI) -> None:
    """Serves the built web application; addresses under /api, /healthz and the like stay the API's."""
    app.add_api_route("/healthz", _healthz, methods=["GET"], include_in_schema=False)
    app.add_api_route("/{path:path}", _page, methods=["GET", "HEAD"], include_in_schema=False)


def is_built() -> bool:
    """Whether the web application's files are here."""
    return (WEB_FILES / _FRONT_PAGE).is_file()


def _healthz() -> dict[str, str]:
    return {"status": "ok"}


def _page(request: Request, path: str) -> Response:
    if path.startswith(("api/", "v2/")):
        raise HTTPException(404)
    if found := _find_file(path):
        return _answer(request, found, kept_for_ever=path.startswith(_HASHED))
    if Path(path).suffix and "text/html" not in request.headers.get("Accept", ""):
        raise HTTPException(404)
    front = _find_file(_FRONT_PAGE)
    if front is None:
        return PlainTextResponse(i18n.message("up_no_web", language_of(request)), status_code=503)
    return _answer(request, front, kept_for_ever=False)


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    compressed: bytes | None
    tag: str
    media_type: str


def _find_file(path: str) -> _File | None:
    try:
        file = (WEB_FILES / path).resolve()
        if not file.is_relative_to(WEB_FILES.resolve()) or not file.is_file():
            return None
        return _load(file, file.stat().st_mtime_ns)
    except (OSError, ValueError):
        # No name of a file: too long, or with a zero byte.
        return None


@lru_cache(maxsize=512)
def _load(file: Path, changed_at_ns: int) -> _File:
    """Read and compressed once; a new build has other times."""
    del changed_at_ns
    content = file.read_bytes()
    return _File(
        content=content,
        compressed=gzip.compress(content, 6, mtime=0) if file.suffix in _COMPRESSIBLE else None,
        tag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        media_type=mimetypes.guess_type(file.name)[0] or "application/octet-stream",
    )


def _answer(request: Request, file: _File, *, kept_for_ever: bool) -> Response:
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable" if kept_for_ever else "no-cache",
        "ETag": file.tag,
        "Vary": "Accept-Encoding",
    }
    if file.media_type == "text/html":
        headers["Content-Security-Policy"] = _POLICY.format(frames=_frames(request))
    if file.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    content = file.content
    if file.compressed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        content, headers["Content-Encoding"] = file.compressed, "gzip"
    return Response(content, headers=headers, media_type=file.media_type)


def _frames(request: Request) -> str:
    """Viewers are shown in frames from the apps origin; a host name that is none does not get into the policy.

    `blob:` is what the web application itself makes: the browser's own reader is given a PDF that way.
    """
    origin = _ORIGIN.match(apps_url(request))
    return f"blob: {origin[0]}" if origin else "blob:"
