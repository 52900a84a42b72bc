"""Looking into a workspace from outside.

Its files belong to a workload that may be hostile and may still be running: no link is followed on any step of a path,
at the moment of opening and not only before it, and only folders and plain files are opened.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotThere(Exception):
    """No such file or folder, or not one that may be opened."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder of a workspace."""

    path: str
    is_folder: bool
    size_bytes: int
    changed_at_s: float


def open_file(workspace: Path, path: str) -> BinaryIO:
    """A plain file below the workspace; raises NotThere."""
    folder, _, name = path.rpartition("/")
    with _folder(workspace, folder) as descriptor:
        try:
            opened = os.open(name, _FILE, dir_fd=descriptor)
        except OSError as error:
            raise NotThere(path) from error
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise NotThere(path)
    return os.fdopen(opened, "rb")


def list_folder(workspace: Path, path: str) -> list[Entry]:
    """What is in a folder, folders first, then by name; links and special files are left out. Raises NotThere."""
    with _folder(workspace, path) as descriptor, os.scandir(descriptor) as entries:
        found = [entry for name in entries if (entry := _entry(path, name)) is not None]
    return sorted(found, key=lambda entry: (not entry.is_folder, entry.path))


def _entry(folder: str, entry: "os.DirEntry[str]") -> Entry | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    is_folder = stat.S_ISDIR(found.st_mode)
    if not is_folder and not stat.S_ISREG(found.st_mode):
        return None
    path = f"{folder}/{entry.name}" if folder else entry.name
    return Entry(path, is_folder, 0 if is_folder else found.st_size, found.st_mtime)


@contextmanager
def _folder(workspace: Path, path: str) -> Iterator[int]:
    descriptor = -1
    try:
        descriptor = os.open(workspace, _FOLDER)
        for part in path.split("/") if path else ():
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    except OSError as error:
        raise NotThere(path) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)
