"""Writing into a folder whose content belongs to a workload, which may have put links there to lead us astray."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from tidemill.engines.base import EngineError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def folder_inside(root: Path, path: str) -> Iterator[int]:
    """A descriptor of `root/path`, whose folders are made when missing; links are never followed."""
    handle = os.open(root, _FOLDER)
    try:
        for name in parts_of(path):
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=handle)
            handle, before = _step(handle, name, path), handle
            os.close(before)
        yield handle
    finally:
        os.close(handle)


def parts_of(path: str) -> tuple[str, ...]:
    """The names of a relative path; raises EngineError when it is not one."""
    parts = PurePosixPath(path).parts
    if any(part in ("..", "/") or "\0" in part for part in parts):
        raise EngineError(f"{path!r} must be a path inside the workspace, without '..'")
    return parts


def write_file(handle: int, name: str, data: bytes, mode: int = 0o644) -> None:
    """Puts a file there, replacing what was."""
    temporary = f".{name}.{os.urandom(4).hex()}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=handle)
    try:
        os.write(file, data)
    finally:
        os.close(file)
    os.rename(temporary, name, src_dir_fd=handle, dst_dir_fd=handle)


def write_link(handle: int, name: str, target: str) -> None:
    """Puts a symbolic link there, replacing a link."""
    kind = kind_of(handle, name)
    if kind == "link" and os.readlink(name, dir_fd=handle) == target:
        return
    if kind not in (None, "link"):
        raise EngineError(f"{name}: cannot be placed in the workspace, because something else is there")
    temporary = f".{name}.{os.urandom(4).hex()}"
    os.symlink(target, temporary, dir_fd=handle)
    os.rename(temporary, name, src_dir_fd=handle, dst_dir_fd=handle)


def kind_of(handle: int, name: str) -> str | None:
    """What is there: `link`, `folder`, `file`, or nothing."""
    try:
        mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"


def _step(handle: int, name: str, path: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=handle)
    except OSError:
        raise EngineError(f"{path}: {name!r} is in the way: it is a link or a file, and must be a folder") from None
