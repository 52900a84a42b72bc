"""Paths inside a tree: what is allowed, and the small arithmetic on them."""

import re
import unicodedata
from collections.abc import Iterator

from tidemill.kernel.errors import Invalid
from tidemill.kernel.fields import is_unprintable

PATH_MAX_BYTES = 1024
PART_MAX_BYTES = 255
DEPTH_MAX = 64

# What nearly every path looks like, tried first: printable ASCII, short parts, none of them `.` or `..`.
_PART = r"(?!\.{1,2}(?:/|\Z))[ -.0-\[\]-~]{1,255}"
_PLAIN = re.compile(rf"{_PART}(?:/{_PART}){{0,{DEPTH_MAX - 1}}}")


def check_path(text: str, *, field: str = "path") -> str:
    """The path as it is stored: relative, `/` between parts, NFC. Raises Invalid when it breaks a rule."""
    path = text if text.isascii() else unicodedata.normalize("NFC", text)
    if not _is_allowed(path):
        raise Invalid(
            "path_invalid",
            field=field,
            path=_shown(text),
            max_bytes=PATH_MAX_BYTES,
            part_max_bytes=PART_MAX_BYTES,
            depth=DEPTH_MAX,
        )
    return path


def ancestors(path: str) -> Iterator[str]:
    """The folders a path is in, the nearest first; the top of the tree is not among them."""
    folder = parent(path)
    while folder:
        yield folder
        folder = parent(folder)


def parent(path: str) -> str:
    """The folder a path is in; empty at the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def below(folder: str) -> tuple[str, str]:
    """Bounds (both exclusive) of the paths below a folder: `0` is the character after `/`."""
    return f"{folder}/", f"{folder}0"


def fits(path_bytes: int, depth: int) -> bool:
    """Whether a path of that length and depth is allowed."""
    return path_bytes <= PATH_MAX_BYTES and depth <= DEPTH_MAX


def _is_allowed(path: str) -> bool:
    if _PLAIN.fullmatch(path) is not None:
        return len(path) <= PATH_MAX_BYTES
    if "\\" in path or (not (path.isascii() and path.isprintable()) and any(map(is_unprintable, path))):
        return False
    parts = path.split("/")
    return fits(len(path.encode()), len(parts)) and all(
        part not in {"", ".", ".."} and len(part.encode()) <= PART_MAX_BYTES for part in parts
    )


def _shown(text: str) -> str:
    """A hostile path, safe to put in a message."""
    return "".join("\ufffd" if is_unprintable(c) else c for c in text[:200])
