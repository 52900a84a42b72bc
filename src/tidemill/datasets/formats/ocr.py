"""Texts in pictures: ICDAR, SROIE, PaddleOCR and MMOCR label files.

Read are: a text file a picture (`gt_img_1.txt`, `box/000.csv`) with corners and the text in each line; PaddleOCR's
lists (a picture, a tab, then JSON or the text); lists of a picture and its text (`gt.txt`, JSON lines); MMOCR's JSON.
All regions get one label, `text`, unless the file has classes. `###` and `*` mark what cannot be read: it is kept with
`ignore`. A picture that is one text gets a box around all of it. Options: none of its own.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tidemill.datasets.formats import json_stream
from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_named, split_of, stem_of, suffix_of
from tidemill.datasets.formats.ocr_regions import LABEL, region, row_region, whole_picture
from tidemill.datasets.media import encodings, texts
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source

_LOOKED_AT = 20
_MAX_BYTES = 64 << 20
_LISTS = {".txt", ".tsv", ".jsonl"}
_PER_PICTURE = re.compile(r"^(?:gt[-_]|res[-_])?(.*?)(?:[-_]gt)?$", re.I)
_QUOTED = re.compile(r'^(\S.*?\.\w{3,4}),\s*"(.*)"$')

Found = tuple[str, list[Annotation], dict[str, Any]]
"""A picture as it is named, its texts, and more about it."""


class OcrReader(Reader):
    """Each file is told by its first lines."""

    name = "ocr"

    def recognise(self, source: Source) -> float:
        files = Files(source)
        if not files.of(PICTURES):
            return 0.0
        kinds = [_kind(source, files, path) for path in _candidates(files)[:_LOOKED_AT]]
        good = sum(kind is not None for kind in kinds)
        # Lists of classes and the like lie beside.
        return 0.92 * min(1.0, 1.5 * good / len(kinds)) if kinds else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:  # noqa: ARG002
        files = Files(source)
        finish = _Finish(source, _keys(files))
        waiting: Sample | None = None
        for path in _candidates(files):
            kind = _kind(source, files, path)
            for found in _READERS[kind](source, files, path) if kind else ():
                if isinstance(found, Note):
                    yield found
                    continue
                sample = _sample(found, path, files)
                if waiting is not None and waiting.path == sample.path and kind == "table":
                    waiting.annotations += sample.annotations
                elif sample.path in finish.seen:
                    yield Note("annotated_twice", path, params={"picture": sample.path})
                else:
                    yield from finish.sample(waiting)
                    finish.seen.add(sample.path)
                    waiting = sample
        yield from finish.sample(waiting)
        for path in files.of(PICTURES):
            if path not in finish.seen:
                yield Sample(path, path, split=split_of(path))


class _Finish:
    """The last touch to each sample: places for whole pictures, numbers, fields, and its new labels before it."""

    def __init__(self, source: Source, keys: dict[str, str]) -> None:
        self._source, self._keys = source, keys
        self._labels: set[str] = set()
        self.seen: set[str] = set()

    def sample(self, sample: Sample | None) -> Iterator[Label | Sample | Note]:
        if sample is None:
            return
        yield from whole_picture(self._source, sample)
        for number, annotation in enumerate(sample.annotations, 1):
            annotation["id"] = str(number)
            annotation.setdefault("order", number)
            if annotation["label"] not in self._labels:
                self._labels.add(annotation["label"])
                yield Label(annotation["label"])
        if key := self._keys.get(stem_of(sample.path)):
            yield from _add_fields(self._source, key, sample)
        yield sample


def _sample(found: Found, path: str, files: Files) -> Sample:
    name, annotations, info = found
    split = split_named(stem_of(path)) or split_of(path)
    place = files.find(name, folder_of(path), PICTURES, split)
    target = place or "/".join(part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."})
    width, height = info.pop("width", None), info.pop("height", None)
    return Sample(
        target, place, annotations, width, height, info=info, split=split_of(target) or split, state="labelled"
    )


def _candidates(files: Files) -> list[str]:
    return [path for path in files.of([".txt", ".csv", ".tsv", ".json", ".jsonl"]) if not _is_key(path)]


def _keys(files: Files) -> dict[str, str]:
    """SROIE's `key/000.json`: the fields of a receipt, by its name."""
    return {stem_of(path): path for path in files.of([".json"]) if _is_key(path)}


def _is_key(path: str) -> bool:
    return folder_of(path).rpartition("/")[2].lower() in {"key", "keys", "entities"}


def _add_fields(source: Source, path: str, sample: Sample) -> Iterator[Note]:
    try:
        fields = json_stream.loads(source.read(path, _MAX_BYTES))
    except (OSError, *BROKEN):
        yield Note("json_damaged", path, params={"offset": 0})
        return
    if isinstance(fields, dict):
        sample.info["fields"] = fields


def _kind(source: Source, files: Files, path: str) -> str | None:
    """What a file is: regions of one picture, a list of pictures, or nothing of ours."""
    if suffix_of(path) == ".json":
        head = _head(source, path)
        return "mmocr" if '"data_list"' in head or ('"metainfo"' in head and '"instances"' in head) else None
    lines = [line for line in _head(source, path).splitlines() if line.strip()][:_LOOKED_AT]
    if not lines:
        return None
    if all(line.lstrip().startswith("{") for line in lines[:-1] or lines):
        return (
            "json-lines" if any(f'"{word}"' in lines[0] for word in ("text", "annotations", "transcription")) else None
        )
    if lines[0].replace("\ufeff", "").split("\t")[:3] == ["file", "line", "text"]:
        return "table"
    if any("\t" in line for line in lines):
        return _kind_of_list(lines, path)
    if suffix_of(path) == ".txt" and all(_QUOTED.match(line) for line in lines):
        return "recognition"
    if _picture_of(path, files) and sum(_is_region(line) for line in lines) > len(lines) / 2:
        return "regions"
    pairs = [line.partition(" ") for line in lines]
    if all(suffix_of(name) in PICTURES and text.strip() and suffix_of(text) not in PICTURES for name, _, text in pairs):
        return None if all(text.strip().isdigit() for *_, text in pairs) else "recognition"
    return None


def _kind_of_list(lines: list[str], path: str) -> str | None:
    pairs = [line.partition("\t") for line in lines]
    named = [suffix_of(name.strip().strip('[]"')) in PICTURES for name, tab, _ in pairs if tab]
    if not named or not all(named):
        return None
    if any(text.lstrip().startswith("[") for *_, text in pairs):
        return "paddle"
    if all(text.strip().isdigit() for *_, text in pairs) and len({text for *_, text in pairs}) <= len(pairs) / 2:
        return None
    return "recognition" if suffix_of(path) in _LISTS else None


def _is_region(line: str) -> bool:
    try:
        return row_region(line) is not None
    except BROKEN:
        return False


def _picture_of(path: str, files: Files) -> str | None:
    stem = stem_of(path)
    found = _PER_PICTURE.match(stem)
    bare = found[1] if found else stem
    return files.find(stem, folder_of(path)) or (files.find(bare, folder_of(path)) if bare else None)


def _read_regions(source: Source, files: Files, path: str) -> Iterator[Found | Note]:
    annotations: list[Annotation] = []
    picture = _picture_of(path, files)
    try:
        for number, line in texts.lines(source.open(path)):
            if not line.strip():
                continue
            try:
                found = row_region(line)
                if found is None:
                    raise Malformed("no_corners_or_text")
                annotations.append(found)
            except BROKEN as error:
                yield Note("row_broken", path, number, params=why(error))
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))
        return
    if picture:
        yield picture, annotations, {}


def _read_paddle(source: Source, files: Files, path: str) -> Iterator[Found | Note]:  # noqa: ARG001
    for number, line in _lines(source, path):
        name, _, text = line.partition("\t")
        try:
            regions = json_stream.loads(text.encode())
            annotations = [region(row["points"], row.get("transcription"), row) for row in regions]
            yield name.strip().strip('[]"').partition('"')[0], annotations, {}
        except BROKEN as error:
            yield Note("row_broken", path, number, params=why(error))


def _read_recognition(source: Source, files: Files, path: str) -> Iterator[Found | Note]:  # noqa: ARG001
    for number, line in _lines(source, path):
        quoted = _QUOTED.match(line)
        name, _, text = (quoted[1], "", quoted[2]) if quoted else line.partition("\t" if "\t" in line else " ")
        if not name.strip() or not text.strip():
            yield Note("row_broken", path, number, params={"reason": "no_picture_or_text"})
            continue
        yield name.strip(), [{"type": "whole", "label": LABEL, "text": _joined(text.strip())}], {}


def _joined(text: str) -> str:
    """Some lists put a blank between all characters, and `<space>` for a blank."""
    parts = text.split(" ")
    if len(parts) > 2 and all(len(part) == 1 or part == "<space>" for part in parts):
        return "".join(" " if part == "<space>" else part for part in parts)
    return text


def _read_json_lines(source: Source, files: Files, path: str) -> Iterator[Found | Note]:
    classes = _classes(source, files, path)
    for number, line in _lines(source, path):
        try:
            row = json_stream.loads(line.encode())
            name = row.get("filename") or row.get("file_name") or row.get("img_path") or row["image"]
            if "annotations" in row:
                regions = [
                    region(a.get("box") or a.get("polygon") or a["points"], a.get("text"), a, classes)
                    for a in row["annotations"]
                ]
                yield (
                    str(name),
                    regions,
                    {key: row[key] for key in ("width", "height") if isinstance(row.get(key), int)},
                )
            else:
                yield str(name), [{"type": "whole", "label": LABEL, "text": str(row["text"])}], {}
        except BROKEN as error:
            yield Note("row_broken", path, number, params=why(error))


def _classes(source: Source, files: Files, path: str) -> dict[int, str]:
    """WildReceipt's `class_list.txt`: a number and a name a line."""
    beside = f"{folder_of(path)}/class_list.txt".lstrip("/")
    if beside not in files:
        return {}
    pairs = [line.split(maxsplit=1) for line in encodings.decode(source.read(beside, _MAX_BYTES)).text.splitlines()]
    return {int(pair[0]): pair[1].strip() for pair in pairs if len(pair) == 2 and pair[0].isdigit()}


def _read_mmocr(source: Source, files: Files, path: str) -> Iterator[Found | Note]:  # noqa: ARG001
    try:
        with source.open(path) as file:
            for key, row in json_stream.elements(file):
                if key != "data_list":
                    continue
                try:
                    yield _mmocr_row(row)
                except BROKEN as error:
                    yield Note("row_broken", path, params=why(error))
    except json_stream.Damaged as damaged:
        yield Note("json_damaged", path, params={"offset": damaged.offset})
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))


def _mmocr_row(row: dict[str, Any]) -> Found:
    annotations: list[Annotation] = []
    for instance in row["instances"]:
        corners = instance.get("polygon") or instance.get("bbox")
        if corners is None:
            annotations.append({"type": "whole", "label": LABEL, "text": str(instance["text"])})
        else:
            annotations.append(region(corners, instance.get("text"), instance, bbox="polygon" not in instance))
    info = {key: row[key] for key in ("width", "height") if isinstance(row.get(key), int)}
    return str(row["img_path"]), annotations, info


def _read_table(source: Source, files: Files, path: str) -> Iterator[Found | Note]:  # noqa: ARG001
    """`file`, `line`, `text`: the lines of a picture, in order."""
    for number, line in islice(_lines(source, path), 1, None):
        parts = line.split("\t")
        if len(parts) < 3:
            yield Note("row_broken", path, number, params={"reason": "too_few_columns", "want": 3})
            continue
        yield parts[0], [{"type": "whole", "label": LABEL, "text": parts[2].strip()}], {}


def _lines(source: Source, path: str) -> Iterator[tuple[int, str]]:
    for number, line in texts.lines(source.open(path)):
        if line.strip():
            yield number, line


def _head(source: Source, path: str) -> str:
    try:
        return encodings.decode(source.read(path, 1 << 16)).text
    except OSError:
        return ""


_READERS = {
    "regions": _read_regions,
    "paddle": _read_paddle,
    "recognition": _read_recognition,
    "json-lines": _read_json_lines,
    "mmocr": _read_mmocr,
    "table": _read_table,
}
