"""Tidemill's own JSON: everything a version holds, without loss.

`dataset.json` has the type and the labels, `annotations.jsonl` one item a line, and the files lie beside them under
their paths. An annotation's `label` is a label's number; lines written by hand may use its name.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from tidemill.datasets.formats import json_stream
from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Opener, Options, Reader, Sample, Target, Writer
from tidemill.datasets.formats.finding import Files, folder_of
from tidemill.datasets.formats.writing import label_keys, put_data
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source

LINES = "annotations.jsonl"
ABOUT = "dataset.json"
TYPES = frozenset({"box", "polygon", "mask", "keypoints", "polyline", "point", "circle", "class", "segment"})
_ABOUT_MAX_BYTES = 64 << 20


class TidemillReader(Reader):
    """Every `annotations.jsonl`, with the `dataset.json` beside it."""

    name = "tidemill"

    def recognise(self, source: Source) -> float:
        found = [entry.path for entry in source.entries() if entry.path.rpartition("/")[2] == LINES]
        return 1.0 if found and all(_looks_like(source, path) for path in found[:5]) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:  # noqa: ARG002
        files = Files(source)
        for path in files:
            if path.rpartition("/")[2] == LINES:
                yield from _read_lines(source, files, path)


def _looks_like(source: Source, path: str) -> bool:
    try:
        head = source.read(path, 1 << 16)
    except OSError:
        return False
    return b'"annotations"' in head.partition(b"\n")[0] and b'"path"' in head


def _read_lines(source: Source, files: Files, path: str) -> Iterator[Label | Sample | Note]:
    folder = folder_of(path)
    prefix = f"{folder}/" if folder else ""
    numbers: dict[int, str] = {}
    about = f"{prefix}{ABOUT}"
    if about in files:
        try:
            listed = _labels(json_stream.loads(source.read(about, _ABOUT_MAX_BYTES)))
        except (OSError, *BROKEN):
            yield Note("json_damaged", about, params={"offset": 0})
            listed = []
        numbers = {label.number: key for label, key in zip(listed, label_keys(listed), strict=True) if label.number}
        yield from listed
    try:
        with source.open(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    yield _sample(json_stream.loads(line), numbers, prefix, files)
                except BROKEN as error:
                    yield Note("row_broken", path, number, params=why(error))
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))


def _labels(about: dict[str, Any]) -> list[Label]:
    rows = about["labels"]
    names = {row.get("number"): row["name"] for row in rows}
    return [_label(row, names) for row in rows]


def _label(row: dict[str, Any], names: dict[Any, str]) -> Label:
    parent = row.get("parent")
    return Label(
        str(row["name"]),
        names.get(parent) if isinstance(parent, int) else parent,
        row.get("colour"),
        row.get("shortcut"),
        list(row.get("attributes") or []),
        row.get("skeleton"),
        row.get("number"),
    )


def _sample(row: dict[str, Any], numbers: dict[int, str], prefix: str, files: Files) -> Sample:
    path = str(row["path"])
    annotations = [_named(annotation, numbers) for annotation in row.get("annotations") or []]
    place = f"{prefix}{path}"
    info = row.get("info") or {}
    if not isinstance(info, dict):
        raise Malformed("info_no_object")
    return Sample(
        path, place if place in files else None, annotations, row.get("width"), row.get("height"), row.get("duration"),
        info, row.get("split"), row.get("state"),
    )  # fmt: skip


def _named(annotation: Annotation, numbers: dict[int, str]) -> Annotation:
    if annotation["type"] not in TYPES:
        raise Malformed("no_such_type", type=f"{annotation['type']!s:.50}")
    label = annotation.get("label")
    if isinstance(label, int):
        return annotation | {"label": numbers[label]}
    return annotation


class TidemillWriter(Writer):
    """Options: `about`, more members of `dataset.json` (the dataset's type, counts)."""

    name = "tidemill"
    types = TYPES

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        numbered = number_labels(labels)
        numbers = dict(zip(label_keys(numbered), (label.number for label in numbered), strict=True))
        with target.open(LINES) as out:
            for sample in samples:
                out.write(line(sample, numbers))
                put_data(target, sample.path, sample, files)
        about = {"format": "tidemill", "version": 1, **(options.get("about") or {}), "labels": label_rows(numbered)}
        target.add(ABOUT, orjson.dumps(about, option=orjson.OPT_INDENT_2))
        return []


def number_labels(labels: Sequence[Label]) -> list[Label]:
    """Labels with numbers: their own, or the next that are free."""
    taken = {label.number for label in labels}
    free = (number for number in range(1, len(labels) + len(taken) + 2) if number not in taken)
    return [
        label if label.number else Label(label.name, label.parent, label.colour, label.shortcut, label.attributes,
                                         label.skeleton, next(free))
        for label in labels
    ]  # fmt: skip


def label_rows(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Labels as they stand in `dataset.json`; parents by number."""
    numbers = {label.name: label.number for label in labels if label.parent is None}
    rows = []
    for label in labels:
        row: dict[str, Any] = {"number": label.number, "name": label.name}
        if label.parent:
            row["parent"] = numbers.get(label.parent, label.parent)
        for name in ("colour", "shortcut", "attributes", "skeleton"):
            if value := getattr(label, name):
                row[name] = value
        rows.append(row)
    return rows


def line(sample: Sample, numbers: dict[str, int | None]) -> bytes:
    """An item's line; labels by number where they have one."""
    row: dict[str, Any] = {"path": sample.path}
    for name in ("width", "height", "duration", "split", "state"):
        if (value := getattr(sample, name)) is not None:
            row[name] = value
    if sample.info:
        row["info"] = sample.info
    row["annotations"] = [
        annotation | {"label": numbers.get(annotation["label"]) or annotation["label"]}
        if "label" in annotation
        else annotation
        for annotation in sample.annotations
    ]
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
