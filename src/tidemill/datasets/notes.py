"""What was skipped or changed on the way in or out, line by line, for the report.

A `Note` carries a code and parameters; the words are in `notes.json`, in every language. `Refused` is a note that ends
the whole work: the source cannot be read at all, or is hostile.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

from tidemill.datasets.reasons import find_words

Level = Literal["skipped", "changed", "info"]
"""`skipped`: something is not in the result; `changed`: it is, but not as it was; `info`: worth knowing."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a report."""

    code: str
    path: str = ""
    line: int | None = None
    level: Level = "skipped"
    params: Mapping[str, Any] = field(default_factory=dict)

    def words(self, language: str) -> str:
        """The note in a language (`en`, `zh-CN`)."""
        text: str = _words()[self.code][language]
        if "reason" in self.params:
            # First: what it speaks of is among the parameters, too.
            text = text.replace("{reason}", _reason(self.params["reason"], language))
        for name, value in self.params.items():
            text = text.replace("{" + name + "}", str(value))
        return text


def _reason(reason: Any, language: str) -> str:
    """A code of `reasons.json`, another note, words in every language, or words that came from elsewhere."""
    if not isinstance(reason, Mapping):
        return find_words(str(reason), language) or str(reason)
    if "code" in reason:
        return Note(reason["code"], params=reason.get("params") or {}).words(language)
    return str(reason.get(language, ""))


class Refused(Exception):
    """The source as a whole cannot be taken; `note` says why."""

    def __init__(self, code: str, path: str = "", **params: Any) -> None:
        self.note = Note(code, path, params=params)
        super().__init__(self.note.words("en"))


@cache
def _words() -> dict[str, dict[str, str]]:
    loaded: dict[str, dict[str, str]] = json.loads(
        resources.files("tidemill.datasets").joinpath("notes.json").read_text("utf-8")
    )
    return loaded
