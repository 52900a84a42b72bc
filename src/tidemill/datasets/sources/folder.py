"""A folder of the disk, or a single file, as a source. Links are not followed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tidemill.datasets.notes import Note
from tidemill.datasets.sources import naming
from tidemill.datasets.sources.base import Entry, Source
from tidemill.datasets.sources.limits import Budget


class FolderSource(Source):
    """All plain files below a folder."""

    def __init__(self, root: Path, budget: Budget) -> None:
        super().__init__()
        self._files: dict[str, tuple[bytes, int]] = {}
        found = sorted(self._walk(os.fsencode(root), b"", budget))
        encoding = naming.encoding_of(relative for relative, _, _ in found)
        for relative, real, size in found:
            path = naming.path_of(relative.decode(encoding, "replace"), str(root))
            if not naming.is_rubbish(path):
                self._files[path] = (real, size)
        self._files = dict(sorted(self._files.items()))

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, size) for path, (_, size) in self._files.items())

    def find(self, path: str) -> Entry | None:
        found = self._files.get(path)
        return None if found is None else Entry(path, found[1])

    def open(self, path: str) -> BinaryIO:
        return open(self._files[path][0], "rb")

    def _walk(self, folder: bytes, prefix: bytes, budget: Budget) -> Iterator[tuple[bytes, bytes, int]]:
        with os.scandir(folder) as listing:
            entries = list(listing)
        for entry in entries:
            relative = prefix + entry.name
            if entry.is_symlink():
                self.notes.append(Note("link_skipped", relative.decode("utf-8", "replace")))
            elif entry.is_dir():
                yield from self._walk(entry.path, relative + b"/", budget)
            elif entry.is_file():
                budget.take(os.fsdecode(folder), files=1)
                yield relative, entry.path, entry.stat().st_size


class FileSource(Source):
    """One file alone, under its name (or another)."""

    def __init__(self, file: Path, name: str | None = None) -> None:
        super().__init__()
        self._file = file
        self._entry = Entry(naming.path_of(name or file.name), file.stat().st_size)

    def entries(self) -> Iterator[Entry]:
        yield self._entry

    def find(self, path: str) -> Entry | None:
        return self._entry if path == self._entry.path else None

    def open(self, path: str) -> BinaryIO:
        if path != self._entry.path:
            raise KeyError(path)
        return self._file.open("rb")
