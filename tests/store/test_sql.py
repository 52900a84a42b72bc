"""Many values in one statement."""

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidemill.kernel.db import Database
from tidemill.store.sql import among, table_of

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
