"""Which checkpoint a run goes on from.

The rule, as users read it: the newest entry of `persistent-model/checkpoints` that is whole.

- An entry is a file or a folder. Names that begin with `.`, or end in `.tmp`, `.part`, `.partial`, `.incomplete` or `~`
  do not count: write to such a name and rename when done.
- Newest is what was written to last.
- Whole means: not empty, and what can be checked is in order. Files in the ZIP form (`torch.save`, `.npz`, `.keras`)
  end with their table of contents, `.safetensors` files are as long as their header says, `.json` files can be read. A
  folder is whole when all of its files are.
- A file `latest` that holds the name of a whole entry, or a link `latest` to one, is believed before all this.

Nothing in a workspace is trusted: links are not followed out of the folder, and looking is bounded.
"""

import json
import logging
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("tidemill.training")

FOLDER = "persistent-model/checkpoints"
LATEST = "latest"

_UNFINISHED = (".tmp", ".part", ".partial", ".incomplete", "~")
_ZIPPED = frozenset({".pt", ".pth", ".ckpt", ".npz", ".zip", ".keras"})
_ZIP_START, _ZIP_END = b"PK\x03\x04", b"PK\x05\x06"
_ZIP_TAIL_BYTES = 66_000
_JSON_MAX_BYTES = 16 * 1024 * 1024
_HEADER_MAX_BYTES = 128 * 1024 * 1024
_ENTRIES_MAX = 10_000
_FILES_MAX = 20_000


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    path: Path
    changed_at: float


def find_newest(workspace: Path) -> str | None:
    """The checkpoint's path below the workspace, or None when there is no whole one."""
    folder = workspace / FOLDER
    if not _is_folder(folder) or not _is_folder(folder.parent):
        return None
    if (name := _named_latest(folder)) is not None and _is_whole(folder / name):
        return f"{FOLDER}/{name}"
    entries = sorted(_entries(folder), key=lambda entry: (entry.changed_at, entry.name), reverse=True)
    return next((f"{FOLDER}/{entry.name}" for entry in entries if _is_whole(entry.path)), None)


def _entries(folder: Path) -> Iterator[_Entry]:
    try:
        with os.scandir(folder) as found:
            for number, entry in enumerate(found):
                if number >= _ENTRIES_MAX:
                    log.warning("%s has more than %s entries; the rest is not looked at", folder, _ENTRIES_MAX)
                    return
                if _may_count(entry.name) and not entry.is_symlink():
                    yield _Entry(entry.name, Path(entry.path), _changed_at(Path(entry.path)))
    except OSError as error:
        log.warning("checkpoints cannot be looked at: %s", error)


def _may_count(name: str) -> bool:
    return not name.startswith(".") and not name.lower().endswith(_UNFINISHED) and name != LATEST


def _named_latest(folder: Path) -> str | None:
    """What `latest` says, when it says something that may count."""
    marker = folder / LATEST
    try:
        found = marker.lstat()
        if stat.S_ISLNK(found.st_mode):
            name = os.readlink(marker)
        elif stat.S_ISREG(found.st_mode) and found.st_size <= 1024:
            name = marker.read_text("utf-8").strip()
        else:
            return None
    except (OSError, UnicodeDecodeError):
        return None
    name = os.path.normpath(name).removeprefix(f"{folder}/") if name else ""
    return name if name and "/" not in name and _may_count(name) and not (folder / name).is_symlink() else None


def _files(path: Path) -> Iterator[Path]:
    """All files of an entry; links are left out."""
    if not path.is_dir():
        yield path
        return
    for number, (folder, _, names) in enumerate(os.walk(path)):
        if number > _FILES_MAX:
            return
        yield from (Path(folder, name) for name in names)


def _changed_at(path: Path) -> float:
    times = [path.lstat().st_mtime]
    for number, file in enumerate(_files(path)):
        if number >= _FILES_MAX:
            break
        try:
            times.append(file.lstat().st_mtime)
        except OSError:
            continue
    return max(times)


def _is_whole(path: Path) -> bool:
    try:
        sizes = 0
        for number, file in enumerate(_files(path)):
            if number >= _FILES_MAX:
                return False
            found = file.lstat()
            if stat.S_ISLNK(found.st_mode):
                continue
            if not stat.S_ISREG(found.st_mode) or file.name.lower().endswith(_UNFINISHED):
                return False
            if not _file_is_whole(file, found.st_size):
                return False
            sizes += found.st_size
        return sizes > 0
    except OSError:
        return False


def _file_is_whole(file: Path, size: int) -> bool:
    kind = file.suffix.lower()
    if kind in _ZIPPED:
        return _zip_is_whole(file, size)
    if kind == ".safetensors":
        return _safetensors_is_whole(file, size)
    if kind == ".json" and size <= _JSON_MAX_BYTES:
        try:
            json.loads(file.read_bytes())
        except (ValueError, RecursionError):
            return False
    return True


def _zip_is_whole(file: Path, size: int) -> bool:
    """Anything that does not begin as a ZIP (an old `torch.save`) only has to have content."""
    with file.open("rb") as opened:
        if opened.read(4) != _ZIP_START:
            return size > 0
        opened.seek(max(0, size - _ZIP_TAIL_BYTES))
        return _ZIP_END in opened.read()


def _safetensors_is_whole(file: Path, size: int) -> bool:
    with file.open("rb") as opened:
        start = opened.read(8)
        if len(start) < 8:
            return False
        (length,) = struct.unpack("<Q", start)
        if length > min(size, _HEADER_MAX_BYTES):
            return False
        try:
            header = json.loads(opened.read(length))
            end = max(
                (tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"), default=0
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return False
    return bool(size >= 8 + length + end)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
