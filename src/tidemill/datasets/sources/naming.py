"""File names as archives and disks give them, made into paths: repaired, checked, and without rubbish."""

import posixpath
import re
import unicodedata
from collections.abc import Iterable

from tidemill.datasets.media import encodings
from tidemill.datasets.notes import Refused

_PLAIN = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}/){0,9}[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}\Z")
"""Nearly every name; those need no second look."""
_DRIVE = re.compile(r"^[A-Za-z]:")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_RUBBISH = {".ds_store", "thumbs.db", "desktop.ini", "__macosx", ".git", ".svn", "@eadir", ".ipynb_checkpoints"}
PART_MAX_BYTES = 255
PATH_MAX_BYTES = 1024


def encoding_of(names: Iterable[bytes]) -> str:
    """The one encoding all names of an archive are in; names in pure ASCII have no say."""
    telling = [name for name in names if not name.isascii()]
    return encodings.guess(b"\n".join(telling)) if telling else "utf-8"


def path_of(name: str, archive: str = "") -> str:
    """The path for a name in an archive. Refuses one that points out of it; drive letters and `./` go."""
    if _PLAIN.match(name):
        return name
    text = unicodedata.normalize("NFC", name.replace("\\", "/"))
    if text.startswith("/") or _DRIVE.match(text) or ".." in text.split("/"):
        raise Refused("archive_traversal", archive, name=_UNPRINTABLE.sub("\ufffd", name[:200]))
    parts = [_part(part) for part in text.split("/") if part not in {"", "."}]
    return _shortened("/".join(parts))


def is_rubbish(path: str) -> bool:
    """What systems leave behind in folders and nobody means to import."""
    parts = path.split("/")
    return any(part.lower() in _RUBBISH for part in parts) or parts[-1].startswith("._")


def points_out(link: str, target: str) -> bool:
    """Whether a link's target leaves the archive."""
    target = target.replace("\\", "/")
    return target.startswith("/") or posixpath.normpath(posixpath.join(posixpath.dirname(link), target)).startswith(
        ".."
    )


def _part(part: str) -> str:
    clean = _UNPRINTABLE.sub("_", part).rstrip(" ") or "_"
    if len(clean.encode()) <= PART_MAX_BYTES:
        return clean
    stem, dot, suffix = clean.rpartition(".")
    if not dot or len(suffix) > 10:
        stem, suffix = clean, ""
    room = PART_MAX_BYTES - len(f"{dot}{suffix}".encode() if suffix else b"")
    return stem.encode()[:room].decode("utf-8", "ignore") + (f".{suffix}" if suffix else "")


def _shortened(path: str) -> str:
    """The last parts of a path that is too long: they tell files apart."""
    while len(path.encode()) > PATH_MAX_BYTES:
        path = path.partition("/")[2]
    return path
