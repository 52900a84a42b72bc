"""The apps origin: viewers and what workloads serve, apart from the web application.

Another port is another origin, so that nothing shown here can read or act in the web application. It knows no sessions:
the session's cookie, which a browser sends along, is not looked at. A file is read with a ticket in its address; what
workloads serve is in `apps_proxy`.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tidemill.assets.media import OCTETS
from tidemill.assets.tickets import TicketOffice
from tidemill.kernel.settings import Settings
from tidemill.server.apps_proxy import PREFIX, AppsProxy
from tidemill.store import serving
from tidemill.store.backends import BlobMissing
from tidemill.store.depot import Store

_SERVED = {".css": "text/css", ".ico": "image/x-icon", ".js": "text/javascript", ".json": "application/json"}
_SERVED[".png"] = "image/png"
_META = re.compile(r'(<meta name="(version|date)" content=")[^"]*(">)')
_FIRST_SCRIPT = re.compile(r'(<script\b[^>]*\bsrc="index\.js")')
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]")

# Netron asks for consent and reports its use, unless it finds its cookie and a version that was never released; and it
# refuses to work half a year after its date. Here it neither asks, nor calls home, nor grows old. What it sees as its
# cookies is answered by a script of ours, which works in a frame of another site too, where browsers drop real ones.
_QUIET = "quiet.js"
_QUIET_SCRIPT = "Object.defineProperty(document, 'cookie', { get: () => 'consent=0', set: () => undefined });\n"
_NEVER_RELEASED = "0.0.0"

_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)


def create_apps_app(settings: Settings, main_app: FastAPI) -> ASGIApp:
    """The application behind the apps port. It shares the main application's store, tickets, engine and clock."""
    proxy = AppsProxy(settings, main_app.state, main_origin)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await proxy.close()

    app = Starlette(
        routes=[
            Route("/healthz", _healthz),
            Route("/netron", _to_netron),
            Route("/netron/", _netron_page),
            Route(f"/netron/{_QUIET}", _quiet_script),
            Route("/netron/{name}", _netron_file),
            Route("/t/{ticket}/{name:path}", _ticketed_file),
        ],
        middleware=[Middleware(_Headers, settings=settings)],
        lifespan=lifespan,
    )
    app.state.main = main_app.state

    async def apart(scope: Scope, receive: Receive, send: Send) -> None:
        """What workloads serve keeps its own headers."""
        is_of_workload = scope["type"] in {"http", "websocket"} and scope["path"].startswith(PREFIX)
        await (proxy if is_of_workload else app)(scope, receive, send)

    return apart


def netron_folder() -> Path:
    """Where the installed Netron keeps its page."""
    found = find_spec("netron")
    assert found is not None, "netron is a dependency of the server"
    assert found.origin is not None
    return Path(found.origin).parent


class _Headers:
    """Nothing here is kept, guessed at, or framed by anybody but the web application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = f"{_POLICY}; frame-ancestors {main_origin(Request(scope), self.settings)}"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", policy)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers)


def main_origin(request: HTTPConnection, settings: Settings) -> str:
    """Who may show this origin in a frame: the web application, as set, or at its port of the host that was asked."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = request.headers.get("Host", "").rpartition(":")[0] or request.headers.get("Host", "")
    if not _HOST.fullmatch(host):
        return "'none'"
    return f"{request.url.scheme}://{host}:{settings.port}"


def _healthz(request: Request) -> Response:
    del request
    return JSONResponse({"status": "ok"})


def _to_netron(request: Request) -> Response:
    return RedirectResponse(f"/netron/?{request.url.query}")


def _netron_page(request: Request) -> Response:
    now: datetime = request.app.state.main.clock()
    return HTMLResponse(_quiet_page(now.astimezone(UTC).date().isoformat()))


@cache
def _netron_files() -> dict[str, Path]:
    return {file.name: file for file in netron_folder().iterdir() if file.suffix in _SERVED}


@cache
def _original_page() -> str:
    return (netron_folder() / "index.html").read_text("utf-8")


def _quiet_page(today: str) -> str:
    values = {"version": _NEVER_RELEASED, "date": today}
    page = _META.sub(lambda found: f"{found[1]}{values[found[2]]}{found[3]}", _original_page())
    return _FIRST_SCRIPT.sub(lambda found: f'<script src="{_QUIET}"></script>\n{found[1]}', page, count=1)


def _quiet_script(request: Request) -> Response:
    del request
    return Response(_QUIET_SCRIPT, media_type="text/javascript")


def _netron_file(request: Request) -> Response:
    file = _netron_files().get(request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=3600"}
    return FileResponse(file, media_type=_SERVED[file.suffix], headers=headers)


def _ticketed_file(request: Request) -> Response:
    """The one file the ticket is for; a model whose weights lie beside it is drawn without them."""
    main = request.app.state.main
    office: TicketOffice = main.tickets
    store: Store = main.store
    ticket = office.find(request.path_params["ticket"], now=main.clock())
    if ticket is None or request.path_params["name"] != ticket.name:
        raise HTTPException(404)
    try:
        return serving.blob_response(
            request, store.backend, ticket.digest, ticket.size_bytes, media_type=OCTETS, filename=ticket.name
        )
    except BlobMissing:
        raise HTTPException(404) from None
