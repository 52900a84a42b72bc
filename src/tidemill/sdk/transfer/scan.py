"""Finding the files of a folder: what is left out, and what becomes of links."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tidemill.kernel.errors import Invalid, NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.transfer.ignore import Ignore
from tidemill.sdk.transfer.paths import sendable

LINKS = ("inside", "follow", "skip")
"""What to do with links: follow those that stay inside, follow all, or leave all out."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file and how it looked when it was found."""

    path: str
    place: Path
    size_bytes: int
    mtime_ns: int
    inode: int


@dataclass(slots=True)
class Scan:
    """What there is to send, by its path in the store, and what was passed over."""

    files: dict[str, LocalFile] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files.values())


def scan(source: Path, *, links: str = "inside") -> Scan:
    """The files of a folder, or the one file."""
    if not source.exists():
        raise problem(NotFound, "sdk_source_missing", path=source)
    found = Scan()
    if source.is_dir():
        _Walk(source, links, found).run()
    else:
        _take(found, sendable(source.name), source, source.stat())
    return found


class _Walk:
    def __init__(self, source: Path, links: str, found: Scan) -> None:
        self.root = source.resolve()
        self.links = links
        self.found = found
        self.ignore = Ignore.of_folder(source)

    def run(self) -> None:
        self._folder(self.root, "", (self.root,))

    def _folder(self, folder: Path, prefix: str, above: tuple[Path, ...]) -> None:
        for entry in _entries(folder):
            path = f"{prefix}{entry.name}"
            is_folder = entry.is_dir()
            if self.ignore.leaves_out(path, is_folder=is_folder):
                continue
            if entry.is_symlink() and not self._follows(entry, path, above):
                self.found.skipped.append(path)
                continue
            place = Path(entry.path)
            if is_folder:
                self._folder(place, f"{path}/", (*above, place.resolve()))
            else:
                self._file(place, path)

    def _file(self, place: Path, path: str) -> None:
        seen = place.stat()
        if stat.S_ISREG(seen.st_mode):
            _take(self.found, sendable(path), place, seen)
        else:
            self.found.skipped.append(path)

    def _follows(self, entry: os.DirEntry[str], path: str, above: tuple[Path, ...]) -> bool:
        if self.links == "skip":
            return False
        try:
            target = Path(entry.path).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise problem(Invalid, "sdk_link_broken", path=path) from error
        if target.is_dir() and any(target == parent or target in parent.parents for parent in above):
            raise problem(Invalid, "sdk_link_loop", path=path)
        if self.links == "inside" and not target.is_relative_to(self.root):
            raise problem(Invalid, "sdk_link_outside", path=path)
        return True


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise problem(Invalid, "sdk_source_unreadable", path=folder, cause=error.strerror) from error


def _take(found: Scan, path: str, place: Path, seen: os.stat_result) -> None:
    if path in found.files:
        raise problem(Invalid, "sdk_path_twice", path=repr(str(place)), other=repr(str(found.files[path].place)))
    found.files[path] = LocalFile(path, place, seen.st_size, seen.st_mtime_ns, seen.st_ino)
