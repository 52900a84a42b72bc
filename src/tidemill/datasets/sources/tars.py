"""Tar archives: a plain one is read in place, a compressed one unpacked once.

A compressed tar can only be read from front to back, and the encoding of its names is guessed from all of them: files
are unpacked under numbers first and named at the end. No name in an archive ever reaches the disk.
"""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.reasons import why
from tidemill.datasets.sources import naming
from tidemill.datasets.sources.base import Entry, Source
from tidemill.datasets.sources.limits import Budget, Meter
from tidemill.datasets.sources.unpacked import DAMAGE, UnpackedSource

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def open_tar(file: Path, scratch: Path, budget: Budget, *, is_packed: bool) -> Source:
    """Refuses a broken or hostile one."""
    try:
        return _unpack(file, scratch, budget) if is_packed else TarSource(file, budget)
    except DAMAGE as error:
        raise Refused("archive_broken", file.name, **why(error)) from error


class TarSource(Source):
    """Files lie one after another in the archive: each is a piece of it."""

    def __init__(self, file: Path, budget: Budget) -> None:
        super().__init__()
        self._file = file
        with tarfile.open(file, "r:", encoding="utf-8", errors="surrogateescape") as tar:
            found = [(member.name, member) for member in tar if not member.isdir()]
        named = _name_all(found, file, self.notes)
        self._pieces: dict[str, tuple[int, int]] = {}
        for path, member in sorted(named.items()):
            budget.take(file.name, files=1)
            self._pieces[path] = (member.offset_data, member.size)

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, size) for path, (_, size) in self._pieces.items())

    def find(self, path: str) -> Entry | None:
        piece = self._pieces.get(path)
        return None if piece is None else Entry(path, piece[1])

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(_Piece(self._file, *self._pieces[path])))


class _Piece(io.RawIOBase):
    """A part of a file as a file."""

    def __init__(self, file: Path, offset: int, size: int) -> None:
        self._stream = file.open("rb")
        self._offset, self._size, self._place = offset, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, base + offset)
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        self._stream.seek(self._offset + self._place)
        wanted = max(0, min(len(view), self._size - self._place))
        count = self._stream.readinto(view[:wanted])
        if wanted and not count:
            raise OSError("the archive ends in the middle of a file")
        self._place += count
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def _unpack(file: Path, scratch: Path, budget: Budget) -> Source:
    source = UnpackedSource(scratch)
    meter = Meter(budget, file)
    found: list[tuple[str, tarfile.TarInfo]] = []
    try:
        with tarfile.open(file, "r|*", encoding="utf-8", errors="surrogateescape") as tar:
            for number, member in enumerate(tar):
                if member.isdir():
                    continue
                found.append((str(number), member))
                stream = tar.extractfile(member) if member.isreg() else None
                if stream is not None:
                    source.add(str(number), cast(BinaryIO, stream), meter)
        named = _name_all([(member.name, member) for _, member in found], file, source.notes)
        numbers = {id(member): number for number, member in found}
        source.rename({numbers[id(member)]: path for path, member in named.items()})
    except BaseException:
        source.close()
        raise
    return source


def _name_all(found: list[tuple[str, tarfile.TarInfo]], file: Path, notes: list[Note]) -> dict[str, tarfile.TarInfo]:
    """Members that are plain files by their paths; the others are noted."""
    raw = [name.encode("utf-8", "surrogateescape") for name, _ in found]
    encoding = naming.encoding_of(raw)
    named: dict[str, tarfile.TarInfo] = {}
    for name, (_, member) in zip(raw, found, strict=True):
        path = naming.path_of(name.decode(encoding, "replace"), file.name)
        if member.issym() or member.islnk():
            _leave_out_link(member, path, file, notes)
        elif not member.isreg():
            notes.append(Note("special_file_skipped", path))
        elif path in named:
            notes.append(Note("archive_name_twice", path))
        elif path and not naming.is_rubbish(path):
            named[path] = member
    return named


def _leave_out_link(member: tarfile.TarInfo, path: str, file: Path, notes: list[Note]) -> None:
    # A hard link's target counts from the top of the archive, a symbolic one's from where it is.
    if naming.points_out(path if member.issym() else "", member.linkname):
        raise Refused("archive_link_escapes", file.name, name=path)
    notes.append(Note("link_skipped", path))
