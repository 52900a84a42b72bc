"""Errors as the protocol words them. Ours are raised as everywhere; this is the only table to the protocol's codes."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

import sqlalchemy.exc
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from tidemill.kernel import errors, i18n
from tidemill.kernel.settings import Settings
from tidemill.kernel.web import language_of, status_of

log = logging.getLogger("tidemill.registry")

SERVICE = "tidemill"
API_VERSION = {"Docker-Distribution-Api-Version": "registry/2.0"}

_CODES: dict[str, tuple[str, int]] = {
    "registry_blob_unknown": ("BLOB_UNKNOWN", 404),
    "registry_upload_unknown": ("BLOB_UPLOAD_UNKNOWN", 404),
    "registry_upload_range": ("BLOB_UPLOAD_INVALID", 416),
    "registry_upload_length": ("SIZE_INVALID", 400),
    "registry_digest_invalid": ("DIGEST_INVALID", 400),
    "registry_digest_mismatch": ("DIGEST_INVALID", 400),
    "registry_child_unknown": ("MANIFEST_BLOB_UNKNOWN", 404),
    "registry_manifest_unknown": ("MANIFEST_UNKNOWN", 404),
    "registry_manifest_invalid": ("MANIFEST_INVALID", 400),
    "registry_manifest_too_large": ("MANIFEST_INVALID", 413),
    "registry_name_invalid": ("NAME_INVALID", 400),
    "registry_name_unknown": ("NAME_UNKNOWN", 404),
    "registry_tag_invalid": ("TAG_INVALID", 400),
    "registry_page_invalid": ("PAGINATION_NUMBER_INVALID", 400),
    "registry_unsupported": ("UNSUPPORTED", 405),
    "project_not_found": ("NAME_UNKNOWN", 404),
    "storage_limit": ("DENIED", 403),
}
_KINDS: dict[type[errors.TidemillError], str] = {
    errors.Unauthenticated: "UNAUTHORIZED",
    errors.Forbidden: "DENIED",
    errors.NotFound: "NAME_UNKNOWN",
    errors.Conflict: "DENIED",
    errors.TooLarge: "SIZE_INVALID",
    errors.TooMany: "TOOMANYREQUESTS",
    errors.Unavailable: "UNAVAILABLE",
}


class RegistryRoute(APIRoute):
    """A route that answers errors in the protocol's envelope."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                response = await handle(request)
            except errors.TidemillError as error:
                response = refusal(request, error)
            except RequestValidationError:
                response = refusal(request, errors.Invalid("registry_request_invalid"))
            except sqlalchemy.exc.IntegrityError as error:
                log.warning("integrity error on %s %s: %s", request.method, request.url.path, error)
                response = refusal(request, errors.Conflict("conflict_race"))
            response.headers.update(API_VERSION)
            return response

        return answer


def refusal(request: Request, error: errors.TidemillError) -> Response:
    """The error as clients of registries read it."""
    language = language_of(request)
    known = _CODES.get(error.code)
    kind = next((code for cls, code in _KINDS.items() if isinstance(error, cls)), "UNSUPPORTED")
    code, status = known or (kind, status_of(error))
    found: dict[str, Any] = {
        "code": code,
        "message": error.message or i18n.message(error.code, language, **error.params),
    }
    if hint := i18n.find_hint(error.code, language, **error.params):
        found["message"] = f"{found['message']} {hint}"
    if error.details is not None:
        found["detail"] = error.details
    headers: dict[str, str] = {"Content-Language": language}
    if isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = challenge(request)
    if error.code == "registry_upload_range":
        headers.update(error.params.get("headers", {}))
    return JSONResponse({"errors": [found]}, status_code=status, headers=headers)


def challenge(request: Request) -> str:
    """Where to get a token, and for what."""
    if request.url.path.rstrip("/").endswith("/v2/token"):
        return 'Basic realm="Tidemill"'
    asked = f'Bearer realm="{base_url(request)}/v2/token",service="{SERVICE}"'
    project, name = request.path_params.get("project"), request.path_params.get("name")
    if project and name and f"{project}/{name}".isascii() and '"' not in f"{project}{name}":
        asked += f',scope="repository:{project}/{name}:{"pull" if request.method in {"GET", "HEAD"} else "pull,push"}"'
    return asked


def base_url(request: Request) -> str:
    """How the client reaches us."""
    settings: Settings = request.app.state.settings
    return settings.public_url.rstrip("/") if settings.public_url else str(request.base_url).rstrip("/")
