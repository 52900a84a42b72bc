"""Archives that can only be read from front to back are unpacked once, under names of our own: no name in the archive
ever reaches the disk."""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from tidemill.datasets.notes import Refused
from tidemill.datasets.reasons import why
from tidemill.datasets.sources import naming
from tidemill.datasets.sources.base import Entry, Source
from tidemill.datasets.sources.limits import Budget, Meter

_BLOCK_BYTES = 1 << 20
DAMAGE = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)


class UnpackedSource(Source):
    """Files of a scratch folder under the paths they had in the archive."""

    def __init__(self, scratch: Path) -> None:
        super().__init__()
        scratch.mkdir(parents=True, exist_ok=True)
        self._scratch = scratch
        self._files: dict[str, tuple[Path, int]] = {}
        self._made = 0

    def add(self, path: str, stream: BinaryIO, meter: Meter) -> None:
        """Writes one file, counting as it goes: what the archive says of its sizes is not believed."""
        meter.take(files=1)
        self._made += 1
        file = self._scratch / f"{self._made:07d}"
        size = 0
        with file.open("wb") as out:
            while block := stream.read(_BLOCK_BYTES):
                size += len(block)
                meter.take(size_bytes=len(block))
                out.write(block)
        self._files[path] = (file, size)

    def rename(self, names: dict[str, str]) -> None:
        """Gives files their paths, by the ones they were added under; those without a new one go."""
        for path in self._files.keys() - names.keys():
            self._files[path][0].unlink()
        renamed = {names[path]: found for path, found in self._files.items() if path in names}
        self._files = dict(sorted(renamed.items()))

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, size) for path, (_, size) in self._files.items())

    def find(self, path: str) -> Entry | None:
        found = self._files.get(path)
        return None if found is None else Entry(path, found[1])

    def open(self, path: str) -> BinaryIO:
        return self._files[path][0].open("rb")

    def close(self) -> None:
        for file, _ in self._files.values():
            file.unlink(missing_ok=True)


_OPENERS: dict[str, type[gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


def unpack_single(file: Path, name: str, scratch: Path, budget: Budget) -> Source:
    """A single compressed file (`adult.csv.gz`) as the file in it."""
    source = UnpackedSource(scratch)
    stem, dot, suffix = name.rpartition(".")
    try:
        with _OPENERS[f"{dot}{suffix}".lower()](file, "rb") as stream:
            source.add(naming.path_of(stem), cast(BinaryIO, stream), Meter(budget, file))
    except DAMAGE as error:
        source.close()
        raise Refused("archive_broken", name, **why(error)) from error
    return source
