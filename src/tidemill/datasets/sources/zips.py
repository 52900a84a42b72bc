"""A zip archive, read in place."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.reasons import why
from tidemill.datasets.sources import naming
from tidemill.datasets.sources.base import Entry, Source
from tidemill.datasets.sources.limits import Budget, Meter

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_WHOLE_BYTES = 4 << 20
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


class ZipSource(Source):
    """Members are found by the directory at the end; their sizes there bound what reading them can give."""

    def __init__(self, file: Path, budget: Budget) -> None:
        super().__init__()
        try:
            self._zip = zipfile.ZipFile(file)
            members = [info for info in self._zip.infolist() if not info.is_dir()]
        except (OSError, *_DAMAGE) as error:
            raise Refused("archive_broken", file.name, **why(error)) from error
        try:
            self._files = self._list(members, file, budget)
        except BaseException:
            self._zip.close()
            raise

    def entries(self) -> Iterator[Entry]:
        return (Entry(path, info.file_size) for path, info in self._files.items())

    def find(self, path: str) -> Entry | None:
        info = self._files.get(path)
        return None if info is None else Entry(path, info.file_size)

    def open(self, path: str) -> BinaryIO:
        info = self._files[path]
        try:
            member = self._zip.open(info)
            if info.file_size > _WHOLE_BYTES:
                return cast(BinaryIO, io.BufferedReader(_Guarded(cast(BinaryIO, member), path)))
            with member:
                return io.BytesIO(member.read())
        except _DAMAGE as error:
            raise OSError(f"{path}: {error}") from error

    def close(self) -> None:
        self._zip.close()

    def _list(self, members: list[zipfile.ZipInfo], file: Path, budget: Budget) -> dict[str, zipfile.ZipInfo]:
        encoding = naming.encoding_of(_raw(info) for info in members if not info.flag_bits & _UTF8_FLAG)
        found: dict[str, zipfile.ZipInfo] = {}
        meter = Meter(budget, file)
        for info in members:
            if info.flag_bits & _ENCRYPTED_FLAG:
                raise Refused("archive_encrypted", file.name)
            path = naming.path_of(_name(info, encoding), file.name)
            meter.take(files=1, size_bytes=info.file_size)
            if stat.S_ISLNK(info.external_attr >> 16):
                self._leave_out_link(info, path, file)
            elif path in found:
                self.notes.append(Note("archive_name_twice", path))
            elif path and not naming.is_rubbish(path):
                found[path] = info
        return dict(sorted(found.items()))

    def _leave_out_link(self, info: zipfile.ZipInfo, path: str, file: Path) -> None:
        target = self._zip.read(info)[:4096].decode("utf-8", "replace") if info.file_size <= 4096 else "/"
        if naming.points_out(path, target):
            raise Refused("archive_link_escapes", file.name, name=path)
        self.notes.append(Note("link_skipped", path))


def _raw(info: zipfile.ZipInfo) -> bytes:
    """The name's bytes: zipfile reads those without a mark as code page 437."""
    return info.orig_filename.encode("cp437", "replace")


def _name(info: zipfile.ZipInfo, encoding: str) -> str:
    if info.flag_bits & _UTF8_FLAG:
        return info.orig_filename
    return _raw(info).decode(encoding, "replace")


class _Guarded(io.RawIOBase):
    """A member's stream whose damage is an OSError, as everywhere."""

    def __init__(self, inner: BinaryIO, path: str) -> None:
        self._inner, self._path = inner, path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        try:
            data = self._inner.read(len(view))
        except _DAMAGE as error:
            raise OSError(f"{self._path}: {error}") from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()
