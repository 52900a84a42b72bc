"""What a file in a version may be called: the server's rules, checked before anything is sent or written."""

import unicodedata

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem, say

PATH_MAX_BYTES = 1024
PART_MAX_BYTES = 255
DEPTH_MAX = 64
_TURNS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
PARTS_FOLDER = ".tidemill-parts"
"""Where a pull keeps files on their way; never sent, never written as content."""


def find_fault(path: str) -> str | None:
    """Why a path may not be stored, as a message code; None when it may."""
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        return "sdk_reason_not_text"
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return "sdk_reason_empty_part"
    if "\\" in path or any(_is_unprintable(c) for c in path):
        return "sdk_reason_character"
    if (
        len(encoded) > PATH_MAX_BYTES
        or len(parts) > DEPTH_MAX
        or any(len(part.encode()) > PART_MAX_BYTES for part in parts)
    ):
        return "sdk_reason_too_long"
    return None


def sendable(path: str) -> str:
    """A local path as the store will call it; raises when it cannot."""
    path = unicodedata.normalize("NFC", path)
    if fault := find_fault(path):
        raise problem(Invalid, "sdk_path_unsendable", field="path", path=repr(path), reason=say(fault))
    return path


def check_writable(path: str) -> None:
    """Refuses a path from the server that would leave the folder, or that no honest server sends."""
    fault = find_fault(path)
    if path.startswith("/") or path[1:2] == ":":
        fault = "sdk_reason_absolute"
    elif path.split("/")[0] == PARTS_FOLDER:
        fault = "sdk_reason_reserved"
    if fault:
        raise hostile(path, fault)


def _is_unprintable(character: str) -> bool:
    """Control characters, line breaks, and marks that turn the direction of text."""
    return character in _TURNS or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def hostile(path: str, fault: str) -> Invalid:
    return problem(Invalid, "sdk_path_hostile", field="path", path=repr(path), reason=say(fault))
