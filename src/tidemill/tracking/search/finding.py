"""Runs of experiments that fit a filter, in an order, a page at a time.

Sorted by one thing, a page is found by the value and id of the last run before it, from an index: runs that have the
value come first, those without it after them, newest first. Sorted by several things, pages are counted off.
"""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import Invalid
from tidemill.tracking.search.conditions import attribute, condition
from tidemill.tracking.search.parsing import Field, Order, Term
from tidemill.training.tables import ParameterRow, RunRow, SeriesRow, TagRow

Shown = Literal["live", "deleted", "all"]
NEWEST_FIRST = Order(Field("attribute", "start_time"), descending=True)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for."""

    experiments: Sequence[str]
    terms: tuple[Term, ...] = ()
    orders: tuple[Order, ...] = ()
    shown: Shown = "live"
    numbers_first: bool = False
    """Parameters are sorted as numbers where they are some; MLflow's own search sorts them as texts."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """Ids of runs, in order."""

    ids: list[str]
    next: str | None


def find_runs(session: Session, wanted: Wanted, *, limit: int, cursor: str | None) -> FoundPage:
    """One page."""
    if not wanted.experiments or limit == 0:
        return FoundPage([], None)
    orders = wanted.orders or (NEWEST_FIRST,)
    finder = _ByOne(session, wanted, orders[0]) if len(orders) == 1 else _BySeveral(session, wanted, orders)
    return finder.page(limit, _decode(cursor))


def count_runs(session: Session, wanted: Wanted, *, most: int) -> int:
    """How many there are, up to a cap."""
    statement: Any = sa.select(sa.literal_column("1")).select_from(RunRow).where(*_filters(session, wanted))
    return session.scalar(sa.select(sa.func.count()).select_from(statement.limit(most).subquery())) or 0


class _ByOne:
    """Keyset pages: `["v", value, id]` goes on among those with the value, `["n", start_ms, id]` among the rest."""

    def __init__(self, session: Session, wanted: Wanted, order: Order) -> None:
        self._session = session
        self._order = order
        self._filters = _filters(session, wanted)
        self._value, self._source, self._named = _sorted_by(wanted, order)

    def page(self, limit: int, after: Any) -> FoundPage:
        self._check(after)
        rows: list[tuple[str, Any, str]] = []
        if after is None or after[0] == "v":
            rows = [("v", value, run_id) for value, run_id in self._with_value(limit + 1, after)]
        if len(rows) <= limit and self._may_lack_value:
            rest = after if after is not None and after[0] == "n" else None
            rows += [("n", start_ms, run_id) for start_ms, run_id in self._without(limit + 1 - len(rows), rest)]
        shown = rows[:limit]
        return FoundPage([row[2] for row in shown], _encode(shown[-1]) if len(rows) > limit else None)

    def _check(self, after: Any) -> None:
        """A cursor of another order, or one that somebody made up, is none of this list."""
        if after is None:
            return
        kind = int if after[0] == "n" else self._value.type.python_type
        is_number = kind in (int, float)
        fits = isinstance(after[1], int | float) if is_number else isinstance(after[1], str)
        if after[0] == "o" or not fits or (kind is int and not isinstance(after[1], int)):
            raise Invalid("cursor_invalid", field="page_token")

    @property
    def _may_lack_value(self) -> bool:
        return self._source is not None or self._order.field.name == "end_time"

    def _with_value(self, limit: int, after: Any) -> Sequence[Any]:
        run_id = RunRow.id if self._source is None else self._source.run_id
        statement = sa.select(self._value, run_id).where(*self._filters, *self._named, self._value.is_not(None))
        if self._source is not None:
            statement = statement.join(RunRow, RunRow.id == self._source.run_id)
        turn: Any = sa.desc if self._order.descending else sa.asc
        if after is not None:
            here = sa.tuple_(self._value, run_id)
            there = sa.tuple_(sa.literal(after[1], self._value.type), sa.literal(after[2], sa.Text()))
            statement = statement.where(here < there if self._order.descending else here > there)
        return self._session.execute(statement.order_by(turn(self._value), turn(run_id)).limit(limit)).all()

    def _without(self, limit: int, after: Any) -> Sequence[Any]:
        statement = sa.select(RunRow.start_ms, RunRow.id).where(*self._filters)
        if self._source is None:
            statement = statement.where(self._value.is_(None))
        else:
            has = sa.exists().where(self._source.run_id == RunRow.id, *self._named, self._value.is_not(None))
            statement = statement.where(~has)
        if after is not None:
            there = sa.tuple_(sa.literal(after[1], sa.BigInteger()), sa.literal(after[2], sa.Text()))
            statement = statement.where(sa.tuple_(RunRow.start_ms, RunRow.id) < there)
        return self._session.execute(statement.order_by(RunRow.start_ms.desc(), RunRow.id.desc()).limit(limit)).all()


class _BySeveral:
    """Pages counted off: `["o", how many came before]`."""

    def __init__(self, session: Session, wanted: Wanted, orders: tuple[Order, ...]) -> None:
        self._session = session
        self._wanted = wanted
        self._orders = orders

    def page(self, limit: int, after: Any) -> FoundPage:
        before = after[1] if after is not None and after[0] == "o" else 0
        statement = sa.select(RunRow.id).where(*_filters(self._session, self._wanted))
        for order in self._orders:
            value = self._value_of(order)
            statement = statement.order_by(value.is_(None), sa.desc(value) if order.descending else sa.asc(value))
        statement = statement.order_by(RunRow.start_ms.desc(), RunRow.id.desc())
        ids = list(self._session.scalars(statement.offset(before).limit(limit + 1)))
        return FoundPage(ids[:limit], _encode(("o", before + limit)) if len(ids) > limit else None)

    def _value_of(self, order: Order) -> Any:
        value, source, named = _sorted_by(self._wanted, order)
        if source is None:
            return value
        inner: Any = sa.select(value).where(source.run_id == RunRow.id, *named)
        return inner.correlate(RunRow).scalar_subquery()


def _filters(session: Session, wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    dialect = session.get_bind().dialect.name
    found: list[sa.ColumnElement[bool]] = [_among(RunRow.experiment_id, wanted.experiments)]
    if wanted.shown == "live":
        found.append(RunRow.deleted_at.is_(None))
    elif wanted.shown == "deleted":
        found.append(RunRow.deleted_at.is_not(None))
    return [*found, *(condition(term, dialect) for term in wanted.terms)]


def _sorted_by(wanted: Wanted, order: Order) -> tuple[Any, Any, list[sa.ColumnElement[bool]]]:
    """The column, the table it is in when that is not `runs`, and which of that table's rows are meant."""
    field = order.field
    if field.entity == "metric":
        mine = [_among(SeriesRow.experiment_id, wanted.experiments), SeriesRow.key == field.name]
        return SeriesRow.last_value, SeriesRow, mine
    if field.entity == "parameter":
        mine = [_among(ParameterRow.experiment_id, wanted.experiments), ParameterRow.key == field.name]
        return (ParameterRow.number if wanted.numbers_first else ParameterRow.sort_key), ParameterRow, mine
    if field.entity == "tag":
        return TagRow.value, TagRow, [TagRow.key == field.name]
    return attribute(field), None, []


def _among(column: Any, values: Sequence[str]) -> sa.ColumnElement[bool]:
    found: sa.ColumnElement[bool] = column == values[0] if len(values) == 1 else column.in_(values)
    return found


def _encode(row: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(row).encode()).decode().rstrip("=")


def _decode(cursor: str | None) -> Any:
    if not cursor:
        return None
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        kind, *rest = found
        if kind == "o" and isinstance(rest[0], int) and 0 <= rest[0] < 1 << 62:
            return found
        value, run_id = rest
        is_text = isinstance(value, str) and "\x00" not in value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if isinstance(value, int) and abs(value) >= 1 << 62:
            raise ValueError(value)
        if kind in ("v", "n") and isinstance(run_id, str) and "\x00" not in run_id and (is_text or is_number):
            return found
    except (ValueError, TypeError, IndexError, binascii.Error, RecursionError) as broken:
        raise Invalid("cursor_invalid", field="page_token") from broken
    raise Invalid("cursor_invalid", field="page_token")
