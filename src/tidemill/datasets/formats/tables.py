"""CSV, TSV, JSON and JSON lines: lists of files with classes, texts with classes, and plain tables.

What the rows are is told by the columns: one that names files of the source makes a list of classes (or, for sounds,
of transcriptions); one of texts makes texts; else each row is an item. Options: `data_type` (`image`, `audio`, `text`,
`table`), `file_column`, `text_column`, `label_column`, `label_separator` (several classes in one cell), `delimiter`,
`encoding`, `header`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from tidemill.datasets.formats.base import Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import (
    FILMS,
    MEDIA,
    PICTURES,
    SOUNDS,
    Files,
    folder_of,
    split_named,
    split_of,
    stem_of,
    suffix_of,
)
from tidemill.datasets.formats.rows import (
    FILE_COLUMNS,
    LABEL_COLUMNS,
    TABLES,
    TEXT_COLUMNS,
    Row,
    classes_of_count_line,
    rows,
)
from tidemill.datasets.media import encodings, texts
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why
from tidemill.datasets.sources.base import Source

_LOOKED_AT = 50
_NAME_LISTS = {
    "class.txt",
    "classes.txt",
    "labels.txt",
    "synsets.txt",
    "label.txt",
    "class_names.txt",
    "label_names.txt",
}
_PREVIEW = 120


class TableReader(Reader):
    """All tables of a source; each is judged by its own first rows."""

    name = "table"

    def recognise(self, source: Source) -> float:
        files = Files(source)
        tables = _tables(files)
        if not tables:
            return 0.0
        judged = [_Plan.of(source, files, path, {}) for path in tables[:5]]
        media = len(files.of(MEDIA))
        if media:
            return 0.75 if any(plan.kind == "files" for plan in judged) else 0.02
        return max((0.7 if plan.kind != "nothing" else 0.0) for plan in judged)

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        labels: set[str] = set()
        seen: set[str] = set()
        for path in _tables(files):
            plan = _Plan.of(source, files, path, options)
            if plan.kind == "nothing":
                continue
            for found in plan.read():
                if isinstance(found, Sample):
                    for annotation in found.annotations:
                        name = annotation.get("label")
                        if name is not None and name not in labels:
                            labels.add(name)
                            yield Label(name)
                    if plan.kind == "files":
                        seen.add(found.path)
                yield found
        for path in files.of(MEDIA):
            if path not in seen:
                yield Sample(path, path, split=split_of(path))


def _tables(files: Files) -> list[str]:
    found = files.of(TABLES)
    lines = [path for path in files if suffix_of(path) in {".pos", ".neg"}]
    return [path for path in found if path.rpartition("/")[2].lower() not in _NAME_LISTS] + lines


class _Plan:
    """What one table holds and how its rows become items."""

    def __init__(self, source: Source, files: Files, path: str, options: Options) -> None:
        self._source, self._files, self._path, self._options = source, files, path, options
        self.kind = "nothing"
        self.columns: dict[str, str] = {}
        self._names: list[str] = []
        self._split_told = split_named(stem_of(path))
        self._stem = _without_suffix(path)

    @classmethod
    def of(cls, source: Source, files: Files, path: str, options: Options) -> "_Plan":
        plan = cls(source, files, path, options)
        if suffix_of(path) in {".pos", ".neg"}:
            plan.kind = "lines"
            return plan
        looked = [f[1] for f in islice(rows(source, path, options), _LOOKED_AT) if not isinstance(f, Note)]
        if looked:
            plan._judge(looked)
        return plan

    def _judge(self, looked: list[Row]) -> None:
        names = list(looked[0])
        wanted = str(self._options.get("data_type") or "")
        self.columns = {kind: str(self._options[f"{kind}_column"]) for kind in ("file", "text", "label")
                        if self._options.get(f"{kind}_column")}  # fmt: skip
        if "file" not in self.columns and wanted in {"", "image", "audio", "video"}:
            self._set("file", self._find_files(looked, names))
        if "label" not in self.columns:
            self._set("label", _named(names, LABEL_COLUMNS) or self._guess_label(looked, names))
        if "text" not in self.columns and wanted != "table":
            self._set("text", _named(names, TEXT_COLUMNS) or self._guess_text(looked, names))
        suffix = suffix_of(self._path)
        if "file" in self.columns:
            self.kind = "files"
        elif "text" in self.columns and wanted in {"", "text"}:
            self.kind = "texts"
        elif suffix == ".txt" and len(names) < 2:
            self.kind = "nothing"
        elif wanted in {"", "table"}:
            self.kind = "table"
        self._names = self._find_names(looked)

    def _set(self, kind: str, column: str | None) -> None:
        if column is not None:
            self.columns[kind] = column

    def _find_files(self, looked: list[Row], names: list[str]) -> str | None:
        """The column whose values name files of the source, or by its name where the files are not there."""
        near = folder_of(self._path)
        for name in sorted(names, key=lambda n: n.lower() not in FILE_COLUMNS):
            values = [row.get(name) for row in looked[:20]]
            hits = sum(
                isinstance(v, str) and 0 < len(v) < 1000 and self._files.find(v, near, MEDIA) is not None
                for v in values
            )
            if hits > len(values) / 2:
                return name
        for name in names:
            values = [row.get(name) for row in looked[:20]]
            if all(isinstance(v, str) and suffix_of(v) in MEDIA and "\n" not in v for v in values):
                return name
        return None

    def _guess_label(self, looked: list[Row], names: list[str]) -> str | None:
        """Without a name for it: the last column of a list without a header, when its values repeat."""
        others = [name for name in names if name != self.columns.get("file")]
        if not others or names[0] != "1":
            return None
        last = others[-1]
        values = [str(row.get(last, "")) for row in looked]
        is_short = all(0 < len(value) <= 40 for value in values)
        if not is_short or len(names) < 2:
            return None
        return last if len(set(values)) <= max(2, len(values) // 2) or "file" in self.columns else None

    def _guess_text(self, looked: list[Row], names: list[str]) -> str | None:
        """The column of the longest texts, where those are sentences: two columns, or one."""
        rest = [name for name in names if name not in self.columns.values()]
        if len(names) > 3 or not rest:
            return None
        longest = max(rest, key=lambda name: sum(len(str(row.get(name, ""))) for row in looked))
        values = [row.get(longest) for row in looked]
        is_text = all(isinstance(value, str) for value in values) and sum(len(str(v)) for v in values) / len(values) > 8
        return longest if is_text and not all(_is_number(str(v)) for v in values) else None

    def _find_names(self, looked: list[Row]) -> list[str]:
        """Names of classes that the table gives by number, from a list beside it or above."""
        column = self.columns.get("label")
        if column is None or not all(str(row.get(column, "")).isdigit() for row in looked):
            return []
        folder = folder_of(self._path)
        if told := classes_of_count_line(self._source, self._path):
            return told
        while True:
            for name in sorted(_NAME_LISTS):
                path = f"{folder}/{name}".lstrip("/")
                if path in self._files:
                    text = encodings.decode(self._source.read(path, 1 << 20)).text
                    return [line.strip() for line in text.splitlines() if line.strip()]
            if not folder:
                return []
            folder = folder_of(folder)

    def read(self) -> Iterator[Sample | Note]:
        if self.kind == "lines":
            yield from self._read_lines()
            return
        make = {"files": self._file, "texts": self._text, "table": self._row}[self.kind]
        waiting: Sample | None = None
        for found in rows(self._source, self._path, self._options):
            if isinstance(found, Note):
                yield found
                continue
            sample = make(*found)
            if isinstance(sample, Note):
                yield sample
            elif waiting is not None and self.kind == "files" and waiting.path == sample.path:
                # A file has a row for each of its classes or stretches of sound, one after another.
                _merge(waiting, sample)
            else:
                if waiting is not None:
                    yield waiting
                waiting = sample
        if waiting is not None:
            yield waiting

    def _read_lines(self) -> Iterator[Sample | Note]:
        """One text a line, the class in the file's suffix."""
        label = suffix_of(self._path)[1:]
        folder = self._path.replace(".", "-")
        try:
            # Only LF ends a line here: these files hold other marks that look like it.
            with texts.opened(self._source.open(self._path), self._options.get("encoding"), newline="\n") as lines:
                for number, line in enumerate(lines, 1):
                    if text := line.strip():
                        yield self._item(number, text, [{"id": "1", "type": "class", "label": label}], {}, folder)
        except OSError as error:
            yield Note("file_unreadable", self._path, params=why(error))

    def _file(self, number: int, row: Row) -> Sample | Note:
        reference = row.get(self.columns["file"])
        if not isinstance(reference, str) or not reference.strip():
            return Note("row_broken", self._path, number, params={"reason": "no_file_named"})
        found = self._files.find(reference, folder_of(self._path), MEDIA, self._split_told)
        path = found or "/".join(p for p in reference.replace("\\", "/").split("/") if p not in {"", ".", ".."})
        sample = Sample(path, found, split=self._split(row, path))
        sample.annotations = self._classes(row)
        suffix = suffix_of(path)
        if suffix in SOUNDS | FILMS and (segment := _segment(row, self.columns.get("text"), sample.annotations)):
            sample.annotations = [segment]
        elif suffix in PICTURES:
            known = {*self.columns.values(), "split"}
            sample.info = {k: v for k, v in row.items() if k not in known and v not in ("", None)}
        _number_ids(sample.annotations)
        return sample

    def _text(self, number: int, row: Row) -> Sample | Note:
        text = row.get(self.columns["text"])
        if not isinstance(text, str) or not text.strip():
            return Note("row_broken", self._path, number, params={"reason": "no_text"})
        known = {self.columns["text"], self.columns.get("label"), "split"}
        info = {key: value for key, value in row.items() if key not in known and value not in ("", None)}
        return self._item(number, text, self._classes(row), info, self._stem, self._split(row, self._path))

    def _row(self, number: int, row: Row) -> Sample:
        classes = self._classes(row)
        label = self.columns.get("label")
        # Neither the class nor the part of the data is one of the fields it is to be told from.
        beside = {"split", label} if classes or not row.get(label or "") else {"split"}
        content = {key: value for key, value in row.items() if key not in beside}
        path = f"{self._stem}/{number:07d}.json"
        data = orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
        return Sample(path, data, _number_ids(classes), info={"row": number}, split=self._split(row, self._path))

    def _item(
        self, number: int, text: str, annotations: list[Annotation], info: Row, folder: str, split: str | None = None
    ) -> Sample:
        info = {**info, "row": number, "preview": text[:_PREVIEW]}
        return Sample(f"{folder}/{number:07d}.txt", text.encode(), _number_ids(annotations), info=info, split=split)

    def _classes(self, row: Row) -> list[Annotation]:
        value = row.get(self.columns.get("label", ""))
        if value is None or value == "":
            return []
        values = value if isinstance(value, list) else [value]
        separator = self._options.get("label_separator")
        if separator and isinstance(value, str):
            values = value.split(str(separator))
        names = [self._class_name(v) for v in values if not isinstance(v, (dict, list)) and str(v).strip()]
        return [{"type": "class", "label": name} for name in dict.fromkeys(names)]

    def _class_name(self, value: Any) -> str:
        text = str(value).strip()
        # A class may be called by a number itself: then it is none of the list's places.
        if self._names and text.isdigit() and int(text) < len(self._names) and text not in self._names:
            return self._names[int(text)]
        return text

    def _split(self, row: Row, path: str) -> str | None:
        told = row.get("split")
        if isinstance(told, str) and told:
            return told
        return self._split_told or split_of(path)


def _named(names: list[str], known: tuple[str, ...]) -> str | None:
    lowered = {name.lower().strip(): name for name in names}
    return next((lowered[name] for name in known if name in lowered), None)


def _without_suffix(path: str) -> str:
    return path[: -len(suffix_of(path))] if suffix_of(path) else path


def _number_ids(annotations: list[Annotation]) -> list[Annotation]:
    for number, annotation in enumerate(annotations, 1):
        annotation["id"] = str(number)
    return annotations


def _merge(known: Sample, more: Sample) -> None:
    """What two rows say of one file; the same class twice is one."""
    seen = {(a["type"], a.get("label"), a.get("start")) for a in known.annotations}
    known.annotations += [a for a in more.annotations if (a["type"], a.get("label"), a.get("start")) not in seen]
    _number_ids(known.annotations)


def _segment(row: Row, text_column: str | None, classes: list[Annotation]) -> Annotation | None:
    """A stretch of sound, where the row has times or a transcription."""
    text = row.get(text_column or "text", row.get("transcription"))
    start, end = _seconds(row, "start", "offset"), _seconds(row, "end")
    duration = _seconds(row, "duration")
    if end is None and duration is not None:
        end = (start or 0.0) + duration
    if not (isinstance(text, str) and text) and (start is None or end is None):
        return None
    segment: Annotation = {"type": "segment", "start": start or 0.0}
    if end is not None:
        segment["end"] = end
    if isinstance(text, str) and text:
        segment["text"] = text
    if classes:
        segment["label"] = classes[0]["label"]
    return segment


def _seconds(row: Row, *names: str) -> float | None:
    for name in names:
        value = row.get(name)
        if value is not None and _is_number(str(value)):
            return float(value)
    return None


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
