"""The database: one engine, read sessions and write sessions.

SQLite takes one writer at a time. A write session therefore takes the write lock when it begins, so that two writers
wait for each other instead of failing half-way, and what a writer has read is still true when it writes. Threads of
this process queue on a lock of ours first, which is fairer and quicker than SQLite's own polling.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
import sqlalchemy.dialects.postgresql
import sqlalchemy.dialects.sqlite
from sqlalchemy import event
from sqlalchemy.orm import DeclarativeBase, Session

_NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

_TOPICS = "tidemill_topics"
Result = TypeVar("Result")


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """Aware UTC in and out, on both databases; a naive time is refused."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    @property
    def python_type(self) -> type[datetime]:
        return datetime

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Json = sa.JSON().with_variant(sa.dialects.postgresql.JSONB(), "postgresql")


class Base(DeclarativeBase):
    """All tables of all rooms."""

    metadata = sa.MetaData(naming_convention=_NAMING)
    type_annotation_map = {  # noqa: RUF012
        datetime: UtcDateTime(),
        dict[str, Any]: Json,
        list[str]: Json,
        list[Any]: Json,
        int: sa.BigInteger(),
        str: sa.Text(),
    }


class Turns:
    """A lock that is given in the order it was asked for: whoever writes again and again lets the others in between.

    It is handed from one to the next, so that who just gave it back cannot take it again before those who wait.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return
            gate = threading.Lock()
            gate.acquire()
            self._waiting.append(gate)
        gate.acquire()

    def __exit__(self, *_: object) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


class _Ticket(Generic[Result]):
    """Something small that waits to be done."""

    def __init__(self, work: Callable[[Session], Result]) -> None:
        self.work = work
        self.is_done = False
        self.result: Result
        self.error: BaseException | None = None

    def take(self) -> Result:
        if self.error is not None:
            raise self.error
        return self.result


class _Small:
    """Small transactions made one: whoever has the turn does what all others wait for, too."""

    AT_ONCE = 50

    def __init__(self, write: Callable[[], AbstractContextManager[Session]]) -> None:
        self._write = write
        self._mutex = threading.Lock()
        self._waiting: deque[_Ticket[Any]] = deque()
        self._turn = Turns()
        self.asked_s = float("-inf")
        """When somebody last came, by the monotonic clock."""

    def run(self, work: Callable[[Session], Result]) -> Result:
        self.asked_s = time.monotonic()
        ticket = _Ticket(work)
        with self._mutex:
            self._waiting.append(ticket)
        try:
            with self._turn:
                while not ticket.is_done:
                    self._do_some()
        except BaseException:
            with self._mutex, suppress(ValueError):
                self._waiting.remove(ticket)
            raise
        return ticket.take()

    def _do_some(self) -> None:
        some: list[_Ticket[Any]] = []
        try:
            with self._write() as session:
                # Only now: whoever came while we waited for the database comes along.
                with self._mutex:
                    while self._waiting and len(some) < self.AT_ONCE:
                        some.append(self._waiting.popleft())
                if len(some) == 1:
                    # Alone in its transaction: that is what is undone when it fails.
                    some[0].result = some[0].work(session)
                else:
                    for ticket in some:
                        self._do(session, ticket)
        except BaseException as failure:
            # Nothing of it was kept, so nobody may hear that it was.
            if not some:
                raise
            for ticket in some:
                ticket.error = ticket.error or failure
        finally:
            for ticket in some:
                ticket.is_done = True

    @staticmethod
    def _do(session: Session, ticket: "_Ticket[Any]") -> None:
        try:
            with session.begin_nested():
                ticket.result = ticket.work(session)
        except Exception as error:  # noqa: BLE001 — it is raised again for whom it is
            ticket.error = error
        # The next one must not see what this one read.
        session.expunge_all()


class Glance(NamedTuple):
    """A connection without a session around it. Each statement sees what was committed when it began."""

    dialect: sa.Dialect
    driver: Any


class Database:
    """Hands out sessions. The caller of a service owns the transaction: it commits when the block ends well."""

    def __init__(self, url: str, *, pool_size: int = 50) -> None:
        self.url = sa.make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {"pool_size": pool_size, "max_overflow": 10, "pool_timeout": 60}
        if self.is_sqlite:
            options["connect_args"] = {"check_same_thread": False, "timeout": 60}
            # The connection used last is used next: each one keeps a cache, and those that rest need not fill theirs.
            options["pool_use_lifo"] = True
        else:
            options["pool_pre_ping"] = True
        self.engine = sa.create_engine(self.url, **options)
        if self.is_sqlite:
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self._writer = self.engine.execution_options(tidemill_writes=True)
        self._turn: Any = Turns() if self.is_sqlite else nullcontext()
        self._small = _Small(self.write)
        self._listeners: dict[str, list[Callable[[], None]]] = {}

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that only reads; whatever it changed is thrown away."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def glance(self) -> Iterator[Glance]:
        """For a few prepared statements that read and need not agree on one moment: a tenth of what a session costs."""
        pooled = self.engine.raw_connection()
        try:
            yield Glance(self.engine.dialect, pooled.driver_connection)
        finally:
            pooled.close()

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or leaves no trace when the block raises."""
        with self._turn, Session(self._writer, expire_on_commit=False) as session:
            yield session
            session.commit()
        for topic in session.info.get(_TOPICS, ()):
            for listener in self._listeners.get(topic, ()):
                listener()

    def write_small(self, work: Callable[[Session], Result]) -> Result:
        """Does something small in a transaction, as `write` would; when it returns, it is kept.

        SQLite has one writer at a time, and most of a small transaction is waiting for the disk: there, what waits for
        its turn meanwhile goes into one transaction, each in a savepoint, and waits for the disk once.
        """
        if self.is_sqlite:
            return self._small.run(work)
        with self.write() as session:
            return work(session)

    @contextmanager
    def nobody_writing(self) -> Iterator[None]:
        """Meanwhile nobody of this process writes, where writers take turns."""
        with self._turn:
            yield

    def are_small_writes_about(self, within_s: float = 2.0) -> bool:
        """Whether somebody did something small a moment ago, and may soon again: long work then takes short steps."""
        return time.monotonic() < self._small.asked_s + within_s

    def listen(self, topic: str, listener: Callable[[], None]) -> None:
        """Calls the listener after each write of this process that announced the topic. It must not raise."""
        self._listeners.setdefault(topic, []).append(listener)

    def close(self) -> None:
        self.engine.dispose()


def announce(session: Session, topic: str) -> None:
    """Tells this process's listeners of the topic once the transaction is committed: a hint to look, not the news."""
    session.info.setdefault(_TOPICS, set()).add(topic)


def escape_like(text: str) -> str:
    """For `LIKE … ESCAPE '\\'`: the text stands for itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def contains(column: Any, text: str) -> sa.ColumnElement[bool]:
    """The column contains the text; compare case-folded columns with case-folded text."""
    found: sa.ColumnElement[bool] = column.like(f"%{escape_like(text)}%", escape="\\")
    return found


def upsert(session: Session, table: type[Base]) -> Any:
    """`INSERT` of this database's dialect, for `on_conflict_do_update` and `on_conflict_do_nothing`."""
    if session.get_bind().dialect.name == "sqlite":
        return sa.dialects.sqlite.insert(table)
    return sa.dialects.postgresql.insert(table)


def take_turn(session: Session, name: str) -> None:
    """Waits until no other transaction has the turn of that name; it is given back when this transaction ends.

    For what is counted before it is written. A write session of SQLite has every turn already.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0))))


def in_batches(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    """Slices short enough for one statement's parameters."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=60000",
        "cache_size=-16000",
        # The log is shortened beside the writers (`kernel.checkpoints`); by one of them only where nobody does that.
        "wal_autocheckpoint=50000",
        "journal_size_limit=0",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("tidemill_writes", False)
    # Straight to the driver: SQLAlchemy's way there takes longer than all the rest of beginning.
    driver: Any = connection.connection.driver_connection
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
