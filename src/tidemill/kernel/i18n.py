"""Messages in the languages we speak.

Each room keeps its own `messages.json`: `{"code": {"en": "…", "zh-CN": "…", "hint": {"en": "…", "zh-CN": "…"}}}`.
The two languages stand beside each other so that a missing one is seen at once.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

Language = Literal["en", "zh-CN"]
LANGUAGES: tuple[Language, ...] = ("en", "zh-CN")

Message = dict[str, Any]


def message(code: str, language: Language, **params: Any) -> str:
    """The words for a code; a code without words is a defect, so it raises KeyError."""
    return _fill(catalogue()[code][language], params)


def find_hint(code: str, language: Language, **params: Any) -> str | None:
    """What the user can do about it, where the catalogue says."""
    hint = catalogue().get(code, {}).get("hint")
    return None if hint is None else _fill(hint[language], params)


def pick_language(accept_language: str | None) -> Language:
    """The first language we speak among those the caller lists, by weight; English otherwise."""
    weighted = []
    for place, part in enumerate((accept_language or "").split(",")[:20]):
        tag, _, rest = part.strip().partition(";")
        weighted.append((-_weight(rest), place, tag.lower()))
    for negative_weight, _, tag in sorted(weighted):
        if negative_weight == 0:
            continue
        if tag.startswith("zh"):
            return "zh-CN"
        if tag.startswith("en"):
            return "en"
    return "en"


def locale_language(environment: Mapping[str, str]) -> Language:
    """The language of the terminal: the first of LC_ALL, LC_MESSAGES and LANG that is set."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((value for name in names if (value := environment.get(name))), "")
    return pick_language(locale.partition(".")[0].replace("_", "-"))


@cache
def catalogue() -> dict[str, Message]:
    """All rooms' messages by code; a code said twice is a defect."""
    found: dict[str, Message] = {}
    for room in resources.files("tidemill").iterdir():
        file = room.joinpath("messages.json")
        if not room.is_dir() or not file.is_file():
            continue
        for code, words in json.loads(file.read_text("utf-8")).items():
            if code in found:
                raise ValueError(f"message {code!r} is defined twice")
            found[code] = words
    return found


def _weight(rest: str) -> float:
    name, _, value = rest.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return max(0.0, min(1.0, float(value)))
    except ValueError:
        return 0.0


def _fill(text: str, params: dict[str, Any]) -> str:
    for name, value in params.items():
        text = text.replace("{" + name + "}", str(value))
    return text
