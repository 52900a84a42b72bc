"""Lists: search, sort, keyset pages.

A page is found by the sort value and id of the last row before it, so the last page of a million rows costs what the
first one does. Every sort ends in the id, which makes the order total.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

import sqlalchemy as sa
from fastapi import Depends, Query
from pydantic import BaseModel
from sqlalchemy.orm import Session

from tidemill.kernel.errors import Invalid

LIMIT_MAX = 200
COUNT_CAP = 10_000

T = TypeVar("T")
Row = TypeVar("Row")


class Page(BaseModel, Generic[T]):
    """One page of a list."""

    items: list[T]
    next: str | None = None
    total: int
    total_capped: bool = False


@dataclass(frozen=True, slots=True)
class PageQuery:
    """What a caller asks of a list."""

    q: str | None = None
    sort: str | None = None
    limit: int = 50
    cursor: str | None = None


async def _page_query(
    q: Annotated[str | None, Query(max_length=200, description="Search text")] = None,
    sort: Annotated[
        str | None, Query(max_length=50, description="Field to sort by; `-` before it turns it round")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
    cursor: Annotated[str | None, Query(max_length=2000, description="`next` of the page before")] = None,
) -> PageQuery:
    cleaned = q.strip().replace("\x00", "") if q else None
    return PageQuery(q=cleaned or None, sort=sort, limit=limit, cursor=cursor)


Paging = Annotated[PageQuery, Depends(_page_query)]


def fetch_page(
    session: Session,
    statement: sa.Select[Row],
    page: PageQuery,
    *,
    sorts: Mapping[str, Any],
    id_column: Any,
    default_sort: str,
    view: Callable[[Sequence[Row]], list[T]],
    total: int | None = None,
) -> Page[T]:
    """One page of the statement's rows.

    `statement` selects one entity and carries the filters. `sorts` maps the names callers may sort by to columns that
    are never null. `view` turns all rows of the page at once into what goes out. `total` is a maintained counter where
    the list is unfiltered; without it the rows are counted, up to a cap.
    """
    sort, descending = _parse_sort(page.sort or default_sort, sorts)
    column = sorts[sort]
    ordered = statement
    if page.cursor:
        ordered = ordered.where(_after(column, id_column, descending, *_decode(page.cursor, sort, descending, column)))
    turn: Callable[[Any], Any] = sa.desc if descending else sa.asc
    columns = [turn(column)] if column is id_column else [turn(column), turn(id_column)]
    rows = session.scalars(ordered.order_by(*columns).limit(page.limit + 1)).all()
    shown = rows[: page.limit]
    cursor = None
    if len(rows) > page.limit:
        last = shown[-1]
        cursor = _encode(sort, descending, getattr(last, column.key), getattr(last, id_column.key))
    counted = _count(session, statement) if total is None else total
    return Page[Any](
        items=view(shown),
        next=cursor,
        total=min(counted, COUNT_CAP) if total is None else counted,
        total_capped=total is None and counted > COUNT_CAP,
    )


def _parse_sort(sort: str, sorts: Mapping[str, Any]) -> tuple[str, bool]:
    name = sort.removeprefix("-")
    if name not in sorts:
        raise Invalid("sort_unknown", field="sort", given=name, allowed=", ".join(sorted(sorts)))
    return name, sort.startswith("-")


def _after(column: Any, id_column: Any, descending: bool, value: Any, row_id: str) -> sa.ColumnElement[bool]:
    if column is id_column:
        found: sa.ColumnElement[bool] = id_column < row_id if descending else id_column > row_id
        return found
    left, right = (
        sa.tuple_(column, id_column),
        sa.tuple_(sa.literal(value, column.type), sa.literal(row_id, id_column.type)),
    )
    return left < right if descending else left > right


def _encode(sort: str, descending: bool, value: Any, row_id: str) -> str:
    stored = value.isoformat() if isinstance(value, datetime) else value
    text = json.dumps([sort, descending, stored, row_id], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str, sort: str, descending: bool, column: Any) -> tuple[Any, str]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        name, turned, value, row_id = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        if name != sort or turned is not descending or not isinstance(row_id, str):
            raise ValueError
        kind = column.type.python_type
        if kind is datetime:
            value = datetime.fromisoformat(value)
            if value.tzinfo is None:
                raise ValueError
            value = value.astimezone(UTC)
        elif not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
            raise ValueError
        if (
            "\x00" in row_id
            or (isinstance(value, str) and "\x00" in value)
            or (isinstance(value, int) and abs(value) >= 1 << 63)
        ):
            raise ValueError
    except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError, OverflowError):
        raise Invalid("cursor_invalid", field="cursor") from None
    return value, row_id


def _count(session: Session, statement: sa.Select[Any]) -> int:
    # No column of the row is asked for, so that an index alone can answer.
    counted: sa.Select[Any] = statement.with_only_columns(sa.literal_column("1"), maintain_column_froms=True)
    capped = counted.order_by(None).limit(COUNT_CAP + 1).subquery()
    return session.scalar(sa.select(sa.func.count()).select_from(capped)) or 0
