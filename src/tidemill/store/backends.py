"""Where bytes lie. The contract is `BlobBackend`; `tests/store/test_backends.py` is the suite every backend passes.

A backend knows digests and bytes and nothing of projects. It is told what to do by `intake` and `gc`, whose protocol
with the database keeps them from placing and deleting the same digest at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

BLOCK_BYTES = 1024 * 1024
DIGEST = re.compile(r"[0-9a-f]{64}")


class BlobMissing(Exception):
    """A digest the database knows has no bytes: damage, never a caller's mistake."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A complete file whose content was checked against its digest, waiting to be placed."""

    digest: str
    size_bytes: int
    path: str


@dataclass(frozen=True, slots=True)
class Found:
    """A blob as it lies in the backend."""

    digest: str
    size_bytes: int
    changed_at: datetime


class BlobBackend(Protocol):
    """Bytes under their SHA-256. Safe to use from many threads and processes at once.

    When a `put` returns, the bytes survive a crash; until then a reader sees the whole content or nothing. Putting what
    is there already replaces it with the same; deleting what is not there does nothing.
    """

    kind: str

    def put_files(self, files: Sequence[Staged], *, keep_source: bool = False) -> None:
        """Places complete files. The sources are gone afterwards, or kept and then never to be written again."""
        ...

    def put_bytes(self, digest: str, data: bytes) -> None: ...

    def put_contents(self, contents: Mapping[str, bytes]) -> None:
        """Places many small contents, by their digests. Who reads before it returns may see a part of one."""
        ...

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes in blocks; raises BlobMissing at once when there are none."""
        ...

    def local_path(self, digest: str) -> Path | None:
        """The file itself, where blobs are files on this machine."""
        ...

    def size(self, digest: str) -> int | None:
        """The size, or None when it is not there."""
        ...

    def delete(self, digests: Iterable[str]) -> None: ...

    def iterate(self) -> Iterator[Found]:
        """Everything that lies there, in no order."""
        ...
