"""Rows of CSV, TSV, JSON and JSON lines files, each a dict of column names to values.

Delimiter, encoding and whether the first line is a header are told by the file unless options say so (`delimiter`,
`encoding`, `header`). Columns of a file without a header are named `1`, `2`, ….
"""

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tidemill.datasets.formats import json_stream
from tidemill.datasets.formats.base import BROKEN, Options
from tidemill.datasets.formats.finding import suffix_of
from tidemill.datasets.media import texts
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source

Row = dict[str, Any]
TABLES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".data"})
_LOOKED_AT = 50
_LINE_MAX = 4 << 20
_DELIMITERS = "\t,;|"
csv.field_size_limit(_LINE_MAX)


def rows(source: Source, path: str, options: Options) -> Iterator[tuple[int, Row] | Note]:
    """Rows with their numbers, 1 first; what is no row is noted."""
    suffix = suffix_of(path)
    if suffix == ".json":
        yield from _json(source, path)
    elif suffix in {".jsonl", ".ndjson"}:
        yield from _json_lines(source, path, options)
    else:
        yield from _separated(source, path, options)


def _json(source: Source, path: str) -> Iterator[tuple[int, Row] | Note]:
    """The top array's objects, or those of the first array that has some."""
    number, chosen = 0, None
    try:
        with source.open(path) as file:
            for key, element in json_stream.elements(file):
                if isinstance(element, dict) and chosen in {None, key}:
                    chosen = key
                    number += 1
                    yield number, {str(name): value for name, value in element.items()}
    except json_stream.Damaged as damaged:
        yield Note("json_damaged", path, params={"offset": damaged.offset})
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))


def _json_lines(source: Source, path: str, options: Options) -> Iterator[tuple[int, Row] | Note]:
    try:
        for number, line in texts.lines(source.open(path), options.get("encoding")):
            if not line.strip():
                continue
            try:
                row = json_stream.loads(line.encode())
                if not isinstance(row, dict):
                    raise Malformed("no_object")
                yield number, {str(name): value for name, value in row.items()}
            except BROKEN as error:
                yield Note("row_broken", path, number, params=why(error))
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))


def _separated(source: Source, path: str, options: Options) -> Iterator[tuple[int, Row] | Note]:
    try:
        with texts.opened(source.open(path), options.get("encoding")) as text:
            head = text.read(1 << 16)
            text.seek(0)
            delimiter = str(options.get("delimiter") or _delimiter(head, suffix_of(path)))
            # Texts with quotes at random are no CSV: in them a quote is a character like others.
            is_plain = delimiter == "\t" and head.count('"') % 2
            reader = csv.reader(
                text,
                delimiter=delimiter,
                quoting=csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL,
                skipinitialspace=delimiter != "\t",
            )
            yield from _numbered(reader, path, options)
    except OSError as error:
        yield Note("file_unreadable", path, params=why(error))


def _numbered(reader: Any, path: str, options: Options) -> Iterator[tuple[int, Row] | Note]:
    looked = list(_good(reader, path, _LOOKED_AT))
    cells = [found for found in looked if not isinstance(found, Note)]
    names, skipped = _columns([row for _, row in cells], options)
    number = 0
    for found in itertools.chain(looked, _good(reader, path, None)):
        if isinstance(found, Note):
            yield found
            continue
        line, values = found
        if skipped:
            skipped -= 1
            continue
        number += 1
        if len(values) > len(names):
            names = [*names, *(str(place) for place in range(len(names) + 1, len(values) + 1))]
        if len(values) < len(names) and len(values) == 1 and len(names) > 1:
            yield Note(
                "row_broken", path, line, params={"reason": "columns_differ", "have": len(values), "want": len(names)}
            )
            continue
        yield number, dict(zip(names, values, strict=False))


def _good(reader: Any, path: str, count: int | None) -> Iterator[tuple[int, list[str]] | Note]:
    """Rows that are not empty, with the line they are on."""
    given = 0
    while count is None or given < count:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Note("row_broken", path, reader.line_num, params=why(error))
            continue
        if any(cell.strip() for cell in row):
            given += 1
            yield reader.line_num, [cell.strip() for cell in row]


def _delimiter(head: str, suffix: str) -> str:
    """The one that splits the first lines into most columns, the same number each."""
    lines = [line for line in head.splitlines()[:20] if line.strip()]
    if not lines:
        return ","
    best, score = ("\t" if suffix == ".tsv" else ","), 0.0
    for delimiter in _DELIMITERS:
        counts = [len(row) for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter) if row]
        least = min(counts, default=1)
        if least < 2:
            continue
        # A tab is hardly ever part of a text; a comma often is.
        found = sum(count == counts[0] for count in counts) / len(counts) + (1.0 if delimiter == "\t" else 0.0)
        if found > score:
            best, score = delimiter, found
    return " " if score == 0 and _is_spaced(lines) else best


def _is_spaced(lines: list[str]) -> bool:
    """Columns apart by blanks: as many in every line, and numbers but for the first."""
    parts = [line.split() for line in lines]
    width = len(parts[0])
    return width > 1 and all(len(row) == width and all(map(_is_number, row[1:])) for row in parts)


def _columns(looked: Sequence[Sequence[str]], options: Options) -> tuple[list[str], int]:
    """Column names, and how many first rows are no data."""
    if not looked:
        return [], 0
    width = max(len(row) for row in looked)
    numbered = [str(place) for place in range(1, width + 1)]
    has_header = options.get("header")
    if has_header is None and _is_count_line(looked):
        return numbered, 1
    if has_header is None:
        has_header = _looks_like_header(looked)
    if not has_header:
        return numbered, 0
    names: list[str] = []
    for place, name in enumerate(looked[0]):
        free = name.lstrip("\ufeff") or str(place + 1)
        names.append(free if free not in names else f"{free}_{place + 1}")
    return names + numbered[len(names) :], 1


def _is_count_line(looked: Sequence[Sequence[str]]) -> bool:
    """scikit-learn's tables begin with the number of rows and columns and the classes' names."""
    first = looked[0]
    if len(looked) < 2 or len(first) < 3 or not (first[0].isdigit() and first[1].isdigit()):
        return False
    return len(looked[1]) == int(first[1]) + 1 and not any(_is_number(cell) for cell in first[2:])


def classes_of_count_line(source: Source, path: str) -> list[str]:
    """The classes' names of a file that begins with such a line; none of any other."""
    try:
        head = source.read(path, 1 << 14).decode("utf-8", "replace").splitlines()[:2]
    except OSError:
        return []
    looked = [line.split(",") for line in head]
    return looked[0][2:] if len(looked) == 2 and _is_count_line(looked) else []


def _looks_like_header(looked: Sequence[Sequence[str]]) -> bool:
    first, rest = looked[0], looked[1:]
    if len(set(first)) < len(first) or any(len(cell) > 60 for cell in first):
        return False
    if any(cell.lower() in KNOWN_COLUMNS for cell in first):
        return True
    if not rest or any(_is_number(cell) for cell in first):
        return False
    # A column of numbers under a word.
    return any(
        all(_is_number(row[place]) for row in rest if place < len(row) and row[place] not in {"", "?"})
        for place in range(len(first))
        if any(place < len(row) and row[place] not in {"", "?"} for row in rest)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


TEXT_COLUMNS = (
    "text",
    "review",
    "sentence",
    "content",
    "comment",
    "title",
    "body",
    "document",
    "utterance",
    "文本",
    "内容",
    "评论",
    "句子",
)
LABEL_COLUMNS = (
    "label",
    "labels",
    "class",
    "classes",
    "category",
    "target",
    "tag",
    "tags",
    "sentiment",
    "polarity",
    "species",
    "标签",
    "类别",
    "分类",
)
FILE_COLUMNS = (
    "file", "filename", "file_name", "path", "filepath", "file_path", "image", "image_path", "img", "img_path",
    "image_id",
    "audio", "audio_filepath", "audio_path", "wav", "video", "文件", "文件名", "图片",
)  # fmt: skip
KNOWN_COLUMNS = frozenset(
    {*TEXT_COLUMNS, *LABEL_COLUMNS, *FILE_COLUMNS, "id", "start", "end", "split", "duration", "line"}
)
