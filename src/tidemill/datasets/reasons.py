"""Why something could not be read, as a code with words in every language (`reasons.json`).

What Python and the libraries say of an error is made for programmers: it never reaches a report. Readers raise
`Malformed` with a code of their own; of every other error `why` finds the code that comes nearest.
"""

import csv
import errno
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from tidemill.geometry.faults import BadShape

_NOT_A_NUMBER = re.compile(r"(?:could not convert string to float|invalid literal for int\(\) with base 10): '(.*)'")
_BY_NUMBER = {
    errno.ENOENT: "not_there",
    errno.ENOTDIR: "not_there",
    errno.EACCES: "not_allowed",
    errno.EPERM: "not_allowed",
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
}
_SHOWN = 60


class Malformed(ValueError):
    """Something is not as its format wants it; `code` names the reason."""

    def __init__(self, code: str, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(find_words(code, "en", params) or code)


def why(error: BaseException) -> dict[str, Any]:
    """The reason of an error, as parameters of the note about it."""
    for one in _chain(error):
        if isinstance(one, Malformed | BadShape):
            return {"reason": one.code, **one.params}
        if found := _known(one):
            return found
    return {"reason": "cannot_read" if isinstance(error, OSError) else "not_understood"}


def find_words(code: str, language: str, params: dict[str, Any] | None = None) -> str | None:
    """The reason in a language; None for what is no code (words that came from elsewhere)."""
    found = _words().get(code)
    if found is None:
        return None
    text = found[language]
    for name, value in (params or {}).items():
        text = text.replace("{" + name + "}", str(value))
    return text


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then what it was raised from."""
    found: BaseException | None = error
    for _ in range(10):
        if found is None:
            return
        yield found
        found = found.__cause__


def _known(error: BaseException) -> dict[str, Any] | None:
    match error:
        case json.JSONDecodeError():
            return {"reason": "not_json", "at_line": error.lineno, "at_column": error.colno}
        case UnicodeError():
            return {"reason": "not_text"}
        case KeyError():
            # A reader's own keys and a source's paths are both missing entries of what was asked for.
            return {"reason": "entry_missing", "entry": str(error.args[0] if error.args else "")[:_SHOWN]}
        case OSError():
            code = _BY_NUMBER.get(error.errno or 0)
            return {"reason": code} if code else None
        case csv.Error():
            return {"reason": "not_csv"}
        case zlib.error() | EOFError():
            return {"reason": "data_damaged"}
        case NotImplementedError():
            return {"reason": "packing_unknown"}
        case RecursionError():
            return {"reason": "too_deep"}
        case OverflowError():
            return {"reason": "number_too_large"}
        case ValueError():
            found = _NOT_A_NUMBER.match(str(error))
            return {"reason": "not_a_number", "value": found[1][:_SHOWN]} if found else None
    # Damage that archives' libraries find has classes of their own.
    is_damage = type(error).__module__.partition(".")[0] in {"zipfile", "tarfile", "_lzma", "rarfile"}
    return {"reason": "data_damaged"} if is_damage else None


@cache
def _words() -> dict[str, dict[str, str]]:
    loaded: dict[str, dict[str, str]] = json.loads(
        resources.files("tidemill.datasets").joinpath("reasons.json").read_text("utf-8")
    )
    return loaded
