"""Counters of a version: changed by differences in the transaction of each change, read instead of counting."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.annotations import Summary
from tidemill.datasets.tables import CountRow

STATE, LABEL, SHAPES, ANNOTATOR, SIZE, TYPE, TOTAL = "state", "label", "shapes", "annotator", "size", "type", "total"
DIMENSIONS = (STATE, LABEL, SHAPES, ANNOTATOR, SIZE, TYPE, TOTAL)
ITEMS, ANNOTATIONS, BYTES, DUPLICATES = "items", "annotations", "bytes", "duplicates"


class Delta:
    """What changes, gathered over any number of items."""

    def __init__(self) -> None:
        self._counters: dict[str, Counter[Any]] = {dimension: Counter() for dimension in DIMENSIONS}

    def add(self, dimension: str, key: str | int, value: int) -> None:
        self._counters[dimension][key] += value

    def item(self, sign: int, *, state: int, annotator: int | None, size_bytes: int, summary: Summary) -> None:
        """An item comes (1) or goes (-1)."""
        total = self._counters[TOTAL]
        total[ITEMS] += sign
        total[BYTES] += sign * size_bytes
        self.content(sign, state=state, annotator=annotator, summary=summary)

    def content(self, sign: int, *, state: int, annotator: int | None, summary: Summary) -> None:
        """An item's annotations come or go; the item itself stays."""
        counters = self._counters
        counters[STATE][state] += sign
        if annotator is not None:
            counters[ANNOTATOR][annotator] += sign
        if not summary.count:
            return
        counters[TOTAL][ANNOTATIONS] += sign * summary.count
        labels, shapes, sizes, types = counters[LABEL], counters[SHAPES], counters[SIZE], counters[TYPE]
        for label, count in summary.labels.items():
            labels[label] += sign
            shapes[label] += sign * count
        for size, count in summary.sizes.items():
            sizes[size] += sign * count
        for kind, count in summary.types.items():
            types[kind] += sign * count

    def write(self, session: Session, vid: int) -> None:
        """Adds it all to the counters, always in one order."""
        rows = [
            (vid, dimension, str(key), value)
            for dimension, counter in self._counters.items()
            if counter
            for key, value in sorted(counter.items())
            if value
        ]
        if rows:
            connection = session.connection()
            connection.exec_driver_sql(_ADD.replace("?", "%s") if connection.dialect.name != "sqlite" else _ADD, rows)


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


_ADD = (
    "INSERT INTO dataset_counts AS there (vid, dimension, key, value) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (vid, dimension, key) DO UPDATE SET value = there.value + excluded.value"
)
