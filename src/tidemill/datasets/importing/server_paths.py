"""Folders of the server that an administrator allowed to be imported from, and nothing beside them.

Paths are resolved to what they really are before they are compared; files are opened without following a last link, and
looked at again once they are open, so that a link that appears meanwhile leads nowhere.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from fastapi.responses import StreamingResponse

from tidemill.kernel.errors import Forbidden, Invalid, NotFound

BLOCK_BYTES = 1 << 20
LINES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Allowed:
    """A folder or file of the server, all links resolved."""

    root: Path
    is_file: bool


def check(path: str, folders: Sequence[str], *, field: str) -> Allowed:
    """What the path leads to, when it is in one of the folders; raises otherwise.

    Whether there is anything outside of them is not told.
    """
    if not folders:
        raise Forbidden("import_folders_none", field=field)
    if "\x00" in path or not path.startswith("/"):
        raise Invalid("import_path_whole", field=field)
    real = Path(os.path.realpath(path))
    roots = [Path(os.path.realpath(folder)) for folder in folders]
    if not any(real == root or root in real.parents for root in roots):
        raise Forbidden("import_path_forbidden", field=field, folders=", ".join(folders))
    try:
        mode = real.stat().st_mode
    except OSError:
        raise NotFound("import_path_missing", field=field, path=path) from None
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise NotFound("import_path_missing", field=field, path=path)
    return Allowed(real, stat.S_ISREG(mode))


def list_lines(allowed: Allowed) -> Iterator[bytes]:
    """All plain files below it: path and size, one line of JSON each, by path. Links are left out and told."""
    if allowed.is_file:
        yield orjson.dumps({"path": allowed.root.name, "size_bytes": allowed.root.stat().st_size}) + b"\n"
        return
    lines: list[bytes] = []
    for entry in _walk(str(allowed.root), ""):
        lines.append(orjson.dumps(entry) + b"\n")
        if len(lines) >= LINES_AT_ONCE:
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


def file_response(allowed: Allowed, path: str) -> StreamingResponse:
    """One file's bytes."""
    handle = _open(allowed, path)
    size = os.fstat(handle).st_size
    return StreamingResponse(
        _blocks(handle), media_type="application/octet-stream", headers={"Content-Length": str(size)}
    )


def _walk(folder: str, prefix: str) -> Iterator[dict[str, object]]:
    """Ordered as paths are: a folder's content stands where its name with a slash would."""
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name + ("/" if entry.is_dir(follow_symlinks=False) else ""))
    for entry in entries:
        relative = prefix + entry.name
        if not _is_text(relative):
            yield {"path": relative.encode("utf-8", "replace").decode(), "skipped": "name"}
        elif entry.is_symlink():
            yield {"path": relative, "skipped": "link"}
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, f"{relative}/")
        elif entry.is_file(follow_symlinks=False):
            yield {"path": relative, "size_bytes": entry.stat(follow_symlinks=False).st_size}


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _open(allowed: Allowed, path: str) -> int:
    parts = path.split("/")
    if "\x00" in path or any(part in {"", ".", ".."} for part in parts):
        raise NotFound("import_path_missing", path=path[:200])
    if allowed.is_file:
        parts = []
    place = allowed.root.joinpath(*parts)
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise NotFound("import_path_missing", path=path[:200]) from None
    real = Path(os.path.realpath(f"/proc/self/fd/{handle}"))
    is_inside = real == allowed.root or allowed.root in real.parents
    if not is_inside or not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotFound("import_path_missing", path=path[:200])
    return handle


def _blocks(handle: int) -> Iterator[bytes]:
    with os.fdopen(handle, "rb", buffering=0) as file:
        while block := file.read(BLOCK_BYTES):
            yield block
