"""Sessions: what is committed stays, what failed leaves no trace, writers take turns."""

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa

from tidemill.kernel.db import Database, announce, contains
from tidemill.kernel.routing import ReplayRow

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def replay(key: str, status: int = 0) -> ReplayRow:
    return ReplayRow(caller="c", key=key, fingerprint="f", status=status, body=None, created_at=NOON)


def keys(db: Database) -> list[str]:
    with db.read() as session:
        return sorted(session.scalars(sa.select(ReplayRow.key)))


def test_a_write_that_raises_leaves_no_trace(db: Database) -> None:
    with pytest.raises(RuntimeError), db.write() as session:
        session.add(replay("lost"))
        session.flush()
        raise RuntimeError
    assert keys(db) == []


def test_what_a_read_session_changes_is_thrown_away(db: Database) -> None:
    with db.read() as session:
        session.add(replay("lost"))
        session.flush()
    assert keys(db) == []


def test_writers_in_many_threads_lose_no_update(db: Database) -> None:
    with db.write() as session:
        session.add(replay("counter"))

    def add() -> None:
        for _ in range(25):
            with db.write() as session:
                row = session.scalars(sa.select(ReplayRow).with_for_update()).one()
                row.status += 1

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as session:
        assert session.scalar(sa.select(ReplayRow.status)) == 200


def test_a_reader_is_not_held_up_by_a_writer(db: Database) -> None:
    with db.write() as writer:
        writer.add(replay("unseen"))
        writer.flush()
        assert keys(db) == []
    assert keys(db) == ["unseen"]


def test_times_come_back_aware_and_in_utc(db: Database) -> None:
    with db.write() as session:
        row = replay("time")
        row.created_at = NOON.astimezone(timezone(timedelta(hours=8)))
        session.add(row)
    with db.read() as session:
        found = session.scalar(sa.select(ReplayRow.created_at))
    assert found == NOON
    assert found.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(db: Database) -> None:
    row = replay("naive")
    row.created_at = datetime(2026, 5, 1)  # noqa: DTZ001
    with pytest.raises(sa.exc.StatementError), db.write() as session:
        session.add(row)


def test_search_text_stands_for_itself(db: Database) -> None:
    with db.write() as session:
        session.add_all(replay(key) for key in ("50%", "500", "a_b", "axb", "back\\slash"))
    with db.read() as session:
        for text, expected in (("0%", ["50%"]), ("a_b", ["a_b"]), ("k\\s", ["back\\slash"])):
            assert list(session.scalars(sa.select(ReplayRow.key).where(contains(ReplayRow.key, text)))) == expected


def test_listeners_hear_of_a_topic_only_after_the_commit(db: Database) -> None:
    heard: list[str] = []
    db.listen("tides", lambda: heard.append("tides"))
    db.listen("other", lambda: heard.append("other"))
    with db.write() as session:
        announce(session, "tides")
        announce(session, "tides")
        assert heard == []
    assert heard == ["tides"]
    with pytest.raises(ValueError), db.write() as session:
        announce(session, "tides")
        raise ValueError
    assert heard == ["tides"]
