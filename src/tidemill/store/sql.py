"""Thousands of values in one statement, on both databases.

They travel as one JSON parameter and are a table on the other side. A row costs a fraction of what it would as
parameters of its own, and there is no limit on how many.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session


def table_of(session: Session, rows: Iterable[Sequence[str | int | None]], **columns: Any) -> sa.Subquery:
    """A table of the rows, in their order, with these columns: `table_of(session, rows, digest=sa.Text(), …)`."""
    elements, pick = _elements(session, list(rows))
    picked = [pick(place, kind).label(name) for place, (name, kind) in enumerate(columns.items())]
    return sa.select(*picked).select_from(elements).subquery()


def among(session: Session, column: Any, values: Iterable[str]) -> sa.ColumnElement[bool]:
    """The column's value is one of these."""
    document = _document(list(values))
    if _is_sqlite(session):
        given: Any = sa.func.json_each(document).table_valued("value", name="given")
    else:
        array = sa.func.jsonb_array_elements_text(sa.cast(sa.literal(document, sa.Text()), JSONB))
        given = array.table_valued("value", name="given")
    found: sa.ColumnElement[bool] = column.in_(sa.select(given.c.value))
    return found


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
