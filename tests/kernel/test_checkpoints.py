"""The log of changes is shortened beside those who write."""

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from tidemill.kernel import checkpoints
from tidemill.kernel.checkpoints import Checkpoints
from tidemill.kernel.db import Database


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(checkpoints, "BEGIN_BYTES", 200_000)
    monkeypatch.setattr(checkpoints, "LITTLE_PAGES", 10)
    monkeypatch.setattr(checkpoints, "AGAIN_AFTER_S", 0.01)
    made = Database(f"sqlite:///{tmp_path}/here.db")
    with made.write() as session:
        session.execute(sa.text("CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT)"))
    return made


def write(db: Database, count: int) -> None:
    for _ in range(count):
        with db.write() as session:
            session.execute(sa.text("INSERT INTO words (word) VALUES (:word)"), {"word": "x" * 20_000})


def log_bytes(db: Database) -> int:
    return Path(f"{db.url.database}-wal").stat().st_size


def test_a_long_log_begins_anew_and_a_short_one_is_left_alone(db: Database) -> None:
    keeper = Checkpoints(db)
    write(db, 3)
    before = log_bytes(db)
    keeper.turn()
    write(db, 1)
    assert log_bytes(db) > before
    write(db, 20)
    assert log_bytes(db) > 200_000
    keeper.turn()
    write(db, 1)
    assert log_bytes(db) < 200_000
    keeper.close()
    db.close()


def test_what_a_reader_needs_stays_until_it_has_gone(db: Database) -> None:
    keeper = Checkpoints(db)
    with db.read() as reader:
        assert reader.scalar(sa.text("SELECT count(*) FROM words")) == 0
        write(db, 30)
        keeper.turn()
        write(db, 1)
        assert log_bytes(db) > 200_000
        assert reader.scalar(sa.text("SELECT count(*) FROM words")) == 0
    keeper.turn()
    write(db, 1)
    assert log_bytes(db) < 200_000
    keeper.close()
    db.close()


def test_nothing_is_lost_while_others_write(db: Database) -> None:
    keeper = Checkpoints(db)
    writers = [threading.Thread(target=write, args=(db, 40)) for _ in range(3)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        keeper.turn()
    with db.read() as session:
        assert session.scalar(sa.text("SELECT count(*) FROM words")) == 120
        assert session.scalar(sa.text("PRAGMA integrity_check")) == "ok"
    keeper.close()
    db.close()
