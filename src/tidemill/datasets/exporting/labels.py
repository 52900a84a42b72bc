"""A version's labels as a file."""

import csv
import io
from collections.abc import Sequence
from typing import Any, Literal

import orjson

from tidemill.datasets.schemas import LabelView

LABEL_MEDIA = {"json": "application/json", "csv": "text/csv; charset=utf-8", "txt": "text/plain; charset=utf-8"}
_COLUMNS = ("number", "name", "parent", "colour", "shortcut", "items", "annotations")


def label_file(labels: Sequence[LabelView], format: Literal["json", "csv", "txt"]) -> bytes:
    """All labels: json can be read back as a label set, txt has a name a line (`parent/name` below a parent)."""
    names = {label.number: label.name for label in labels}
    if format == "json":
        return orjson.dumps({"labels": [_whole(label, names) for label in labels]}, option=orjson.OPT_INDENT_2)
    if format == "txt":
        return "".join(f"{_path(label, names)}\n" for label in labels).encode()
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    for label in labels:
        row: dict[str, Any] = {**label.model_dump(), "parent": names.get(label.parent or 0, "")}
        writer.writerow([_harmless(row[column]) for column in _COLUMNS])
    # With the mark that makes spreadsheets read it as UTF-8.
    return "\ufeff".encode() + text.getvalue().encode()


def _whole(label: LabelView, names: dict[int, str]) -> dict[str, Any]:
    kept = label.model_dump(mode="json", exclude={"items", "annotations", "parent"})
    return {**kept, "parent_name": names.get(label.parent or 0)}


def _path(label: LabelView, names: dict[int, str]) -> str:
    return f"{names[label.parent]}/{label.name}" if label.parent in names else label.name


def _harmless(value: Any) -> Any:
    """Spreadsheets take text that begins like a formula for one."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
