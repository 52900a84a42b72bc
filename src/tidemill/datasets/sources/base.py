"""A read-only, folder-like view of what is imported: a folder, an archive, or anything with paths and bytes.

Readers of formats see nothing else. Paths are posix, relative, NFC, without `.` and `..`, repaired where an archive
named its files in another encoding, and unique. A source is opened by `sources.open_source` and closed by its user:

    with open_source(Path("cells.zip"), scratch=folder) as source:
        for entry in source.entries(): ...
        with source.open("Annotations/1.xml") as file: ...
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, Self

from tidemill.datasets.notes import Note


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a source."""

    path: str
    size_bytes: int


class Source(ABC):
    """The contract: `entries` and `open` may be called any number of times, in any order, by one thread at a time."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        """What was left out or renamed while the source was opened (links, unreadable names, broken inner archives)."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """All files, ordered by path."""

    @abstractmethod
    def find(self, path: str) -> Entry | None:
        """The file at exactly that path."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """The file's bytes from the start. Raises KeyError where there is none, OSError where they cannot be read."""

    def close(self) -> None:  # noqa: B027 — most have nothing to let go of
        """Lets go of open files and of what was unpacked."""

    def read(self, path: str, limit: int = -1) -> bytes:
        """The file's bytes, or its first `limit`."""
        with self.open(path) as file:
            return file.read(limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
