"""The user's language, from the environment as every program reads it, and our words in it."""

import os
from collections.abc import Mapping
from typing import Any, TypeVar

from tidemill.kernel import i18n
from tidemill.kernel.errors import TidemillError

E = TypeVar("E", bound=TidemillError)


def user_language(environ: Mapping[str, str] = os.environ) -> i18n.Language:
    """The terminal's language."""
    return i18n.locale_language(environ)


def worded(error: TidemillError, language: i18n.Language) -> TidemillError:
    """The same error with its message and hint filled in from our own catalogue, unless it brought them."""
    if error.message is None and error.code in i18n.catalogue():
        error.message = i18n.message(error.code, language, **error.params)
        error.hint = error.hint or i18n.find_hint(error.code, language, **error.params)
        error.args = (error.message,)
    return error


def problem(kind: type[E], code: str, *, field: str | None = None, details: Any = None, **params: Any) -> E:
    """An error of our own, in the user's words from the start: it is often read straight from a traceback."""
    error = kind(code, field=field, details=details, **params)
    worded(error, user_language())
    return error


def say(code: str, **params: Any) -> str:
    """A message of ours in the user's language."""
    return i18n.message(code, user_language(), **params)
