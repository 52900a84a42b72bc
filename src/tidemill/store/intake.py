"""Taking content in: reserve in the books, place the bytes, settle.

The bytes are placed between two short transactions, so that no transaction waits for a disk or a network. After a crash
at any moment the worst that is left is a reservation without bytes, which is not visible to anybody and is collected.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from tidemill.kernel.db import Database
from tidemill.store import blobs
from tidemill.store.backends import BlobBackend, Staged


class Sized(Protocol):
    @property
    def size_bytes(self) -> int: ...


F = TypeVar("F", bound=Sized)


def in_batches_by_size(files: Iterable[F], *, most_files: int, most_bytes: int) -> Iterator[list[F]]:
    """Files in groups to be taken in together; one that is larger than a group may be has its own."""
    batch: list[F] = []
    size_bytes = 0
    for file in files:
        if batch and (len(batch) >= most_files or size_bytes + file.size_bytes > most_bytes):
            yield batch
            batch, size_bytes = [], 0
        batch.append(file)
        size_bytes += file.size_bytes
    if batch:
        yield batch


def keep_files(
    db: Database,
    backend: BlobBackend,
    project_id: str,
    files: Sequence[Staged],
    now: datetime,
    *,
    contents: Mapping[str, bytes] | None = None,
) -> None:
    """Takes in complete files whose digests were checked. They are then the project's, unused; the sources are gone.

    `contents`: small ones that need no files to come in, by their digests.
    """
    small = contents or {}
    by_digest = {file.digest: file for file in files}
    sizes = {digest: len(data) for digest, data in small.items()} | {file.digest: file.size_bytes for file in files}
    with db.write() as session:
        unplaced = blobs.reserve(session, project_id, sizes, now) if sizes else {}
    if unplaced:
        backend.put_files([by_digest[digest] for digest in sorted(unplaced) if digest in by_digest])
        backend.put_contents({digest: small[digest] for digest in sorted(unplaced) if digest not in by_digest})
        with db.write() as session:
            blobs.settle(session, unplaced)
    for file in files:
        if file.digest not in unplaced or by_digest[file.digest] is not file:
            os.unlink(file.path)


def place_contents(
    db: Database, backend: BlobBackend, project_id: str, contents: Mapping[str, bytes], now: datetime
) -> dict[str, str]:
    """Puts small contents in place for the project, which must have room, but does not hold them yet.

    They are there once they are settled (`blobs.settle` wants what this returns), in the transaction that holds them.
    """
    sizes = {digest: len(data) for digest, data in contents.items()}
    with db.write() as session:
        blobs.check_room_for(session, project_id, sizes)
        unplaced = blobs.reserve(session, None, sizes, now)
    backend.put_contents({digest: contents[digest] for digest in sorted(unplaced)})
    return unplaced


def keep_bytes(db: Database, backend: BlobBackend, project_id: str, data: bytes, now: datetime) -> tuple[str, int]:
    """Takes in a small content; its digest and size."""
    digest = hashlib.sha256(data).hexdigest()
    with db.write() as session:
        unplaced = blobs.reserve(session, project_id, {digest: len(data)}, now)
    if unplaced:
        backend.put_bytes(digest, data)
        with db.write() as session:
            blobs.settle(session, unplaced)
    return digest, len(data)
