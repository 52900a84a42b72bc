"""A source held in memory: for samples of formats, single files, and tests."""

import io
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tidemill.datasets.sources.base import Entry, Source


class MemorySource(Source):
    """Paths with their bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__()
        self._files = dict(sorted(files.items()))

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, len(data)) for path, data in self._files.items())

    def find(self, path: str) -> Entry | None:
        data = self._files.get(path)
        return None if data is None else Entry(path, len(data))

    def open(self, path: str) -> BinaryIO:
        return io.BytesIO(self._files[path])
