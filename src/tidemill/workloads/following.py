"""A node's output as it is written, as server-sent events."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.engines.base import Engine, EngineError
from tidemill.jobs.live import PING_EVERY_S, valid_credentials
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.kernel.errors import TooMany
from tidemill.workloads import logs
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.schemas import LogView
from tidemill.workloads.tables import WorkloadRow

LOOK_EVERY_S = 0.25
PIECE_BYTES = 128 * 1024
STREAMS_MAX = 20
"""Streams of one user: each looks for news a few times a second."""


class Readers:
    """Who follows logs of this process right now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def refuse_too_many(self, caller: Caller) -> None:
        """Raises TooMany when the caller follows as many as one user may."""
        with self._lock:
            if self._open[_reader(caller)] >= STREAMS_MAX:
                raise TooMany("too_many_streams", max=STREAMS_MAX, retry_after_s=30)

    @contextmanager
    def reading(self, caller: Caller) -> Iterator[None]:
        """The caller follows one more for the block."""
        with self._lock:
            self._open[_reader(caller)] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[_reader(caller)] -= 1
                self._open += Counter()  # keeps no zeros


class Follower:
    """One reader of one node."""

    def __init__(
        self,
        db: Database,
        engine: Engine,
        clock: Clock,
        stopping: threading.Event,
        readers: Readers,
        caller: Caller,
        workload_id: str,
    ) -> None:
        readers.refuse_too_many(caller)
        self._readers = readers
        self._db = db
        self._engine = engine
        self._clock = clock
        self._stopping = stopping
        self._caller = caller
        self._workload_id = workload_id
        self._attempt_id: str | None = None
        self._is_final = False

    async def follow(self, node: int, offset: int) -> AsyncIterator[str]:
        """`log` {text, next_offset} as it comes, and `end` when nothing more will; a retry begins at 0 again."""
        with self._readers.reading(self._caller):
            async for event in self._events(node, offset):
                yield event

    async def _events(self, node: int, offset: int) -> AsyncIterator[str]:
        yield "retry: 2000\n" + _event("ping", {})
        loop = asyncio.get_running_loop()
        told_at = looked_at = loop.time()
        while not self._stopping.is_set():
            page = await asyncio.to_thread(self._look, node, offset, loop.time() - looked_at > PING_EVERY_S)
            if loop.time() - looked_at > PING_EVERY_S:
                looked_at = loop.time()
            if page is None:
                return
            if page.text:
                offset, told_at = page.next_offset, loop.time()
                yield _event("log", {"text": page.text, "offset": page.offset, "next_offset": offset})
                continue
            if page.is_over and page.next_offset >= page.end_offset:
                if await asyncio.to_thread(self._is_over):
                    yield _event("end", {"next_offset": offset})
                    return
                offset = 0 if self._attempt_id is None else offset
            if loop.time() - told_at > PING_EVERY_S:
                told_at = loop.time()
                yield _event("ping", {})
            await asyncio.sleep(LOOK_EVERY_S)

    def _look(self, node: int, offset: int, check_caller: bool) -> LogView | None:
        """What is new; None when the reader may not read any more."""
        if self._attempt_id is None or check_caller:
            with self._db.read() as session:
                if not self._may_go_on(session):
                    return None
                self._load(session)
        if self._attempt_id is None:
            return LogView(text="", offset=0, next_offset=0, end_offset=0, is_over=self._is_final)
        try:
            return logs.read_page(self._engine, self._attempt_id, node, offset=offset, limit=PIECE_BYTES)
        except EngineError:
            # Written down, but not launched yet; or forgotten, a long time after its end.
            return LogView(text="", offset=0, next_offset=0, end_offset=0, is_over=self._is_final)

    def _is_over(self) -> bool:
        """Whether the whole workload is: an attempt that ended may be followed by another."""
        before = self._attempt_id
        with self._db.read() as session:
            self._load(session)
        if self._attempt_id != before:
            self._attempt_id = None
            return False
        return self._is_final

    def _load(self, session: Session) -> None:
        row = session.get(WorkloadRow, self._workload_id)
        self._is_final = row is None or row.state in FINAL
        self._attempt_id = row.attempt_id if row is not None else None

    def _may_go_on(self, session: Session) -> bool:
        credential = self._caller.session_id or self._caller.token_id
        project = session.get(ProjectRow, self._caller.project.id)
        if project is None or credential not in valid_credentials(session, [self._caller], self._clock()):
            return False
        return "workload.read" in permissions_by_project(session, self._caller, [project])[project.id]


def _reader(caller: Caller) -> str:
    return caller.user_id or ""


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
