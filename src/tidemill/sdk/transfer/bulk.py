"""Many small files in one answer: asking for each alone costs more than its bytes.

The version's archive is read as it comes. Its names are only ever looked up among the paths that were checked before,
and what is not exactly what the manifest promises is left to be fetched alone.
"""

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tidemill.kernel.errors import Unavailable
from tidemill.sdk.transfer.progress import Meter
from tidemill.sdk.transfer.target import Target
from tidemill.sdk.transport import Transport
from tidemill.sdk.views import ManifestLine

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

WORTH_FILES = 100
WORTH_SHARE = 0.5
BLOCK_BYTES = 256 * 1024

Lines = Mapping[str, ManifestLine]


def is_worth(missing: Lines, lines: Lines) -> bool:
    """Whether to ask for everything at once: many files are missing, and most of the bytes are theirs."""
    wanted = sum(line.size_bytes for line in missing.values())
    whole = sum(line.size_bytes for line in lines.values())
    return len(missing) >= WORTH_FILES and wanted >= WORTH_SHARE * whole


def fetch_archive(
    transport: Transport, address: str, path: str, missing: Lines, target: Target, meter: Meter
) -> set[str]:
    """Puts what comes right in its place; which paths those were. A stream that is cut ends it, and is no failure."""
    placed: set[str] = set()
    try:
        with transport.stream(address, params={"format": "tar", "path": path or None}) as response:
            _unpack(_Blocks(response.iter_raw()), missing, target, meter, placed)
    except (Unavailable, tarfile.TarError):
        return placed
    return placed


def _unpack(file: "_Blocks", missing: Lines, target: Target, meter: Meter, placed: set[str]) -> None:
    with tarfile.open(fileobj=file, mode="r|", bufsize=64 * 1024) as archive:
        for member in archive:
            line = missing.get(member.name)
            if line is None or not member.isreg() or member.issparse() or member.size != line.size_bytes:
                continue
            content = archive.extractfile(member)
            if content is not None and _place(content, line, member.name, target, meter):
                placed.add(member.name)


def _place(content: IO[bytes], line: ManifestLine, path: str, target: Target, meter: Meter) -> bool:
    part = target.part(line.sha256)
    if _write(content, part) != line.sha256:
        part.unlink()
        return False
    target.put(part, path)
    meter.add(files=1, size_bytes=line.size_bytes)
    return True


def _write(content: IO[bytes], part: Path) -> str:
    hasher = hashlib.sha256()
    with open(part, "wb") as out:
        while block := content.read(BLOCK_BYTES):
            hasher.update(block)
            out.write(block)
    return hasher.hexdigest()


class _Blocks(io.RawIOBase):
    """Blocks as they come from the network, read as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        wanted = memoryview(buffer)
        size = min(len(wanted), len(self._rest))
        wanted[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
