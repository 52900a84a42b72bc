"""The limits on fields, said once: types that wire schemas use.

A broken rule raises a `PydanticCustomError` whose type is a message code: the caller reads it in their language.
"""

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from tidemill.kernel.ids import looks_like_id

NAME_MAX = 50
DESCRIPTION_MAX = 500
NAME_FORBIDDEN = "/:*?\"<'>|"


def check_name(text: str) -> str:
    """The name as it will be stored; raises when it breaks a rule."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise PydanticCustomError("name_blank", "blank")
    if len(name) > NAME_MAX:
        raise PydanticCustomError("name_too_long", "too long", {"max": NAME_MAX, "length": len(name)})
    bad = sorted({c for c in name if c in NAME_FORBIDDEN or is_unprintable(c)})
    if bad or name in {".", ".."}:
        shown = " ".join(c if c in NAME_FORBIDDEN else f"U+{ord(c):04X}" for c in bad) or name
        raise PydanticCustomError("name_forbidden", "forbidden characters", {"found": shown})
    if looks_like_id(name):
        raise PydanticCustomError("name_like_id", "looks like an id")
    return name


def name_key(name: str) -> str:
    """What makes two names the same: case and Unicode form do not count."""
    return unicodedata.normalize("NFKC", name).casefold()


def is_unprintable(character: str) -> bool:
    """Control characters, line breaks, and marks that turn the direction of text."""
    return (
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or character in "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
    )


def _clean_text(text: str) -> str:
    if "\x00" in text or (not text.isascii() and any(unicodedata.category(c) == "Cs" for c in text)):
        raise PydanticCustomError("text_unprintable", "unprintable")
    return text


Name = Annotated[str, AfterValidator(check_name), Field(min_length=1, max_length=400, examples=["resnet50"])]
Description = Annotated[
    str, StringConstraints(max_length=DESCRIPTION_MAX, strip_whitespace=True), AfterValidator(_clean_text)
]
Text = Annotated[str, AfterValidator(_clean_text)]
"""Any text the database can hold."""


class Wire(BaseModel):
    """What comes in: unknown fields are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class View(BaseModel):
    """What goes out."""

    model_config = ConfigDict(from_attributes=True)


def plain(view: Any) -> Any:
    """A view as JSON-ready values."""
    return view.model_dump(mode="json") if isinstance(view, BaseModel) else view
