"""Results on their way: written to a file of the workspace first, sent shard by shard, forgotten when they are kept.

A file is a shard, named by its number. What is in it survives the process (written at once) and the machine (synced at
intervals); an attempt after a crash reads it again, cuts off a line that was not finished, and goes on after the last.
"""

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.datasets.works.office import SMALL_BYTES, Office, digest_file
from tidemill.inference.worker.lines import Written, index_of

SHARD_ITEMS = 5000
SHARD_BYTES = 8 << 20
FIRST_S, LONGEST_S, GROWTH = 2.0, 60.0, 0.05
"""A shard is sent after so many seconds: soon at first, then rarely, so that long runs have few of them."""
SYNC_S = 1.0
TELL_S = 1.0
WAITING_MAX = 64
"""Shards that may wait for a server that is away."""


class Journal:
    """Takes lines in order. Another thread sends what is complete, and says how far the run is."""

    def __init__(self, folder: Path, office: Office, *, shards: int, seq: int, rate: Callable[[], float]) -> None:
        """`shards` and `seq`: what the server has already."""
        self.seq = seq
        """The last item that is written, here or there."""
        self._folder, self._rate = folder, rate
        folder.mkdir(parents=True, exist_ok=True)
        self._begun_s = self._synced_s = self._shard_s = time.monotonic()
        self._number, self._items, self._size = shards + 1, 0, 0
        self._sender = _Sender(office, after=seq, rate=rate)
        self.found = self._take_up(shards)
        """Items that an attempt before left here, and the server has not."""
        self._file: BinaryIO = self._place(self._number).open("ab")

    def add(self, written: Sequence[Written]) -> None:
        """Keeps lines here; sends the shard where it is time."""
        self._file.write(b"".join(line for _, line in written))
        self._file.flush()
        self._items += len(written)
        self._size += sum(len(line) for _, line in written)
        self.seq = written[-1][0]
        now_s = time.monotonic()
        if now_s - self._synced_s >= SYNC_S:
            os.fsync(self._file.fileno())
            self._synced_s = now_s
        if self._is_due(now_s):
            self._send()

    def tell(self, stage: str, done: int, task: str | None = None) -> None:
        """How far the run is; said when the time for it has come."""
        self._sender.tell(stage, done, task)

    def check(self) -> None:
        """Raises what went wrong with sending."""
        self._sender.check()

    def finish(self) -> int:
        """Everything is sent and kept; the last item."""
        if self._items:
            self._send()
        self._file.close()
        self._sender.finish()
        self._place(self._number).unlink(missing_ok=True)
        return self.seq

    def abandon(self) -> None:
        """Nothing more comes; what is here stays for the next attempt."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
        self._sender.abandon()

    def _is_due(self, now_s: float) -> bool:
        patience_s = min(LONGEST_S, FIRST_S + GROWTH * (now_s - self._begun_s))
        is_old = now_s - self._shard_s >= patience_s
        return self._items >= SHARD_ITEMS or self._size >= SHARD_BYTES or (is_old and self._items > 0)

    def _send(self) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
        self._sender.put(self._number, self._place(self._number))
        self._number += 1
        self._items = self._size = 0
        self._shard_s = self._synced_s = time.monotonic()
        self._file = self._place(self._number).open("ab")

    def _take_up(self, shards: int) -> int:
        """Shards the server has go; those it has not are sent, the last is gone on with."""
        left = sorted(self._folder.glob("shard-*.jsonl"))
        found = 0
        expected = shards + 1
        for file in left:
            number = int(file.stem.partition("-")[2])
            if number != expected:
                # Kept there already, or after a gap: what is missing is looked at again.
                file.unlink()
                continue
            lines = _whole_lines(file)
            if not lines:
                file.unlink()
                continue
            found += len(lines)
            self.seq = index_of(lines[-1], 0)["seq"]
            self._sender.put(number, file)
            expected += 1
        self._number = expected
        return found

    def _place(self, number: int) -> Path:
        return self._folder / f"shard-{number:06d}.jsonl"


class _Sender:
    """The thread that speaks with the server: a server that is away holds up nothing but itself."""

    def __init__(self, office: Office, *, after: int, rate: Callable[[], float]) -> None:
        self._office, self._after, self._rate = office, after, rate
        self._queue: queue.Queue[tuple[int, Path] | None] = queue.Queue(WAITING_MAX)
        self._told: dict[str, Any] | None = None
        self._said_s = 0.0
        self._error: BaseException | None = None
        self._is_abandoned = False
        self._thread = threading.Thread(target=self._work, name="sending", daemon=True)
        self._thread.start()

    def put(self, number: int, file: Path) -> None:
        while True:
            self.check()
            try:
                self._queue.put((number, file), timeout=1.0)
            except queue.Full:
                continue
            return

    def tell(self, stage: str, done: int, task: str | None) -> None:
        self._told = {"stage": stage, "done": done, **({"task": task} if task else {})}

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def finish(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self.check()

    def abandon(self) -> None:
        self._is_abandoned = True

    def _work(self) -> None:
        try:
            while not self._is_abandoned:
                try:
                    given = self._queue.get(timeout=0.2)
                except queue.Empty:
                    self._say()
                    continue
                if given is None:
                    return
                self._send(*given)
                self._say()
        except BaseException as error:  # noqa: BLE001 — raised where lines are added
            self._error = error

    def _say(self) -> None:
        told, now_s = self._told, time.monotonic()
        if told is None or now_s - self._said_s < TELL_S:
            return
        self._told, self._said_s = None, now_s
        self._office.progress(**told, rate=round(self._rate(), 3))

    def _send(self, number: int, file: Path) -> None:
        rows, at = [], 0
        with file.open("rb") as lines:
            for line in lines:
                rows.append(index_of(line, at))
                at += len(line)
        digest = digest_file(file)
        if at <= SMALL_BYTES:
            self._office.send({digest: file.read_bytes()})
        else:
            self._office.send_file(file, digest)
        body = {"number": number, "after": self._after, "sha256": digest, "size_bytes": at, "rows": rows}
        self._office.post("shards", {**body, "rate": round(self._rate(), 3)})
        self._after = rows[-1]["seq"]
        file.unlink()


def _whole_lines(file: Path) -> list[bytes]:
    """The lines; one that was cut off is taken away."""
    with file.open("r+b") as opened:
        lines = opened.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
        opened.truncate(sum(map(len, lines)))
    return lines
