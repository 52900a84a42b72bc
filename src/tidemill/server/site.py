"""The web application's files, with every unknown address answered by its front page."""

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException

WEB_FILES = Path(__file__).parent.parent / "web_dist"


def install(app: FastAPI) -> None:
    """Serves the built web application; addresses under /api, /healthz and the like stay the API's."""
    app.add_api_route("/healthz", _healthz, methods=["GET"], include_in_schema=False)
    app.add_api_route("/{path:path}", _page, methods=["GET", "HEAD"], include_in_schema=False)


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
    return FileResponse(WEB_FILES / "index.html", headers={"Cache-Control": "no-cache"})
