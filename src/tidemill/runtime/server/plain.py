"""`POST /predict`: a picture, a text, a sound or a row in, Tidemill's annotations out."""

import asyncio
import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tidemill.runtime.model import Input, Prediction
from tidemill.runtime.server.errors import Malformed
from tidemill.runtime.server.formats.python_class import PythonClass
from tidemill.runtime.server.formats.tables import INPUT, TableModel
from tidemill.runtime.server.formats.tasks import WITHOUT_PICTURES, TaskModel
from tidemill.runtime.server.multipart import read_parts
from tidemill.runtime.server.protocol import check_input, take
from tidemill.runtime.server.repository import Entry
from tidemill.runtime.server.served import Served, Tensors
from tidemill.runtime.server.tensors import from_json

FILES = ("content", "image", "audio", "file")
"""Names under which JSON may bring a file, in base64."""
LABELS = 5


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the address asks for beside the item."""

    threshold: float | None = None
    top: int = LABELS

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Wishes":
        try:
            level = None if "threshold" not in query else float(query["threshold"])
            if level is not None and not 0 <= level <= 1:
                raise ValueError
        except ValueError as error:
            raise Malformed("threshold must be a number from 0 to 1") from error
        top = query.get("top", str(LABELS))
        if not top.isdecimal() or not 0 < int(top) <= 100_000:
            raise Malformed("top must be a whole number from 1 on")
        return cls(level, int(top))


async def predict(entry: Entry, body: bytes, content_type: str, wishes: Wishes) -> dict[str, Any]:
    """The answer to a body of any kind. Raises `Refusal`."""
    served = entry.served
    kind = content_type.partition(";")[0].strip().lower()
    if not body:
        raise Malformed("the body is empty: send a file, a text, or JSON")
    about = {"model": entry.name, "version": entry.version, "task": served.about.task}
    if isinstance(served, TaskModel):
        items, is_single = _items(served, body, content_type, kind)
        found, sizes = await asyncio.gather(
            entry.batcher.submit(served.items(items, wishes.threshold)), _sizes(served, items)
        )
        said = [_said(one, size, wishes) for one, size in zip(found, sizes, strict=True)]
        if is_single:
            if "error" in said[0]:
                raise Malformed(f"the item cannot be read: {said[0]['error']}")
            return {**about, **said[0]}
        return {**about, "predictions": said}
    if isinstance(served, PythonClass) and served.has_answer:
        given = _json(body) if kind == "application/json" else body
        found = await entry.batcher.submit(served.asked(given))
        return {**about, **found} if isinstance(found, dict) else {**about, "answer": found}
    if kind not in ("application/json", "", "application/x-www-form-urlencoded", "text/plain"):
        raise Malformed(f"this model takes numbers as JSON, not {kind}")
    tensors = _tensors(served, _json(body))
    outputs = served.give(await entry.batcher.submit(take(served, tensors, {})))
    shown = {name: array.tolist() for name, array in outputs.items()}
    labels = _labels_of_rows(served, outputs, wishes)
    return {**about, **labels, "outputs": shown}


def _items(served: Served, body: bytes, content_type: str, kind: str) -> tuple[list[Input], bool]:
    """What is to be looked at, and whether it is one thing only."""
    if kind == "multipart/form-data":
        parts = read_parts(body, content_type)
        if not parts:
            raise Malformed("multipart/form-data: there is no part")
        return [content for _, _, content in parts], len(parts) == 1
    if kind == "application/json" or kind.endswith("+json"):
        return _items_of_json(served.about.task == "tabular", _json(body))
    return [body], True


def _items_of_json(is_table: bool, told: Any) -> tuple[list[Input], bool]:
    if isinstance(told, dict) and isinstance(told.get("inputs"), list) and len(told) == 1:
        told = told["inputs"]
    if isinstance(told, list):
        if not told:
            raise Malformed("inputs must not be empty")
        return [_item(is_table, one, f"inputs[{at}]") for at, one in enumerate(told)], False
    return [_item(is_table, told, "the body")], True


def _item(is_table: bool, told: Any, place: str) -> Input:
    if is_table:
        if not isinstance(told, dict):
            raise Malformed(f"{place} must be a row: an object with a field for each column")
        return told
    if isinstance(told, str):
        return told
    if isinstance(told, dict):
        if isinstance(told.get("text"), str):
            return str(told["text"])
        name = next((name for name in FILES if isinstance(told.get(name), str)), None)
        if name is not None:
            return _file(told[name], f"{name} of {place}")
    raise Malformed(f"{place} must be a text, or an object with `text`, or with `content` in base64")


def _file(text: str, place: str) -> bytes:
    try:
        return base64.b64decode(text.partition("base64,")[2] if text.startswith("data:") else text, validate=True)
    except binascii.Error as error:
        raise Malformed(f"{place} must be base64: {error}") from error


async def _sizes(served: Served, items: Sequence[Input]) -> list[tuple[int, int] | None]:
    if served.about.task in WITHOUT_PICTURES:
        return [None] * len(items)
    return await asyncio.to_thread(lambda: [_size(item) for item in items])


def _size(item: Input) -> tuple[int, int] | None:
    """Width and height of a picture as annotations have them: upright."""
    import io

    from PIL import Image

    if not isinstance(item, bytes):
        return None
    try:
        with Image.open(io.BytesIO(item)) as picture:
            width, height = picture.size
            is_turned = picture.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    except Exception:  # noqa: BLE001 — decoders raise anything on hostile bytes; the model says what is wrong
        return None
    return (height, width) if is_turned else (width, height)


def _said(found: Prediction, size: tuple[int, int] | None, wishes: Wishes) -> dict[str, Any]:
    if found.error is not None:
        return {"error": found.error}
    said: dict[str, Any] = {}
    if found.probabilities is not None:
        said["labels"] = _best(found.probabilities, wishes)
    said["annotations"] = found.annotations
    said["uncertainty"] = found.uncertainty
    if found.value is not None:
        said["value"] = found.value
    if size is not None:
        said["width"], said["height"] = size
    return said


def _best(scores: Mapping[str, float], wishes: Wishes) -> list[dict[str, Any]]:
    level = wishes.threshold or 0.0
    order = sorted(scores.items(), key=lambda one: -one[1])[: wishes.top]
    return [{"label": name, "score": round(score, 6)} for name, score in order if score >= level]


def _labels_of_rows(served: Served, outputs: Tensors, wishes: Wishes) -> dict[str, Any]:
    """Labels where a model gives one probability for each of them, for one row."""
    names = served.about.labels
    rows = outputs.get("probabilities")
    if not names or rows is None or rows.shape != (1, len(names)):
        return {}
    return {"labels": _best(dict(zip(names, map(float, rows[0]), strict=True)), wishes)}


def _tensors(served: Served, told: Any) -> Tensors:
    """Tensors of JSON: `{"inputs": {name: nested lists}}`, or rows for a model with one input."""
    given = told["inputs"] if isinstance(told, dict) and "inputs" in told else told
    names = list(served.inputs)
    if isinstance(served, TableModel):
        given = {INPUT: _rows(served, given)}
    elif not isinstance(given, dict):
        if len(names) != 1:
            raise Malformed(f"inputs must be an object with {', '.join(names) or 'the tensors by name'}")
        given = {names[0]: given}
    found: Tensors = {}
    for name, data in given.items():
        shape = _shape(name, data)
        spec = served.inputs.get(name)
        if spec is not None and len(shape) == len(spec.shape) - 1:
            data, shape = [data], [1, *shape]  # one row
        datatype = spec.datatype if spec is not None else _datatype(data)
        check_input(served, name, datatype, shape, found)
        found[name] = from_json(name, datatype, shape, data)
    return found


def _rows(served: TableModel, given: Any) -> list[Any]:
    """Rows as lists of numbers; fields by the names of the columns, where the model knows them."""
    rows = given if isinstance(given, list) and given and isinstance(given[0], list | dict) else [given]
    return [_with_holes(_row(served, one)) for one in rows]


def _with_holes(row: Any) -> Any:
    """What is not known is `null`, which models of tables take as not a number."""
    return [math.nan if one is None else one for one in row] if isinstance(row, list) else row


def _row(served: TableModel, given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    if not served.columns:
        raise Malformed("this model does not know its columns by name: send rows as lists of numbers")
    missing = [name for name in served.columns if name not in given]
    if missing:
        raise Malformed(f"column {missing[0]!r} is missing")
    return [given[name] for name in served.columns]


def _shape(name: str, data: Any) -> list[int]:
    shape: list[int] = []
    while isinstance(data, list):
        shape.append(len(data))
        data = data[0] if data else None
    if not shape:
        raise Malformed(f"input {name!r}: data must be a list")
    return shape


def _datatype(data: Any) -> str:
    while isinstance(data, list) and data:
        data = data[0]
    kinds = {bool: "BOOL", int: "INT64", str: "BYTES"}
    return kinds.get(type(data), "FP32")


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"the body is not JSON: {error}") from error
