"""CSV and JSON lines, written: a row an item and class, and audio manifests as speech tools read them.

CSV has `file,label,split` for items with classes and more columns for texts and stretches of sound; data in `data/`.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from tidemill.datasets.formats.base import Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.rows_writing import write_tables
from tidemill.datasets.formats.writing import Tally, put_data
from tidemill.datasets.notes import Note

_COLUMNS = ("file", "label", "split", "start", "end", "text")


class CsvWriter(Writer):
    """Texts are written into the `text` column when the data are wanted, so that the file alone is whole.

    Rows of tables are written as the tables they came from. Options: `label_separator`: one row an item with all its
    classes (default: a row a class).
    """

    name = "csv"
    types = frozenset({"class", "segment"})

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        tally = Tally(self.name)
        if options.get("data_type") == "table" and files is not None:
            write_tables(samples, target, tally, files)
            return tally.notes()
        with target.open("items.csv") as out:
            out.write(b"\xef\xbb\xbf" + _line(_COLUMNS))
            for sample in samples:
                text = _text(sample, files)
                for row in _rows(sample, tally, text, options.get("label_separator")):
                    out.write(_line([row.get(column, "") for column in _COLUMNS]))
                if text is None:
                    put_data(target, f"data/{sample.path}", sample, files)
        target.add("classes.txt", "".join(f"{label.name}\n" for label in labels).encode())
        return tally.notes()


class ManifestWriter(Writer):
    """JSON lines with `audio_filepath`, `offset`, `duration`, `text` and `label`; sounds are in `data/`."""

    name = "audio-manifest"
    types = frozenset({"class", "segment"})

    def write(
        self,
        labels: Sequence[Label],  # noqa: ARG002 — classes stand in the rows
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        tally = Tally(self.name)
        with target.open("manifest.jsonl") as out:
            for sample in samples:
                for row in _rows(sample, tally, None, options.get("label_separator")):
                    out.write(orjson.dumps(_manifest_row(row, sample), option=orjson.OPT_APPEND_NEWLINE))
                put_data(target, f"data/{sample.path}", sample, files)
        return tally.notes()


def _manifest_row(row: dict[str, Any], sample: Sample) -> dict[str, Any]:
    made: dict[str, Any] = {"audio_filepath": f"data/{row['file']}"}
    if "start" in row:
        made["offset"] = row["start"]
        if "end" in row:
            made["duration"] = row["end"] - row["start"]
    elif sample.duration is not None:
        made["duration"] = sample.duration
    return made | {name: row[name] for name in ("text", "label", "split") if row.get(name)}


def _rows(sample: Sample, tally: Tally, text: str | None, separator: Any) -> Iterator[dict[str, Any]]:
    base = {"file": sample.path, "split": sample.split or ""}
    if text is not None:
        base["text"] = text
    classes = [str(a["label"]) for a in sample.annotations if a["type"] == "class"]
    segments = [a for a in sample.annotations if a["type"] == "segment"]
    for annotation in sample.annotations:
        if annotation["type"] not in CsvWriter.types:
            tally.lost(annotation)
    if separator and classes:
        classes = [str(separator).join(classes)]
    yield from (base | {"label": name} for name in classes)
    for segment in segments:
        yield base | {key: segment[key] for key in ("start", "end", "text", "label") if key in segment}
    if not classes and not segments:
        yield base


def _text(sample: Sample, files: Opener | None) -> str | None:
    if files is None or not sample.path.lower().endswith(".txt"):
        return None
    with files(sample) as file:
        return file.read().decode("utf-8", "replace")


def _line(values: Iterable[Any]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().encode()
