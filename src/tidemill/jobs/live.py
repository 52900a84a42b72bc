"""Live news for people who are looking: one watcher a process, however many streams are open.

The watcher looks into the database when this process announced a change, and every second all the same, because another
process may have made one. What a stream has not sent yet is kept per thing, so a slow reader gets the newest state of
each and never an endless queue.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow, SessionRow, TokenRow, UserRow
from tidemill.jobs.states import TOPIC
from tidemill.jobs.tables import JobRow, NotificationRow
from tidemill.jobs.views import job_view, notification_view
from tidemill.jobs.visibility import visible_projects
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.kernel.errors import TooMany
from tidemill.kernel.i18n import Language

log = logging.getLogger("tidemill.live")

LOOK_EVERY_S = 1.0
PING_EVERY_S = 15.0
STREAMS_MAX = 20
"""Streams of one user: browsers, each with a few tabs."""
OVERLAP = timedelta(seconds=10)
"""How far back each look goes: a change may be committed a little after the time it bears."""


@dataclass(frozen=True, slots=True)
class News:
    """A thing of a project that changed: told once a revision, to those who hold the permission there."""

    event: str
    key: str
    revision: int
    changed_at: datetime
    project_id: str
    permission: str
    data: Callable[[Language], str]


class Source(Protocol):
    """A room above whose things are live: it says what changed since a time."""

    def __call__(self, session: Session, since: datetime) -> Iterable[News]: ...


@dataclass(eq=False, slots=True)
class Stream:
    """One open connection."""

    caller: Caller
    language: Language
    loop: asyncio.AbstractEventLoop
    news: asyncio.Event = field(default_factory=asyncio.Event)
    pending: dict[tuple[str, str], str] = field(default_factory=dict)
    is_over: bool = False

    def put(self, event: str, key: str, data: str) -> None:
        """From the watcher's thread."""
        self._soon(self._put, event, key, data)

    def finish(self) -> None:
        """From the watcher's thread."""
        self._soon(self._finish)

    def _soon(self, call: Callable[..., None], *arguments: str) -> None:
        # A loop that was closed takes its streams with it.
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(call, *arguments)

    def _put(self, event: str, key: str, data: str) -> None:
        self.pending[event, key] = data
        self.news.set()

    def _finish(self) -> None:
        self.is_over = True
        self.news.set()


class Live:
    """The streams of one process. Streams may live in any event loop."""

    def __init__(self, db: Database, clock: Clock, stopping: threading.Event) -> None:
        self._db = db
        self._clock = clock
        self._stopping = stopping
        self._streams: set[Stream] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._watcher: threading.Thread | None = None
        self._sources: list[Source] = []
        db.listen(TOPIC, self._wake.set)

    def join(self, source: Source, *topics: str) -> None:
        """Looks at one more source; called by a room's `install`. The topics are announced when there is news."""
        self._sources.append(source)
        for topic in topics:
            self._db.listen(topic, self._wake.set)

    def open(self, caller: Caller, language: Language) -> Stream:
        """A stream for the caller, to be followed; raises TooMany past the limit."""
        with self._lock:
            if sum(other.caller.user_id == caller.user_id for other in self._streams) >= STREAMS_MAX:
                raise TooMany("too_many_streams", max=STREAMS_MAX, retry_after_s=30)
        return Stream(caller, language, asyncio.get_running_loop())

    async def follow(self, stream: Stream) -> AsyncIterator[str]:
        """What goes down the wire from now on, until the reader leaves, its session ends, or we close."""
        self._add(stream)
        try:
            # What changes from here on is told; a page reads again what it knows from before.
            yield "retry: 2000\n" + _event("hello", "{}")
            while not stream.is_over:
                try:
                    await asyncio.wait_for(stream.news.wait(), PING_EVERY_S)
                except TimeoutError:
                    yield _event("ping", "{}")
                    continue
                stream.news.clear()
                pending, stream.pending = stream.pending, {}
                for (event, _key), data in pending.items():
                    yield _event(event, data)
        finally:
            with self._lock:
                self._streams.discard(stream)

    def wait_closed(self, timeout_s: float = 5.0) -> None:
        """Once the house is stopping: waits until nobody looks into the database any more."""
        self._wake.set()
        with self._lock:
            watcher = self._watcher
        if watcher is not None:
            watcher.join(timeout_s)

    def _add(self, stream: Stream) -> None:
        with self._lock:
            self._streams.add(stream)
            stream.is_over = self._stopping.is_set()
            if self._watcher is None and not stream.is_over:
                look = Look(self._clock(), self._sources)
                self._watcher = threading.Thread(target=self._watch, args=(look,), name="live", daemon=True)
                self._watcher.start()

    def _watch(self, look: "Look") -> None:
        while True:
            self._wake.wait(LOOK_EVERY_S)
            self._wake.clear()
            with self._lock:
                streams = list(self._streams)
                if not streams:
                    self._watcher = None
                    return
                if self._stopping.is_set():
                    self._watcher = None
                    _finish(streams)
                    return
            try:
                with self._db.read() as session:
                    self._end_revoked(session, streams)
                    look.at(session, streams, self._clock())
            except Exception:
                log.exception("could not look for news; trying again in %s s", LOOK_EVERY_S)

    def _end_revoked(self, session: Session, streams: list[Stream]) -> None:
        valid = valid_credentials(session, [stream.caller for stream in streams], self._clock())
        _finish([stream for stream in streams if (stream.caller.session_id or stream.caller.token_id) not in valid])


class Look:
    """Remembers what was already told, over the overlap of successive looks."""

    def __init__(self, since: datetime, sources: Sequence[Source] = ()) -> None:
        self._since = since
        self._start = since
        self._sources = sources
        self._told: dict[tuple[str, str], tuple[int, datetime]] = {}
        self._jobs: dict[str, tuple[int, datetime]] = {}
        self._notifications: dict[str, datetime] = {}

    def at(self, session: Session, streams: list[Stream], now: datetime) -> None:
        """Puts what is new since the last look into the streams it belongs to."""
        by_user: dict[str, list[Stream]] = {}
        for stream in streams:
            by_user.setdefault(stream.caller.user_id or "", []).append(stream)
        since = max(self._start, self._since - OVERLAP)
        for job in session.scalars(
            sa.select(JobRow).where(JobRow.changed_at >= since, JobRow.created_by_id.in_(by_user))
        ):
            if self._jobs.get(job.id, (-1,))[0] < job.revision:
                self._jobs[job.id] = (job.revision, job.changed_at)
                _tell_job(session, job, by_user[job.created_by_id or ""])
        for row in session.scalars(
            sa.select(NotificationRow)
            .where(NotificationRow.created_at >= since, NotificationRow.user_id.in_(by_user))
            .order_by(NotificationRow.id)
        ):
            if row.id not in self._notifications:
                self._notifications[row.id] = row.created_at
                _tell_notification(row, by_user[row.user_id])
        for source in self._sources:
            _tell_news(session, [news for news in source(session, since) if self._is_new(news)], streams)
        self._since = now
        self._forget(now - 2 * OVERLAP)

    def _is_new(self, news: News) -> bool:
        if self._told.get((news.event, news.key), (-1,))[0] >= news.revision:
            return False
        self._told[news.event, news.key] = (news.revision, news.changed_at)
        return True

    def _forget(self, before: datetime) -> None:
        self._jobs = {key: seen for key, seen in self._jobs.items() if seen[1] >= before}
        self._told = {key: seen for key, seen in self._told.items() if seen[1] >= before}
        self._notifications = {key: at for key, at in self._notifications.items() if at >= before}


def valid_credentials(session: Session, callers: list[Caller], now: datetime) -> set[str]:
    """Ids of those sessions and tokens that are still good."""
    sessions = [caller.session_id for caller in callers if caller.session_id]
    tokens = [caller.token_id for caller in callers if caller.token_id]
    users = sa.and_(UserRow.is_disabled.is_(False), UserRow.deleted_at.is_(None))
    good = set(
        session.scalars(
            sa.select(SessionRow.id)
            .join(UserRow, UserRow.id == SessionRow.user_id)
            .where(SessionRow.id.in_(sessions), SessionRow.expires_at > now, users)
        )
    )
    good |= set(
        session.scalars(
            sa.select(TokenRow.id)
            .join(UserRow, UserRow.id == TokenRow.user_id)
            .where(TokenRow.id.in_(tokens), sa.or_(TokenRow.expires_at.is_(None), TokenRow.expires_at > now), users)
        )
    )
    return good


def _finish(streams: list[Stream]) -> None:
    for stream in streams:
        stream.finish()


def _tell_job(session: Session, job: JobRow, streams: list[Stream]) -> None:
    for stream in streams:
        if _may_see(session, job.project_id, stream.caller):
            stream.put("job", job.id, job_view(session, job, stream.language).model_dump_json())


def _tell_notification(row: NotificationRow, streams: list[Stream]) -> None:
    for stream in streams:
        if stream.caller.token_project_id in (None, row.project_id):
            stream.put("notification", row.id, notification_view(row, stream.language).model_dump_json())


def _tell_news(session: Session, all_news: Sequence[News], streams: Sequence[Stream]) -> None:
    """Each piece to those streams whose caller holds its permission in its project."""
    if not all_news:
        return
    ids = {news.project_id for news in all_news}
    projects = session.scalars(sa.select(ProjectRow).where(ProjectRow.id.in_(ids), ProjectRow.deleted_at.is_(None)))
    live = list(projects)
    for stream in streams:
        held = permissions_by_project(session, stream.caller, live)
        for news in all_news:
            if news.permission in held.get(news.project_id, ()):
                stream.put(news.event, news.key, news.data(stream.language))


def _may_see(session: Session, project_id: str | None, caller: Caller) -> bool:
    if project_id is None:
        return caller.token_project_id is None
    return session.scalar(visible_projects(caller).where(ProjectRow.id == project_id)) is not None


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
