"""Many values in one statement."""

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidemill.kernel.db import Database
from tidemill.store.sql import among, insert_rows, table_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
ROWS = st.lists(st.tuples(TEXTS, st.integers(-(1 << 63), (1 << 63) - 1), st.none() | TEXTS), max_size=20)
relaxed = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(rows=ROWS)
def test_rows_arrive_as_they_were_in_their_order(db: Database, rows: list[tuple[str, int, str | None]]) -> None:
    with db.read() as session:
        given_rows = table_of(session, rows, name=sa.Text(), size=sa.BigInteger(), note=sa.Text())
        found = [tuple(row) for row in session.execute(sa.select(given_rows))]
    assert found == rows


@relaxed
@given(wanted=st.sets(TEXTS, max_size=10), asked=TEXTS)
def test_among_means_is_one_of(db: Database, wanted: set[str], asked: str) -> None:
    with db.read() as session:
        for text in {asked, *wanted}:
            found = session.scalar(sa.select(among(session, sa.literal(text, sa.Text()), wanted)))
            assert bool(found) == (text in wanted)


def test_among_numbers(db: Database) -> None:
    with db.read() as session:
        for number, wanted in ((7, [1, 7]), (7, [70]), (-(1 << 62), [-(1 << 62)]), (7, [])):
            found = session.scalar(sa.select(among(session, sa.literal(number, sa.BigInteger()), wanted)))
            assert bool(found) == (number in wanted)


@pytest.mark.parametrize("count", [0, 1, 9, 10, 123, 1000])
def test_rows_are_inserted_whatever_their_number_and_told_in_order(db: Database, count: int) -> None:
    rows = [(number, None if number % 3 else f"row {number}") for number in range(count)]
    with db.write() as session:
        session.execute(sa.text("CREATE TEMPORARY TABLE given (number BIGINT PRIMARY KEY, note TEXT)"))
        told = insert_rows(session, "given", ("number", "note"), rows, then="RETURNING number, note")
        assert [tuple(row) for row in told] == rows
        assert [tuple(row) for row in session.execute(sa.text("SELECT * FROM given ORDER BY number"))] == rows
        session.rollback()


def test_rows_that_are_there_are_changed_as_the_caller_says(db: Database) -> None:
    columns, add = ("name", "size"), "ON CONFLICT (name) DO UPDATE SET size = given.size + excluded.size"
    with db.write() as session:
        session.execute(sa.text("CREATE TEMPORARY TABLE given (name TEXT PRIMARY KEY, size BIGINT)"))
        insert_rows(session, "given", columns, [("a", 1), ("b", 2)], then=add)
        insert_rows(session, "given", columns, [("b", 40), ("c", 3)], then=add)
        found = session.execute(sa.text("SELECT name, size FROM given ORDER BY name"))
        assert [tuple(row) for row in found] == [("a", 1), ("b", 42), ("c", 3)]
        session.rollback()
