"""The web application's files, with every unknown address answered by its front page."""

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from tidemill.kernel import i18n
from tidemill.kernel.web import language_of

WEB_FILES = Path(__file__).parent.parent / "web_dist"


def install(app: FastAPI) -> None:
    """Serves the built web application; addresses under /api, /healthz and the like stay the API's."""
    app.add_api_route("/healthz", _healthz, methods=["GET"], include_in_schema=False)
    app.add_api_route("/{path:path}", _page, methods=["GET", "HEAD"], include_in_schema=False)


def is_built() -> bool:
    """Whether the web application's files are here."""
    return (WEB_FILES / "index.html").is_file()


def _healthz() -> dict[str, str]:
    return {"status": "ok"}


def _page(request: Request, path: str) -> Response:
    if path.startswith(("api/", "v2/")):
        raise HTTPException(404)
    file = (WEB_FILES / path).resolve()
    if path and file.is_file() and file.is_relative_to(WEB_FILES.resolve()):
        cached = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        return FileResponse(file, headers={"Cache-Control": cached})
    if Path(path).suffix and "text/html" not in request.headers.get("Accept", ""):
        raise HTTPException(404)
    if not is_built():
        return PlainTextResponse(i18n.message("up_no_web", language_of(request)), status_code=503)
    return FileResponse(WEB_FILES / "index.html", headers={"Cache-Control": "no-cache"})
