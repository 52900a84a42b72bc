"""HTTP manners: one error envelope, request ids, safe headers. The only table from errors to statuses is here."""

import logging
import secrets
from typing import Any

import sqlalchemy.exc
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tidemill.kernel import errors, i18n

log = logging.getLogger("tidemill.web")

BODY_MAX_BYTES = 128 << 20
"""Of a request that is read as a whole. Files come in pieces, of any length: see `take_any_length`."""
_ANY_LENGTH = "takes_any_length"

STATUSES: dict[type[errors.TidemillError], int] = {
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Stale: 412,
    errors.TooLarge: 413,
    errors.Invalid: 422,
    errors.TooMany: 429,
    errors.Unavailable: 503,
}

_HTTP_CODES = {
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
}

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
_API_HEADERS = (*_HEADERS, (b"cache-control", b"no-store"))

# Pydantic's own error types, said with our words; the rest are said as "invalid".
_PYDANTIC_CODES = {
    "missing": "field_missing",
    "extra_forbidden": "field_unknown",
    "string_too_long": "field_too_long",
    "string_too_short": "field_too_short",
    "too_long": "list_too_long",
    "too_short": "list_too_short",
    "greater_than_equal": "number_too_small",
    "greater_than": "number_not_above",
    "less_than_equal": "number_too_large",
    "less_than": "number_not_below",
    "literal_error": "field_choice",
    "enum": "field_choice",
    "json_invalid": "json_invalid",
    "string_type": "field_text",
    "bool_type": "field_flag",
    "bool_parsing": "field_flag",
    "int_type": "field_whole_number",
    "int_parsing": "field_whole_number",
    "int_from_float": "field_whole_number",
    "float_type": "field_number",
    "float_parsing": "field_number",
    "finite_number": "field_number",
    "string_pattern_mismatch": "field_pattern",
    "timezone_aware": "field_time",
    "datetime_type": "field_time",
    "datetime_parsing": "field_time",
    "datetime_object_invalid": "field_time",
    "datetime_from_date_parsing": "field_time",
}


def install(app: FastAPI) -> None:
    """Gives the application our error envelope, request ids and headers."""
    app.add_exception_handler(errors.TidemillError, _on_known)
    app.add_exception_handler(RequestValidationError, _on_validation)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(sqlalchemy.exc.IntegrityError, _on_integrity)
    app.add_middleware(Manners)


def language_of(request: Request) -> i18n.Language:
    """The language to answer in."""
    return i18n.pick_language(request.headers.get("Accept-Language"))


def status_of(error: errors.TidemillError) -> int:
    return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500)


def envelope(error: errors.TidemillError, language: i18n.Language, request_id: str) -> dict[str, Any]:
    """The one shape of every error answer."""
    body: dict[str, Any] = {
        "code": error.code,
        "message": error.message or i18n.message(error.code, language, **error.params),
        "request_id": request_id,
    }
    if error.field is not None:
        body["field"] = error.field
    if hint := error.hint or i18n.find_hint(error.code, language, **error.params):
        body["hint"] = hint
    if error.details is not None:
        body["details"] = error.details
    return {"error": body}


def take_any_length(request: Request) -> None:
    """Called before the body is read, by routes that read it piece by piece and keep none of it in memory."""
    setattr(request.state, _ANY_LENGTH, True)


class Manners:
    """Gives each request an id and a limit, and each answer the headers that keep browsers from guessing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id

        has_begun = False

        async def with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                _add_headers(message, request_id, is_api=scope["path"].startswith("/api/"))
            await send(message)

        answer = _refuse_unstorable(scope) or self.app
        try:
            await answer(scope, _limited(scope, receive), with_headers)
        except Exception as error:
            if has_begun:
                raise  # half an answer is out: the connection is all that is left to break
            await _on_unknown(Request(scope), error)(scope, receive, with_headers)


def _add_headers(message: Message, request_id: str, *, is_api: bool) -> None:
    """Those that the answer does not have itself. With every answer, so it is done by hand."""
    given = [pair for pair in message["headers"] if pair[0] != b"x-request-id"]
    known = {name for name, _ in given}
    more = _API_HEADERS if is_api else _HEADERS
    message["headers"] = [
        *given, (b"x-request-id", request_id.encode()), *(pair for pair in more if pair[0] not in known)
    ]  # fmt: skip


def _limited(scope: Scope, receive: Receive) -> Receive:
    """What comes in, until it is more than any call needs: nobody fills our memory, whoever they are."""
    received = 0

    async def take() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > BODY_MAX_BYTES and not scope["state"].get(_ANY_LENGTH):
            raise HTTPException(413)
        return message

    return take


def _refuse_unstorable(scope: Scope) -> JSONResponse | None:
    """No database stores a NUL, so nothing can be found by one: said here once, for every address and query."""
    if "\x00" in scope["path"]:
        return _answer(Request(scope), errors.NotFound())
    if b"%00" in scope["query_string"]:
        return _answer(Request(scope), errors.Invalid("text_unprintable"))
    return None


def _answer(request: Request, error: errors.TidemillError, status: int | None = None) -> JSONResponse:
    headers: dict[str, str] = {"Content-Language": language_of(request)}
    if "retry_after_s" in error.params:
        headers["Retry-After"] = str(error.params["retry_after_s"])
    body = envelope(error, language_of(request), getattr(request.state, "request_id", ""))
    return JSONResponse(body, status_code=status or status_of(error), headers=headers)


def _on_known(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.TidemillError)
    return _answer(request, error)


def _on_validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    language = language_of(request)
    details = [describe_broken_rule(found, language) for found in error.errors()]
    first = details[0]
    return _answer(
        request,
        errors.Invalid("invalid", field=first["field"], details=details, message=first["message"]),
    )


def describe_broken_rule(found: Any, language: i18n.Language) -> dict[str, Any]:
    """Pydantic's finding in our words: the field, a code for programs, a message for people."""
    where = [str(part) for part in found["loc"] if part not in {"body", "query", "path", "header"}]
    kind, context = found["type"], dict(found.get("ctx") or {})
    code = kind if kind in i18n.catalogue() else _PYDANTIC_CODES.get(kind, "field_invalid")
    context = {name: value for name, value in context.items() if isinstance(value, str | int | float)}
    field = ".".join(where) or "body"
    return {"field": field, "code": code, "message": i18n.message(code, language, field=field, **context)}


def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _HTTP_CODES.get(error.status_code, "invalid")
    answer = _answer(request, errors.TidemillError(code), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


def _on_integrity(request: Request, error: Exception) -> JSONResponse:
    """Two callers raced for the same name, or one pointed at what the other just removed."""
    log.warning("integrity error on %s %s: %s", request.method, request.url.path, error)
    return _answer(request, errors.Conflict("conflict_race"))


def _on_unknown(request: Request, error: Exception) -> JSONResponse:
    log.error("request %s failed", getattr(request.state, "request_id", "?"), exc_info=error)
    return _answer(request, errors.TidemillError("internal"), 500)
