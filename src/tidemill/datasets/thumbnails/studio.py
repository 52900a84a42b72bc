"""Has thumbnails drawn, and keeps them under the digest of what they show: a thumbnail is made once."""

import json
import os
import queue
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tidemill.kernel.errors import NotFound, Unavailable
from tidemill.kernel.ids import new_id
from tidemill.store.backends import BlobBackend
from tidemill.store.depot import Store

SIZES = (128, 256, 512, 1024)
WORKERS = 2
PATIENCE_S = 20.0
DRAWN_MAX = 500
"""So many pictures a process draws before another takes its place."""
KEPT_DAYS = 30
SOURCE_MAX_BYTES = 512 << 20


class Worker:
    """One drawing process; started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._drawn = 0

    def draw(self, file: Path, size: int, target: Path) -> str | None:
        """Draws one picture; what is wrong with it, if something is."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        told = json.dumps({"file": str(file), "size": size, "target": str(target)}) + "\n"
        self._drawn += 1
        try:
            process.stdin.write(told.encode())
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
            answer = process.stdout.readline() if ready else b""
        except BrokenPipeError:
            answer = b""
        if not answer:
            self.close()
            return "picture_broken"
        problem: str | None = json.loads(answer)["problem"]
        return problem

    def close(self) -> None:
        """Ends the process, whatever it is at."""
        process, self._process, self._drawn = self._process, None, 0
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._drawn >= DRAWN_MAX:
            self.close()
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tidemill.datasets.thumbnails.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process


class Studio:
    """`app.state.thumbnails`. May be used from any thread."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._workers: queue.Queue[Worker] = queue.Queue()
        self._all = [Worker() for _ in range(WORKERS)]
        for worker in self._all:
            self._workers.put(worker)

    def thumbnail(self, digest: str, size_bytes: int, size: int) -> Path:
        """The file of the thumbnail; raises NotFound when there can be none."""
        kept = self._folder / digest[:2] / f"{digest}-{size}.jpg"
        if kept.exists():
            return kept
        if size_bytes > SOURCE_MAX_BYTES:
            raise NotFound("thumbnail_none")
        kept.parent.mkdir(parents=True, exist_ok=True)
        making = kept.with_name(new_id("tmp"))
        try:
            with _as_file(self._store, digest) as file:
                problem = self._draw(file, size, making)
            if problem is not None:
                raise NotFound("thumbnail_none")
            os.replace(making, kept)
        finally:
            making.unlink(missing_ok=True)
        return kept

    def tidy(self) -> None:
        """Lets go of thumbnails that were made long ago; they are made again when somebody looks."""
        before = time.time() - KEPT_DAYS * 86400
        for folder in self._folder.glob("??"):
            for file in folder.iterdir():
                with suppress(FileNotFoundError):
                    if file.stat().st_mtime < before:
                        file.unlink()

    def close(self) -> None:
        for worker in self._all:
            worker.close()

    def _draw(self, file: Path, size: int, target: Path) -> str | None:
        try:
            worker = self._workers.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise Unavailable("thumbnails_busy") from None
        try:
            return worker.draw(file, size, target)
        finally:
            self._workers.put(worker)


@contextmanager
def _as_file(store: Store, digest: str) -> Iterator[Path]:
    """The content as a file of this machine."""
    backend: BlobBackend = store.backend
    path = backend.local_path(digest)
    if path is not None:
        yield path
        return
    fetched = store.temporary_file()
    try:
        with fetched.open("wb") as file:
            for block in backend.read(digest):
                file.write(block)
        yield fetched
    finally:
        fetched.unlink(missing_ok=True)
