"""The server's refusals turned back into the errors it raised."""

import json
from typing import Any

import httpx2

from tidemill.kernel import errors

BY_STATUS: dict[int, type[errors.TidemillError]] = {
    400: errors.Invalid,
    401: errors.Unauthenticated,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    412: errors.Stale,
    413: errors.TooLarge,
    416: errors.Invalid,
    422: errors.Invalid,
    429: errors.TooMany,
    502: errors.Unavailable,
    503: errors.Unavailable,
    504: errors.Unavailable,
}


def to_error(response: httpx2.Response) -> errors.TidemillError:
    """The error a response stands for; its body must have been read."""
    kind = BY_STATUS.get(response.status_code, errors.TidemillError)
    said = _envelope(response)
    if said is None:
        return _unknown_speaker(response, kind)
    error = kind(
        said.get("code"),
        field=said.get("field"),
        details=said.get("details"),
        message=said.get("message"),
        hint=said.get("hint"),
        **_retry_after(response),
    )
    error.request_id = said.get("request_id")
    return error


def _envelope(response: httpx2.Response) -> dict[str, Any] | None:
    try:
        said = json.loads(response.content)["error"]
    except (ValueError, LookupError, TypeError):
        return None
    return said if isinstance(said, dict) and isinstance(said.get("code"), str) else None


def _unknown_speaker(response: httpx2.Response, kind: type[errors.TidemillError]) -> errors.TidemillError:
    """Not our envelope: a proxy in between, or not Tidemill at all."""
    url = str(response.request.url.copy_with(query=None, fragment=None))
    return kind("sdk_unknown_answer", status=response.status_code, url=url)


def _retry_after(response: httpx2.Response) -> dict[str, int]:
    value = response.headers.get("Retry-After", "")
    return {"retry_after_s": int(value)} if value.isdigit() else {}
