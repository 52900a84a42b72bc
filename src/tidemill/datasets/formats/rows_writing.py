"""Rows of tables, written as the tables they came from: a CSV a folder, a column a field, and the class last.

An item is a row as a JSON object. Which columns there are is known when the last row has come, so that rows wait in a
file meanwhile.
"""

import csv
import io
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from tidemill.datasets.formats.base import Opener, Sample, Target
from tidemill.datasets.formats.finding import folder_of
from tidemill.datasets.formats.writing import Tally

LABEL, SPLIT = "label", "split"
"""The first is always there: readers know by it that the first line names the columns."""


def write_tables(samples: Iterable[Sample], target: Target, tally: Tally, files: Opener) -> None:
    """All rows, in their order."""
    tables: dict[str, _Table] = {}
    for sample in samples:
        folder = folder_of(sample.path) or "items"
        with files(sample) as file:
            row = _fields(file.read())
        if folder not in tables:
            tables[folder] = _Table()
        tables[folder].add(row, _class(sample, tally), sample.split or "")
    for folder, table in tables.items():
        table.write(target, f"{folder}.csv")


class _Table:
    def __init__(self) -> None:
        self._columns: dict[str, None] = {}
        self._has_splits = False
        self._rows = tempfile.TemporaryFile(buffering=1 << 20)  # noqa: SIM115 — closed when it is written

    def add(self, row: dict[str, Any], label: str, split: str) -> None:
        self._columns |= dict.fromkeys(row)
        self._has_splits |= bool(split)
        self._rows.write(orjson.dumps([row, label, split], option=orjson.OPT_APPEND_NEWLINE))

    def write(self, target: Target, path: str) -> None:
        columns = list(self._columns)
        self._rows.seek(0)
        with target.open(path) as out, self._rows:
            # With the mark that makes spreadsheets read it as UTF-8.
            more = [LABEL, SPLIT] if self._has_splits else [LABEL]
            out.write(b"\xef\xbb\xbf" + _line([*columns, *(_free(name, columns) for name in more)]))
            for line in self._rows:
                row, *beside = orjson.loads(line)
                out.write(_line([*(_cell(row.get(name)) for name in columns), *beside[: len(more)]]))


def _fields(data: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {"text": data.decode("utf-8", "replace")}
    return found if isinstance(found, dict) else {"value": found}


def _class(sample: Sample, tally: Tally) -> str:
    """A row has one; what is more than that is counted."""
    classes = [annotation for annotation in sample.annotations if annotation["type"] == "class"]
    for annotation in sample.annotations:
        if annotation not in classes[:1]:
            tally.lost(annotation)
    return str(classes[0]["label"]) if classes else ""


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return orjson.dumps(value).decode() if isinstance(value, dict | list | bool) else value


def _line(values: Sequence[Any]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().encode()
