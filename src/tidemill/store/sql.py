"""Thousands of values in few statements, on both databases.

What is asked for travels as one JSON parameter and is a table on the other side, without a limit on how many. What is
written goes as plain rows, many in one statement: SQLite takes them in a third of the time that JSON needs, and lets
other threads work meanwhile.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

_SIZES = (100, 10, 1)
"""How many rows a statement takes: few sizes, so that each is compiled once; more at once gain nothing."""


def insert_rows(
    session: Session, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, then: str = ""
) -> list[Any]:
    """Inserts the rows, in their order, and says what `RETURNING` gives.

    Values are as the driver takes them, times are given through `moment`. `then` follows the values: what to do with
    those that are there (`ON CONFLICT …`), what to tell (`RETURNING …`). Table, columns and `then` are our own words.
    """
    connection = session.connection()
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    found: list[Any] = []
    start = 0
    for size in _SIZES:
        statement = _insert(table, tuple(columns), then, mark, size)
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            result = connection.exec_driver_sql(statement, values)
            if result.returns_rows:
                found.extend(result)
            start += size
    return found


def moment(session: Session, at: datetime) -> Any:
    """A time as the database's driver takes it."""
    if _is_sqlite(session):
        return at.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    return at


def table_of(session: Session, rows: Iterable[Sequence[str | int | None]], **columns: Any) -> sa.Subquery:
    """A table of the rows, in their order, with these columns: `table_of(session, rows, digest=sa.Text(), …)`."""
    elements, pick = _elements(session, list(rows))
    picked = [pick(place, kind).label(name) for place, (name, kind) in enumerate(columns.items())]
    return sa.select(*picked).select_from(elements).subquery()


def among(session: Session, column: Any, values: Iterable[str] | Iterable[int]) -> sa.ColumnElement[bool]:
    """The column's value, a text or a whole number, is one of these."""
    document = _document(list(values))
    if _is_sqlite(session):
        value: Any = sa.func.json_each(document).table_valued("value", name="given").c.value
    else:
        array = sa.func.jsonb_array_elements_text(sa.cast(sa.literal(document, sa.Text()), JSONB))
        value = array.table_valued("value", name="given").c.value
        value = sa.cast(value, column.type) if isinstance(column.type, sa.Integer) else value
    found: sa.ColumnElement[bool] = column.in_(sa.select(value))
    return found


@lru_cache(maxsize=200)
def _insert(table: str, columns: tuple[str, ...], then: str, mark: str, size: int) -> str:
    row = f"({', '.join([mark] * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * size)} {then}"  # noqa: S608


def _elements(session: Session, rows: list[Any]) -> tuple[Any, Any]:
    document = _document(rows)
    if _is_sqlite(session):
        each = sa.func.json_each(document).table_valued("value", name="given")
        return each, lambda place, kind: sa.cast(sa.func.json_extract(each.c.value, f"$[{place}]"), kind)
    array = sa.func.jsonb_array_elements(sa.cast(sa.literal(document, sa.Text()), JSONB))
    values = array.table_valued(sa.column("value", JSONB), name="given")
    return values, lambda place, kind: sa.cast(values.c.value[place].astext, kind)


def _document(values: list[Any]) -> str:
    return orjson.dumps(values).decode()


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"
