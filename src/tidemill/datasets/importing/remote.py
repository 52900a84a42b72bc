"""Files that are elsewhere, as a source: listed once, read one by one when they are asked for."""

import io
import os
import tempfile
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tidemill.datasets.notes import Note
from tidemill.datasets.sources.base import Entry, Source

IN_MEMORY_BYTES = 8 << 20


class RemoteSource(Source):
    """Readers move about in files, so each comes whole: small ones in memory, large ones through a scratch file."""

    def __init__(self, scratch: Path) -> None:
        super().__init__()
        self._scratch = scratch
        self._files: dict[str, int] = {}

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, size) for path, size in self._files.items())

    def find(self, path: str) -> Entry | None:
        size = self._files.get(path)
        return None if size is None else Entry(path, size)

    def open(self, path: str) -> BinaryIO:
        if self._files[path] <= IN_MEMORY_BYTES:
            return io.BytesIO(self._get(path))
        handle, name = tempfile.mkstemp(dir=self._scratch)
        os.close(handle)
        try:
            self._fetch(path, Path(name))
            return open(name, "rb")
        finally:
            os.unlink(name)

    def _list(self, files: dict[str, int], left_out: list[Note]) -> None:
        self._files = dict(sorted(files.items()))
        self.notes += left_out

    @abstractmethod
    def _get(self, path: str) -> bytes:
        """A small file. Raises OSError."""

    @abstractmethod
    def _fetch(self, path: str, target: Path) -> None:
        """A large file. Raises OSError."""
