"""Rows of tables: fields in, the class or the number out.

    {"kind": "table", "columns": [{"name": "age", "kind": "number"},
                                  {"name": "sex", "kind": "category", "values": ["female", "male"]},
                                  {"name": "name", "kind": "words", "values": ["mr", "mrs"]}],
     "target": {"column": "price", "kind": "number"}}

A number that is missing, and a value nobody saw in training, are the same to the model: not known.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tidemill.runtime.classes import predictions
from tidemill.runtime.content import row
from tidemill.runtime.model import Annotation, Input, OnnxModel, Prediction
from tidemill.sdk.data import Dataset, Item

Array = Any
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "-", "--", "#n/a", "无", "空"})
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?%?$")


def plain(value: Any) -> str | None:
    """A field as text without blanks around it; None for what stands for nothing."""
    if value is None:
        return None
    text = str(value).strip()
    return None if text.lower() in MISSING else text


def number(value: Any) -> float | None:
    """A field as a number; None where it is missing or none."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    text = plain(value)
    if text is None or not _NUMBER.match(text.replace(" ", "")):
        return None
    text = text.replace(" ", "").rstrip("%")
    try:
        return float(text.replace(",", ".") if "." not in text else text.replace(",", ""))
    except ValueError:
        return None


def words(value: Any) -> list[str]:
    """The words of a field."""
    return _WORD.findall((plain(value) or "").lower())


def width(columns: Sequence[Mapping[str, Any]]) -> int:
    """Numbers a row becomes."""
    return sum(len(column["values"]) if column["kind"] == "words" else 1 for column in columns)


def encoded(fields: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> list[float]:
    """A row as numbers; NaN where nothing is known."""
    found: list[float] = []
    for column in columns:
        value = fields.get(column["name"])
        if column["kind"] == "number":
            known = number(value)
            found.append(math.nan if known is None else known)
        elif column["kind"] == "category":
            place = _places(column).get(plain(value) or "")
            found.append(math.nan if place is None else float(place))
        else:
            there = set(words(value))
            found.extend(float(word in there) for word in column["values"])
    return found


def _places(column: Mapping[str, Any]) -> dict[str, int]:
    kept: dict[str, int] | None = column.get("_places")
    if kept is None:
        kept = {value: place for place, value in enumerate(column["values"])}
        # Rows come one after another: the index is made once.
        if isinstance(column, dict):
            column["_places"] = kept
    return kept


class TableModel(OnnxModel):
    """The file takes a row of numbers; its first output has a probability for each label, or the number."""

    @property
    def target(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.facts.input.get("target") or {}
        return found

    def labelled(self, items: Dataset) -> Dataset:
        return having_target(items, self.target.get("column"))

    def truth(self, item: Item) -> tuple[list[Annotation], float | None]:
        column = self.target.get("column")
        if not column:
            return item.annotations, None
        value = item.read_row().get(column)
        if self.target.get("kind") == "number":
            return [], number(value)
        return [{"type": "class", "label": plain(value)}], None

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        if not items:
            return []
        columns = self.facts.input["columns"]
        rows = np.array([encoded(row(item), columns) for item in items], np.float32)
        found = self.session.run_rows(rows)[0]
        if self.target.get("kind") == "number":
            return [Prediction(value=float(value)) for value in np.ravel(found)]
        return predictions(found, self.labels, threshold=threshold)


def having_target(items: Dataset, column: str | None) -> Dataset:
    """The rows of which it is known what is to be predicted: labelled ones, or those with a value in the column."""
    if not column:
        return items.labelled()
    return items.filter(lambda item: item.state != "aside" and plain(item.read_row().get(column)) is not None)
