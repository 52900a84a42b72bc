"""Which items a list of results shows: found in an index, page by page.

Where a filter is in no index together with the order, the order is walked in stretches, and not for longer than a
moment: the page then ends where the walk did, and the next one goes on there.
"""

import base64
import binascii
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.doubts import MILLION
from tidemill.datasets.tables import ITEMS
from tidemill.inference.results.reading import Place
from tidemill.inference.tables import FAILED, RESULT_LABELS, RESULTS, InferenceRunRow
from tidemill.kernel.db import escape_like
from tidemill.kernel.errors import Invalid
from tidemill.kernel.paging import COUNT_CAP

STRETCH = 20_000
PATIENCE_S = 0.4
Key = tuple[int, ...]
_result, _seen, _item = RESULTS.c, RESULT_LABELS.c, ITEMS.c


@dataclass(frozen=True, slots=True)
class ResultWish:
    """What a caller asks of results; everything given must be so."""

    label: str | None = None
    min_score: float | None = None
    max_score: float | None = None
    errors: bool = False
    q: str | None = None
    sort: str | None = None
    limit: int = 50
    cursor: str | None = None

    @property
    def has_range(self) -> bool:
        return self.min_score is not None or self.max_score is not None


@dataclass(frozen=True, slots=True)
class Found:
    places: list[Place]
    next: str | None
    total: int
    is_capped: bool


def find(session: Session, run: InferenceRunRow, wish: ResultWish) -> Found:
    """One page of places."""
    walk = _Walk(run, wish)
    if walk.is_nothing:
        return Found([], None, 0, False)
    rows, after = walk.take(session)
    shown = rows[: wish.limit]
    more = _encode(walk, walk.key_of(shown[-1])) if len(rows) > wish.limit else None
    if more is None and after is not None:
        more = _encode(walk, after)
    total, capped = _count(session, run, wish, walk, len(shown))
    return Found([Place(row.seq, row.shard, row.start, row.length) for row in shown], more, total, capped)


class _Walk:
    """The order, from where, and what is looked at beside it."""

    def __init__(self, run: InferenceRunRow, wish: ResultWish) -> None:
        self.run, self.wish = run, wish
        names = {one[0]: place for place, one in enumerate(run.labels)}
        self.label = None if wish.label is None else names.get(wish.label)
        self.is_nothing = wish.label is not None and (self.label is None or wish.errors)
        sort = wish.sort or ("-score" if wish.has_range else "seq")
        # Those that failed have one score, below all others: by it and their numbers they are in an index.
        self.by_score = sort.endswith("score") or wish.errors
        self.is_down = sort.startswith("-")
        self.sort = f"{'-' if self.is_down else ''}{'score' if self.by_score else 'seq'}"
        self._lead: Any = _result if self.label is None else _seen
        self.keys: tuple[Any, ...] = (self._lead.score, self._lead.seq) if self.by_score else (self._lead.seq,)

    def take(self, session: Session) -> tuple[list[Any], Key | None]:
        """Rows, one more than asked for where there are more; and where the walk ended early."""
        after = None if self.wish.cursor is None else _decode(self, self.wish.cursor)
        beside = self._beside()
        want = self.wish.limit + 1
        if not beside:
            return self._fetch(session, self._after(after), [], want), None
        rows: list[Any] = []
        until_s = time.monotonic() + PATIENCE_S
        while True:
            bound = self._bound(session, after)
            span = [*self._after(after), *([] if bound is None else [self._within(bound)])]
            rows += self._fetch(session, span, beside, want - len(rows))
            if len(rows) >= want or bound is None:
                return rows, None
            after = bound
            if time.monotonic() > until_s:
                return rows, after

    def count(self, session: Session) -> int:
        """Rows that the index alone can find, up to a cap."""
        some: sa.Select[Any] = (
            sa.select(sa.literal_column("1")).select_from(self._table()).where(*self._base()).limit(COUNT_CAP + 1)
        )
        return session.scalar(sa.select(sa.func.count()).select_from(some.subquery())) or 0

    def key_of(self, row: Any) -> Key:
        return (row.key_score, row.seq) if self.by_score else (row.seq,)

    def _table(self) -> Any:
        return RESULTS if self.label is None else RESULT_LABELS

    def _base(self) -> list[Any]:
        """What the index itself answers."""
        base: list[Any] = [self._lead.rid == self.run.rid]
        if self.label is not None:
            base.append(self._lead.label == self.label)
        if self.wish.errors:
            base.append(self._lead.score <= FAILED)
        elif self.by_score:
            base += self._range()
        return base

    def _beside(self) -> list[Any]:
        """What must be looked up for each row on the way."""
        found = [] if self.by_score else self._range()
        if self.wish.q:
            pattern = f"%{escape_like(self.wish.q)}%"
            path = sa.select(_item.seq).where(
                _item.vid == (self.run.vid or 0), _item.seq == self._lead.seq, _item.path.ilike(pattern, escape="\\")
            )
            found.append(sa.exists(path))
        return found

    def _range(self) -> list[Any]:
        wish, column = self.wish, self._lead.score
        found = [] if wish.min_score is None else [column >= _least(wish.min_score)]
        if wish.max_score is not None:
            # What has no score is below every score, and not among them.
            found += [column <= round(wish.max_score * MILLION), column >= 0]
        return found

    def _fetch(self, session: Session, span: Sequence[Any], beside: Sequence[Any], limit: int) -> list[Any]:
        table: Any = RESULTS
        if self.label is not None:
            table = RESULT_LABELS.join(RESULTS, sa.and_(_result.rid == _seen.rid, _result.seq == _seen.seq))
        columns = (_result.seq, _result.shard, _result.start, _result.length, self._lead.score.label("key_score"))
        statement = sa.select(*columns).select_from(table).where(*self._base(), *span, *beside)
        return list(session.connection().execute(statement.order_by(*self._order()).limit(limit)))

    def _bound(self, session: Session, after: Key | None) -> Key | None:
        """The key a stretch ahead; None where the rest is shorter."""
        statement = sa.select(*self.keys).select_from(self._table()).where(*self._base(), *self._after(after))
        row = session.connection().execute(statement.order_by(*self._order()).offset(STRETCH).limit(1)).one_or_none()
        return None if row is None else tuple(row)

    def _order(self) -> list[Any]:
        return [key.desc() if self.is_down else key.asc() for key in self.keys]

    def _after(self, key: Key | None) -> list[Any]:
        if key is None:
            return []
        left, right = sa.tuple_(*self.keys), sa.tuple_(*map(sa.literal, key))
        return [left < right if self.is_down else left > right]

    def _within(self, key: Key) -> Any:
        left, right = sa.tuple_(*self.keys), sa.tuple_(*map(sa.literal, key))
        return left >= right if self.is_down else left <= right


def _least(score: float) -> int:
    return round(score * MILLION)


def _count(session: Session, run: InferenceRunRow, wish: ResultWish, walk: _Walk, shown: int) -> tuple[int, bool]:
    """From counters where there are some; by the index up to a cap; else only what was seen is known."""
    if wish.q or (wish.has_range and not walk.by_score):
        return shown, True
    if wish.has_range:
        counted = walk.count(session)
        return min(counted, COUNT_CAP), counted > COUNT_CAP
    if wish.errors:
        return run.errors, False
    return (run.done if walk.label is None else int(run.labels[walk.label][1])), False


def _encode(walk: _Walk, key: Key) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([walk.sort, *key])).decode().rstrip("=")


def _decode(walk: _Walk, cursor: str) -> Key:
    try:
        sort, *key = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if sort != walk.sort or len(key) != len(walk.keys) or not all(type(one) is int for one in key):
            raise ValueError(cursor)
    except (ValueError, TypeError, binascii.Error):
        raise Invalid("cursor_invalid", field="cursor") from None
    return tuple(key)
