"""The bytes, texts and rows of what a model is given."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidemill.runtime.model import Input
from tidemill.sdk.data import Item


def content(given: Input) -> bytes:
    """The bytes of an item, a file, or a text."""
    if isinstance(given, bytes):
        return given
    if isinstance(given, Item):
        return given.read_bytes()
    if isinstance(given, Path):
        return given.read_bytes()
    if isinstance(given, str):
        return given.encode()
    raise TypeError(f"a file is needed, not a {type(given).__name__}")


def text(given: Input) -> str:
    """The text of an item, a file, or the text itself."""
    return given if isinstance(given, str) else content(given).decode("utf-8-sig", "replace")


def row(given: Input) -> Mapping[str, Any]:
    """The fields of a table's row."""
    if isinstance(given, Mapping):
        return given
    found = json.loads(content(given))
    if not isinstance(found, dict):
        raise ValueError("a row is an object with a field for each column")
    return found
