"""Small transactions made one: each is kept or fails by itself, and nobody hears of what was not kept."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tests.kernel.test_db import keys, replay
from tidemill.kernel.db import Database
from tidemill.kernel.routing import ReplayRow


def adding(key: str) -> Callable[[Session], str]:
    def add(session: Session) -> str:
        session.add(replay(key))
        session.flush()
        return key

    return add


def failing(session: Session) -> str:
    session.add(replay("half"))
    session.flush()
    raise RuntimeError("no")


def needs_sqlite(db: Database) -> None:
    if not db.is_sqlite:
        pytest.skip("only SQLite's small transactions wait for each other")


def all_at_once(db: Database, works: list[Callable[[Session], str]]) -> list[Future[str]]:
    """Has all of them wait for the database, then lets them in."""
    with ThreadPoolExecutor(len(works)) as pool:
        with db.write():
            asked = [pool.submit(db.write_small, work) for work in works]
            while db.is_sqlite and len(db._small._waiting) < len(works):
                threading.Event().wait(0.001)
        return asked


def test_each_gets_its_own_answer_and_one_that_fails_does_not_keep_the_others(db: Database) -> None:
    works = [adding(f"{number:02d}") for number in range(20)]
    asked = all_at_once(db, [*works[:7], failing, *works[7:]])
    with pytest.raises(RuntimeError, match="no"):
        asked.pop(7).result()
    assert [one.result() for one in asked] == [f"{number:02d}" for number in range(20)] == keys(db)


def test_one_that_fails_by_itself_leaves_no_trace_and_the_next_is_kept(db: Database) -> None:
    with pytest.raises(RuntimeError, match="no"):
        db.write_small(failing)
    assert db.write_small(adding("next")) == "next"
    assert keys(db) == ["next"]


def test_those_that_wait_are_one_transaction_of_sqlite(db: Database) -> None:
    commits: list[Any] = []
    sa.event.listen(db.engine, "commit", commits.append)
    all_at_once(db, [adding(str(number)) for number in range(8)])
    assert len(commits) == (1 if db.is_sqlite else 8)
    assert len(keys(db)) == 8


def test_when_the_transaction_is_not_kept_all_hear_of_it(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_sqlite(db)
    write = db.write

    @contextmanager
    def on_a_full_disk() -> Iterator[Session]:
        with write() as session:
            yield session
            raise OSError("disk full")

    monkeypatch.setattr(db._small, "_write", on_a_full_disk)
    for one in all_at_once(db, [adding(str(number)) for number in range(3)]):
        with pytest.raises(OSError, match="disk full"):
            one.result()
    assert keys(db) == []


def test_what_could_not_begin_is_not_done_later(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_sqlite(db)

    def locked() -> Any:
        raise TimeoutError("locked")

    with monkeypatch.context() as broken:
        broken.setattr(db._small, "_write", locked)
        with pytest.raises(TimeoutError):
            db.write_small(adding("never"))
    assert db.write_small(adding("later")) == "later"
    assert keys(db) == ["later"]


def test_writes_in_many_threads_lose_no_update(db: Database) -> None:
    with db.write() as session:
        session.add(replay("counter"))

    def add(session: Session) -> int:
        row = session.scalars(sa.select(ReplayRow).with_for_update()).one()
        row.status += 1
        return row.status

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: db.write_small(add), range(200)))
    assert sorted(seen) == list(range(1, 201))
