"""A source with the archives in it opened in their places: `a/b.zip` holding `c.jpg` is seen as `a/b/c.jpg`."""

import heapq
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.reasons import why
from tidemill.datasets.sources.base import Entry, Source

Open = Callable[[Path, str, Path], Source]
"""Opens an archive at a path, known by a name, with a scratch folder of its own."""


class NestedSource(Source):
    """An outer source without its archives, and each of them below the path it had."""

    def __init__(self, outer: Source, archives: list[tuple[str, str]], scratch: Path, open_archive: Open) -> None:
        super().__init__()
        self._outer = outer
        self._inner: dict[str, list[Source]] = {}
        """By what stands before their paths: `a/b/`, or nothing."""
        self._hidden: set[str] = set()
        self.notes = list(outer.notes)
        for number, (path, mount) in enumerate(archives):
            self._mount(path, mount, scratch / f"in{number}", open_archive)

    def _mount(self, path: str, mount: str, scratch: Path, open_archive: Open) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        copy = scratch / "archive"
        try:
            with self._outer.open(path) as stream, copy.open("wb") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
            inner = open_archive(copy, path.rpartition("/")[2], scratch / "files")
        except Refused as refused:
            self.notes.append(Note(refused.note.code, path, params=refused.note.params))
            return
        except OSError as error:
            self.notes.append(Note("file_unreadable", path, params=why(error)))
            return
        self._hidden.add(path)
        self._inner.setdefault(mount, []).append(inner)
        self.notes += [Note(n.code, f"{mount}{n.path}", n.line, n.level, n.params) for n in inner.notes]

    def entries(self) -> Iterator[Entry]:
        inside = (self._inside(mount, source) for mount, sources in self._inner.items() for source in sources)
        last = ""
        for entry in heapq.merge(self._outside(), *inside, key=lambda entry: entry.path):
            # Where two hold the same path, the first is seen.
            if entry.path != last:
                yield entry
            last = entry.path

    def _outside(self) -> Iterator[Entry]:
        return (entry for entry in self._outer.entries() if entry.path not in self._hidden)

    @staticmethod
    def _inside(mount: str, source: Source) -> Iterator[Entry]:
        return (Entry(f"{mount}{entry.path}", entry.size_bytes) for entry in source.entries())

    def find(self, path: str) -> Entry | None:
        if path not in self._hidden and (entry := self._outer.find(path)):
            return entry
        return next((Entry(path, entry.size_bytes) for _, entry in self._at(path)), None)

    def open(self, path: str) -> BinaryIO:
        if path not in self._hidden and self._outer.find(path):
            return self._outer.open(path)
        for source, entry in self._at(path):
            return source.open(entry.path)
        raise KeyError(path)

    def _at(self, path: str) -> Iterator[tuple[Source, Entry]]:
        """The inner sources that have it, with the entry there."""
        for mount, sources in self._inner.items():
            for source in sources if path.startswith(mount) else ():
                if entry := source.find(path[len(mount) :]):
                    yield source, entry

    def close(self) -> None:
        for sources in self._inner.values():
            for source in sources:
                source.close()
        self._outer.close()
