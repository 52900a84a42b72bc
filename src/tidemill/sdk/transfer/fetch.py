"""Bringing one file's bytes, from wherever the last attempt ended."""

import hashlib
import threading
from pathlib import Path

import httpx2

from tidemill.kernel.errors import Invalid, Unavailable
from tidemill.sdk.language import problem
from tidemill.sdk.transfer.pool import Stopped
from tidemill.sdk.transfer.progress import Meter
from tidemill.sdk.transport import Transport

BLOCK_BYTES = 1024 * 1024
FAULTS_MAX = 2


class Fetch:
    """One file: asked for by range, checked by digest, begun again when it is not what was promised."""

    def __init__(
        self, transport: Transport, address: str, part: Path, digest: str, size_bytes: int, meter: Meter
    ) -> None:
        self.transport = transport
        self.address = address
        self.part = part
        self.digest = digest
        self.size_bytes = size_bytes
        self.meter = meter
        self.counted = 0

    def run(self, path: str, stop: threading.Event) -> None:
        """Leaves the complete file in `part`; raises when the server cannot give it."""
        for _ in range(FAULTS_MAX):
            if self._bring(stop) == self.digest:
                return
            self.part.unlink()
            self._count(0)
        raise problem(Invalid, "sdk_content_wrong", path=path)

    def _bring(self, stop: threading.Event) -> str:
        """Brings the rest, through interruptions; the digest of all that came."""
        waits = self.transport.patience.waits()
        while True:
            before = self._size()
            try:
                return self._go_on(stop)
            except Unavailable:
                if self._size() > before:
                    waits = self.transport.patience.waits()
                wait = next(waits, None)
                if wait is None:
                    raise
                self.transport.sleep(wait)

    def _go_on(self, stop: threading.Event) -> str:
        hasher, have = self._kept()
        self._count(have)
        if have < self.size_bytes:
            hasher = self._append(have, hasher, stop)
        return hasher.hexdigest()

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _kept(self) -> "tuple[hashlib._Hash, int]":
        """What an earlier attempt left; more than the whole is rubbish."""
        hasher = hashlib.sha256()
        if self._size() > self.size_bytes:
            self.part.unlink()
        with open(self.part, "a+b") as stream:
            stream.seek(0)
            while block := stream.read(BLOCK_BYTES):
                hasher.update(block)
            return hasher, stream.tell()

    def _append(self, have: int, hasher: "hashlib._Hash", stop: threading.Event) -> "hashlib._Hash":
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{self.digest}"'} if have else {}
        # Bytes are asked for as they are: a range of a compressed answer would be a range of something else.
        headers["Accept-Encoding"] = "identity"
        with self.transport.stream(self.address, headers=headers) as response:
            continues = response.status_code == 206 and _starts_at(response) == have
            if not continues:
                hasher, have = hashlib.sha256(), 0
            with open(self.part, "ab" if continues else "wb") as out:
                for block in response.iter_raw():
                    if stop.is_set():
                        raise Stopped
                    have += len(block)
                    if have > self.size_bytes:
                        # Whatever this is, it is not the file; do not let it fill the disk.
                        out.truncate(0)
                        raise problem(Invalid, "sdk_content_wrong", path=self.address)
                    hasher.update(block)
                    out.write(block)
                    self._count(have)
        return hasher

    def _count(self, have: int) -> None:
        self.meter.add(size_bytes=have - self.counted)
        self.counted = have


def _starts_at(response: httpx2.Response) -> int | None:
    unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
    first = rest.partition("-")[0]
    return int(first) if unit == "bytes" and first.isdigit() else None
