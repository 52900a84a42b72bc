"""Everything that can go wrong on purpose.

    TidemillError
    ├── Invalid           what was sent breaks a rule        (names the field)
    ├── Unauthenticated   nobody is signed in
    ├── Forbidden         somebody is, but may not
    ├── NotFound          not there, or not yours to know of
    ├── Conflict          at odds with what is there now
    ├── Stale             it changed since you read it
    ├── TooLarge          over a limit of size or storage
    ├── TooMany           too often; come back later
    └── Unavailable       a part we need does not answer

An error carries a `code` (stable, for programs), the parameters of its message, and perhaps the field it is about.
The words are in the rooms' `messages.json`, in every language; HTTP statuses are in `kernel/web.py`. This module uses
the standard library only: the SDK raises the same classes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class TidemillError(Exception):
    """Base of all; never raised itself."""

    default_code: ClassVar[str] = "internal"

    request_id: str | None = None
    """The request it happened in; the SDK sets it from the server's answer."""

    def __init__(
        self,
        code: str | None = None,
        /,
        *,
        field: str | None = None,
        details: Sequence[Any] | Mapping[str, Any] | None = None,
        message: str | None = None,
        hint: str | None = None,
        **params: Any,
    ) -> None:
        self.code = code or self.default_code
        self.field = field
        self.details = details
        self.params = params
        self.message = message
        self.hint = hint
        super().__init__(message or self.code)


class Invalid(TidemillError):
    """What was sent breaks a rule."""

    default_code = "invalid"


class Unauthenticated(TidemillError):
    """Nobody is signed in, or not any more."""

    default_code = "unauthenticated"


class Forbidden(TidemillError):
    """The caller may not do this."""

    default_code = "forbidden"


class NotFound(TidemillError):
    """There is no such thing, as far as the caller may know."""

    default_code = "not_found"


class Conflict(TidemillError):
    """The request is at odds with the present state."""

    default_code = "conflict"


class Stale(TidemillError):
    """The thing changed since the caller read it."""

    default_code = "stale"


class TooLarge(TidemillError):
    """Over a limit of size or storage."""

    default_code = "too_large"


class TooMany(TidemillError):
    """Too many attempts; `params["retry_after_s"]` says when to come back."""

    default_code = "too_many_attempts"


class Unavailable(TidemillError):
    """Something this needs does not answer."""

    default_code = "unavailable"
