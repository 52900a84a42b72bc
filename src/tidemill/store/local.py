"""Blobs in a folder of this machine."""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from tidemill.kernel.ids import new_id
from tidemill.store.backends import BLOCK_BYTES, DIGEST, BlobMissing, Found, Staged

SYNC_ONE_BY_ONE = 4
"""Up to this many files are flushed one by one; more are flushed together with their whole file system."""


class LocalBackend:
    """Blobs at `blobs/ab/<digest>`. Files are made in `tmp` beside it, on the same file system: placing is a rename."""

    kind = "local"

    def __init__(self, folder: Path, *, fsync: bool = True) -> None:
        self._blobs = str(folder / "blobs")
        self._temporary = folder / "tmp"
        self._fsync = fsync
        self._temporary.mkdir(parents=True, exist_ok=True)
        for prefix in range(256):
            os.makedirs(f"{self._blobs}/{prefix:02x}", exist_ok=True)

    def put_files(self, files: Sequence[Staged], *, keep_source: bool = False) -> None:
        for file in files:
            source = self._second_name(file.path) if keep_source else file.path
            os.rename(source, self._path(file.digest))
        if self._fsync and files:
            self._flush([file.digest for file in files])

    def put_bytes(self, digest: str, data: bytes) -> None:
        path = self._temporary / new_id("tmp")
        path.write_bytes(data)
        self.put_files([Staged(digest, len(data), str(path))])

    def put_contents(self, contents: Mapping[str, bytes]) -> None:
        for digest, data in contents.items():
            self._write(self._path(digest), data)
        if self._fsync and contents:
            self._flush(list(contents))

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        try:
            file = FileIO(self._path(digest))
        except FileNotFoundError:
            raise BlobMissing(digest) from None
        return _blocks(file, start, length)

    def local_path(self, digest: str) -> Path | None:
        return Path(self._path(digest))

    def size(self, digest: str) -> int | None:
        try:
            return os.stat(self._path(digest)).st_size
        except FileNotFoundError:
            return None

    def delete(self, digests: Iterable[str]) -> None:
        for digest in digests:
            with suppress(FileNotFoundError):
                os.unlink(self._path(digest))

    def iterate(self) -> Iterator[Found]:
        for folder in sorted(os.listdir(self._blobs)):
            with os.scandir(f"{self._blobs}/{folder}") as entries:
                yield from filter(None, map(_find, entries))

    def _path(self, digest: str) -> str:
        """As text: with thousands of small files, `Path` objects would be a good part of the work."""
        if DIGEST.fullmatch(digest) is None:
            raise ValueError("not a SHA-256 in lower-case hexadecimal")
        return f"{self._blobs}/{digest[:2]}/{digest}"

    def _write(self, path: str, data: bytes) -> None:
        """Makes the file where it belongs, which is half the work of moving it there.

        By the books it is not there yet, so nobody reads it. One that a crash cut short, or that somebody who sent the
        same is writing, is replaced by a whole one.
        """
        try:
            _write_new(path, data)
        except FileExistsError:
            name = f"{self._temporary}/{new_id('tmp')}"
            _write_new(name, data)
            os.rename(name, path)

    def _second_name(self, path: str) -> str:
        """Another name of the same file, for the rename to use up."""
        name = f"{self._temporary}/{new_id('tmp')}"
        os.link(path, name)
        return name

    def _flush(self, digests: Sequence[str]) -> None:
        """Waits for the disk; for many files one flush of everything is an order of magnitude quicker."""
        if len(digests) > SYNC_ONE_BY_ONE and _sync_file_system(self._blobs):
            return
        for digest in digests:
            _sync(self._path(digest))
        for prefix in {digest[:2] for digest in digests}:
            _sync(f"{self._blobs}/{prefix}")


def _blocks(file: FileIO, start: int, length: int | None) -> Iterator[bytes]:
    with file:
        file.seek(start)
        left = length
        while left is None or left > 0:
            block = file.read(BLOCK_BYTES if left is None else min(left, BLOCK_BYTES))
            if not block:
                return
            if left is not None:
                left -= len(block)
            yield block


def _write_new(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
    finally:
        os.close(handle)


def _find(entry: os.DirEntry[str]) -> Found | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or DIGEST.fullmatch(entry.name) is None:
        return None
    return Found(entry.name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_file_system(folder: str) -> bool:
    """One flush of all the folder's file system; False where the system has no such call."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        return False
    handle = os.open(folder, os.O_RDONLY)
    try:
        if call(handle) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(handle)
    return True
