"""Prepared statements, and writers that take turns."""

import threading
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
import sqlalchemy.exc

from tidemill.kernel.db import Database, Turns
from tidemill.kernel.prepared import Prepared
from tidemill.kernel.routing import ReplayRow

AT = datetime(2026, 5, 1, 12, 30, 15, 250, UTC)
TABLE = ReplayRow.__table__
ADD = Prepared(
    sa.insert(ReplayRow).values({column.name: sa.bindparam(column.name, type_=column.type) for column in TABLE.columns})
)
FIND = Prepared(
    sa.select(ReplayRow.key, ReplayRow.body, ReplayRow.created_at, ReplayRow.status).where(
        ReplayRow.caller == sa.bindparam("caller"), ReplayRow.status == 200
    )
)


def add(db: Database, key: str) -> None:
    with db.write() as session:
        ADD.run(session, caller="ann", key=key, fingerprint="f", status=200, body={"a": [1, "二"]}, created_at=AT)


def test_values_go_in_and_come_out_as_with_any_other_statement(db: Database) -> None:
    add(db, "one")
    with db.read() as session:
        assert FIND.rows(session, caller="ann") == [("one", {"a": [1, "二"]}, AT, 200)]
        assert FIND.rows(session, caller="bob") == []
        (row,) = session.scalars(sa.select(ReplayRow))
        assert (row.body, row.created_at) == ({"a": [1, "二"]}, AT)


def test_a_glance_sees_what_was_committed_when_each_statement_began(db: Database) -> None:
    with db.glance() as glance:
        assert FIND.rows(glance, caller="ann") == []
        add(db, "one")
        assert FIND.rows(glance, caller="ann") == [("one", {"a": [1, "二"]}, AT, 200)]


def test_what_the_database_refuses_is_told_as_with_any_other_statement(db: Database) -> None:
    add(db, "one")
    with pytest.raises(sqlalchemy.exc.IntegrityError):
        add(db, "one")


def test_turns_are_given_in_the_order_they_were_asked_for() -> None:
    turns, order, waiting = Turns(), [], []

    def wait(number: int) -> None:
        with turns:
            order.append(number)

    with turns:
        for number in range(5):
            thread = threading.Thread(target=wait, args=(number,))
            thread.start()
            waiting.append(thread)
            while len(turns._waiting) <= number:
                pass
    for thread in waiting:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
