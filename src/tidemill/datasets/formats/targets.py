"""Where formats are written: a folder, or a zip archive made while it is written."""

import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from tidemill.datasets.formats.base import Target

_COPY_BYTES = 1 << 20
_SPOOL_BYTES = 8 << 20
_STORED = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".mp3", ".mp4", ".ogg", ".flac", ".zip", ".gz", ".avif", ".m4a")


class FolderTarget(Target):
    """Files below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._made: set[str] = set()

    def add(self, path: str, data: bytes) -> None:
        # Plain calls: with tens of thousands of small files, opening them is most of the work.
        handle = os.open(self._place(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        finally:
            os.close(handle)

    def copy(self, path: str, file: BinaryIO) -> None:
        with open(self._place(path), "wb") as out:
            shutil.copyfileobj(file, out, _COPY_BYTES)

    def open(self, path: str) -> BinaryIO:
        return open(self._place(path), "wb")

    def _place(self, path: str) -> str:
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            os.makedirs(f"{self._root}/{folder}", exist_ok=True)
            self._made.add(folder)
        return f"{self._root}/{path}"


class ZipTarget(Target):
    """A zip archive; use it as a context, its directory is written at the end."""

    def __init__(self, out: BinaryIO | Path) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1)

    def add(self, path: str, data: bytes) -> None:
        self._zip.writestr(_info(path), data, compresslevel=1)

    def copy(self, path: str, file: BinaryIO) -> None:
        with self._zip.open(_info(path), "w", force_zip64=True) as out:
            shutil.copyfileobj(file, out, _COPY_BYTES)

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, _Later(self, path))

    def close(self) -> None:
        self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()


class MemoryTarget(Target):
    """Files in memory, for small sets."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def add(self, path: str, data: bytes) -> None:
        self.files[path] = data

    def copy(self, path: str, file: BinaryIO) -> None:
        self.files[path] = file.read()

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, _Later(self, path))


class _Later(io.BufferedIOBase):
    """Written beside the target, put into it when it is closed: an archive takes one file at a time."""

    def __init__(self, target: Target, path: str) -> None:
        self._target, self._path = target, path
        self._spool = tempfile.SpooledTemporaryFile(_SPOOL_BYTES)  # noqa: SIM115 — closed with this

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return self._spool.write(data)

    def close(self) -> None:
        if not self.closed:
            self._spool.seek(0)
            self._target.copy(self._path, cast(BinaryIO, self._spool))
            self._spool.close()
        super().close()


def _info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path)
    info.external_attr = 0o100644 << 16
    info.compress_type = zipfile.ZIP_STORED if path.lower().endswith(_STORED) else zipfile.ZIP_DEFLATED
    return info
