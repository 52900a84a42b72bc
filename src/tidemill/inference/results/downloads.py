"""Everything a run found, as one file, made while it is sent."""

import csv
import io
import tempfile
from collections.abc import Iterator
from typing import Any

import orjson
from fastapi import Response
from fastapi.responses import StreamingResponse

from tidemill.datasets.formats.base import Label, Sample
from tidemill.inference.results.reading import Line, read_all
from tidemill.inference.tables import InferenceRunRow
from tidemill.kernel.errors import Conflict
from tidemill.store.serving import attachment

COLUMNS = ("seq", "path", "label", "score", "type", "x", "y", "w", "h", "text", "value", "annotation", "error")
_BLOCK_BYTES = 1 << 20
_PLACED = frozenset({"object-detection", "segmentation", "keypoints", "ocr"})
_MEDIA = {"json": "application/json", "jsonl": "application/x-ndjson", "csv": "text/csv", "coco": "application/json"}
_ENDINGS = {"json": "json", "jsonl": "jsonl", "csv": "csv", "coco": "coco.json"}


def respond(state: Any, run: InferenceRunRow, name: str, format: str, *, threshold: float | None) -> Response:
    """The file; raises Conflict where the form cannot say what was found."""
    if not run.shards:
        raise Conflict("inference_no_results", name=run.name)
    if format == "coco" and run.task and run.task not in _PLACED:
        raise Conflict("inference_not_coco", field="format", task=run.task)
    lines = _lines(state, run, threshold)
    made = {"json": _json, "jsonl": _json_lines, "csv": _csv, "coco": _coco}[format](run, lines)
    headers = {
        "Content-Disposition": attachment(f"{name}-{run.number}.{_ENDINGS[format]}", download=True),
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(made, media_type=_MEDIA[format], headers=headers)


def _lines(state: Any, run: InferenceRunRow, threshold: float | None) -> Iterator[list[Line]]:
    for lines in read_all(state.db, state.store.backend, run.rid):
        if threshold is not None:
            for line in lines:
                line["annotations"] = [one for one in line["annotations"] if one.get("score", 1.0) >= threshold]
        yield lines


def summary_of(run: InferenceRunRow) -> dict[str, Any]:
    """What of a run goes into its files."""
    return {
        "run": run.name,
        "source": run.source,
        "dataset": run.dataset,
        "task": run.task,
        "items": run.done,
        "errors": run.errors,
        "annotations": run.annotations,
        "empty": run.empty,
        "classes": {name: {"items": items, "annotations": count} for name, items, count in run.labels},
        "complete": run.is_whole,
    }


def _json(run: InferenceRunRow, parts: Iterator[list[Line]]) -> Iterator[bytes]:
    yield b'{"summary":' + orjson.dumps(summary_of(run)) + b',\n"results":['
    before = b"\n"
    for lines in parts:
        if lines:
            yield before + b",\n".join(map(orjson.dumps, lines))
            before = b",\n"
    yield b"\n]}\n"


def _json_lines(run: InferenceRunRow, parts: Iterator[list[Line]]) -> Iterator[bytes]:
    del run
    for lines in parts:
        yield b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def _csv(run: InferenceRunRow, parts: Iterator[list[Line]]) -> Iterator[bytes]:
    """A row an annotation; an item without any has a row, too."""
    del run
    yield ("\ufeff" + ",".join(COLUMNS) + "\r\n").encode()
    for lines in parts:
        text = io.StringIO()
        writer = csv.writer(text)
        for line in lines:
            writer.writerows(_rows(line))
        yield text.getvalue().encode()


def _rows(line: Line) -> Iterator[list[Any]]:
    for one in line["annotations"] or [{}]:
        place = [_rounded(one.get(name)) for name in ("x", "y", "w", "h")]
        known = {"type", "label", "score", "x", "y", "w", "h", "text"}
        rest = {name: value for name, value in one.items() if name not in known}
        yield [
            line["seq"],
            _cell(line["path"]),
            _cell(one.get("label")),
            one.get("score"),
            one.get("type"),
            *place,
            _cell(one.get("text")),
            line.get("value"),
            orjson.dumps(rest).decode() if rest else None,
            _cell(line.get("error")),
        ]


def _cell(value: Any) -> Any:
    """Spreadsheets run what begins like a formula; a text does not."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value


def _rounded(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def _coco(run: InferenceRunRow, parts: Iterator[list[Line]]) -> Iterator[bytes]:
    from tidemill.datasets.formats.coco_writing import CocoFile, CocoWriter
    from tidemill.datasets.formats.writing import Classes, Tally

    labels = [Label(str(name)) for name, _, _ in run.labels]
    with tempfile.TemporaryFile() as kept:
        # The writer closes what it writes to; the file behind it is read afterwards.
        out = _Kept(kept)
        file = CocoFile(out, Classes(labels), Tally(CocoWriter.name))  # type: ignore[arg-type]
        for lines in parts:
            for line in lines:
                file.add(_sample(line), line["path"])
        file.close(labels)
        kept.seek(0)
        while block := kept.read(_BLOCK_BYTES):
            yield block


def _sample(line: Line) -> Sample:
    return Sample(line["path"], annotations=line["annotations"], width=line.get("width"), height=line.get("height"))


class _Kept:
    """A file that stays open when it is closed."""

    def __init__(self, file: Any) -> None:
        self.write = file.write

    def close(self) -> None:
        pass
