"""Keyset pages: whole, in order, and deaf to cursors that are not ours."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from tidemill.kernel.db import UtcDateTime
from tidemill.kernel.errors import Invalid
from tidemill.kernel.paging import COUNT_CAP, PageQuery, fetch_page

START = datetime(2026, 1, 1, tzinfo=UTC)


class ThingBase(DeclarativeBase):
    type_annotation_map = {datetime: UtcDateTime()}  # noqa: RUF012


class ThingRow(ThingBase):
    __tablename__ = "things"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    size: Mapped[int]
    at: Mapped[datetime]


SORTS = {"name": ThingRow.name, "size": ThingRow.size, "at": ThingRow.at, "id": ThingRow.id}


@pytest.fixture
def session() -> Iterator[Session]:
    engine = sa.create_engine("sqlite://")
    ThingBase.metadata.create_all(engine)
    with Session(engine) as opened:
        yield opened
    engine.dispose()


def page_of(session: Session, query: PageQuery, **options: Any) -> Any:
    return fetch_page(
        session,
        sa.select(ThingRow),
        query,
        sorts=SORTS,
        id_column=ThingRow.id,
        default_sort="name",
        view=lambda rows: [row.id for row in rows],
        **options,
    )


def fill(session: Session, rows: list[tuple[str, int, int]]) -> list[ThingRow]:
    session.execute(sa.delete(ThingRow))
    things = [
        ThingRow(id=f"thg_{n:04}", name=name, size=size, at=START + timedelta(microseconds=minutes))
        for n, (name, size, minutes) in enumerate(rows)
    ]
    session.add_all(things)
    session.commit()
    return things


things = st.lists(
    st.tuples(st.sampled_from(["a", "b", "É", "字", "a b"]), st.integers(0, 3), st.integers(0, 3)), max_size=25
)


@given(things, st.sampled_from(sorted(SORTS)), st.booleans(), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_all_pages_together_are_the_list_in_order_each_row_once(
    rows: list[tuple[str, int, int]], sort: str, descending: bool, limit: int
) -> None:
    engine = sa.create_engine("sqlite://")
    ThingBase.metadata.create_all(engine)
    with Session(engine) as session:
        expected = sorted(fill(session, rows), key=lambda row: (getattr(row, sort), row.id), reverse=descending)
        found: list[str] = []
        cursor = None
        while True:
            page = page_of(session, PageQuery(sort=("-" if descending else "") + sort, limit=limit, cursor=cursor))
            assert page.total == len(rows)
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        assert found == [row.id for row in expected]
    engine.dispose()


def test_what_is_added_or_removed_meanwhile_does_not_shift_the_pages(session: Session) -> None:
    fill(session, [("b", 0, 0), ("d", 0, 0), ("f", 0, 0)])
    first = page_of(session, PageQuery(limit=2))
    session.add(ThingRow(id="thg_new", name="a", size=0, at=START))
    session.execute(sa.delete(ThingRow).where(ThingRow.name == "d"))
    assert page_of(session, PageQuery(limit=2, cursor=first.next)).items == ["thg_0002"]


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_a_cursor_that_is_not_ours_is_refused_and_never_crashes(cursor: str) -> None:
    assert_refused_or_empty(cursor)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["name", "size", "at", "id"]), st.booleans(), json_values, json_values)
def test_a_forged_cursor_is_refused_or_finds_a_place(sort: str, descending: bool, value: Any, row_id: Any) -> None:
    text = json.dumps([sort, descending, value, row_id])
    assert_refused_or_empty(base64.urlsafe_b64encode(text.encode()).decode().rstrip("="), sort, descending)


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+14:00", "2026-01-01T00:00:00", "never"])
def test_a_forged_time_is_refused(value: str, session: Session) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(["at", False, value, "x"]).encode()).decode()
    with pytest.raises(Invalid):
        page_of(session, PageQuery(sort="at", cursor=cursor))


def assert_refused_or_empty(cursor: str, sort: str = "name", descending: bool = False) -> None:
    if not cursor:
        return
    engine = sa.create_engine("sqlite://")
    ThingBase.metadata.create_all(engine)
    with Session(engine) as session:
        query = PageQuery(sort=("-" if descending else "") + sort, cursor=cursor)
        assert outcome_of(session, query) in ("cursor_invalid at cursor", [])
    engine.dispose()


def outcome_of(session: Session, query: PageQuery) -> Any:
    """The items, or how it was refused."""
    try:
        return page_of(session, query).items
    except Invalid as error:
        return f"{error.code} at {error.field}"


def test_a_cursor_of_another_sort_is_refused(session: Session) -> None:
    fill(session, [("a", 1, 0), ("b", 2, 0)])
    cursor = page_of(session, PageQuery(sort="name", limit=1)).next
    for sort in ("-name", "size", "at"):
        with pytest.raises(Invalid) as caught:
            page_of(session, PageQuery(sort=sort, cursor=cursor))
        assert caught.value.code == "cursor_invalid"


def test_an_unknown_sort_names_those_there_are(session: Session) -> None:
    with pytest.raises(Invalid) as caught:
        page_of(session, PageQuery(sort="-colour"))
    assert caught.value.code == "sort_unknown"
    assert caught.value.params == {"given": "colour", "allowed": "at, id, name, size"}


def test_counting_stops_at_the_cap_unless_a_counter_is_kept(session: Session) -> None:
    session.execute(
        sa.insert(ThingRow),
        [{"id": f"thg_{n:06}", "name": "a", "size": 0, "at": START} for n in range(COUNT_CAP + 5)],
    )
    capped = page_of(session, PageQuery(limit=1))
    assert (capped.total, capped.total_capped) == (COUNT_CAP, True)
    kept = page_of(session, PageQuery(limit=1), total=COUNT_CAP + 5)
    assert (kept.total, kept.total_capped) == (COUNT_CAP + 5, False)
