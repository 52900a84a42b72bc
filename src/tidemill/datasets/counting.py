"""Counters of a version: changed by differences in the transaction of each change, read instead of counting."""

from collections import Counter
from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.annotations import Summary
from tidemill.datasets.tables import CountRow
from tidemill.kernel.db import upsert

STATE, LABEL, SHAPES, ANNOTATOR, SIZE, TYPE, TOTAL = "state", "label", "shapes", "annotator", "size", "type", "total"
ITEMS, ANNOTATIONS, BYTES, DUPLICATES = "items", "annotations", "bytes", "duplicates"


class Delta:
    """What changes, gathered over any number of items."""

    def __init__(self) -> None:
        self._by_key: Counter[tuple[str, str]] = Counter()

    def add(self, dimension: str, key: str | int, value: int) -> None:
        self._by_key[dimension, str(key)] += value

    def item(self, sign: int, *, state: int, annotator: int | None, size_bytes: int, summary: Summary) -> None:
        """An item comes (1) or goes (-1)."""
        self.add(TOTAL, ITEMS, sign)
        self.add(TOTAL, BYTES, sign * size_bytes)
        self.content(sign, state=state, annotator=annotator, summary=summary)

    def content(self, sign: int, *, state: int, annotator: int | None, summary: Summary) -> None:
        """An item's annotations come or go; the item itself stays."""
        add = self._by_key
        add[STATE, str(state)] += sign
        if annotator is not None:
            add[ANNOTATOR, str(annotator)] += sign
        if not summary.count:
            return
        add[TOTAL, ANNOTATIONS] += sign * summary.count
        for label, count in summary.labels.items():
            add[LABEL, str(label)] += sign
            add[SHAPES, str(label)] += sign * count
        for size, count in summary.sizes.items():
            add[SIZE, size] += sign * count
        for kind, count in summary.types.items():
            add[TYPE, kind] += sign * count

    def write(self, session: Session, vid: int) -> None:
        """Adds it all to the counters, always in one order."""
        rows = [
            {"vid": vid, "dimension": dimension, "key": key, "value": value}
            for (dimension, key), value in sorted(self._by_key.items())
            if value
        ]
        if rows:
            session.connection().execute(_add_statement(session), rows)


def get_counts(session: Session, vid: int, dimensions: Iterable[str] | None = None) -> dict[str, dict[str, int]]:
    """The counters, by dimension and key; those at 0 are left out."""
    statement = sa.select(CountRow.dimension, CountRow.key, CountRow.value).where(CountRow.vid == vid)
    if dimensions is not None:
        statement = statement.where(CountRow.dimension.in_(list(dimensions)))
    found: dict[str, dict[str, int]] = {}
    for dimension, key, value in session.execute(statement):
        if value:
            found.setdefault(dimension, {})[key] = value
    return found


def get_count(session: Session, vid: int, dimension: str, key: str | int) -> int:
    """One counter."""
    here = (CountRow.vid == vid, CountRow.dimension == dimension, CountRow.key == str(key))
    return session.scalar(sa.select(CountRow.value).where(*here)) or 0


def get_many(session: Session, vids: Iterable[int], dimension: str) -> dict[int, dict[str, int]]:
    """One dimension of several versions."""
    statement = sa.select(CountRow.vid, CountRow.key, CountRow.value)
    found: dict[int, dict[str, int]] = {}
    for vid, key, value in session.execute(
        statement.where(CountRow.vid.in_(list(vids)), CountRow.dimension == dimension)
    ):
        if value:
            found.setdefault(vid, {})[key] = value
    return found


def _add_statement(session: Session) -> sa.Executable:
    insert = upsert(session, CountRow)
    added: sa.Executable = insert.on_conflict_do_update(
        index_elements=["vid", "dimension", "key"], set_={"value": CountRow.value + insert.excluded.value}
    )
    return added
