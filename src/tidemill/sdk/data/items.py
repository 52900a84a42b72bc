"""Items and labels as a published version writes them down."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Annotation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Label:
    """A class of the dataset."""

    number: int
    name: str
    """As annotations call it: `parent/name` where two labels share a name."""
    parent: str | None = None
    skeleton: dict[str, Any] | None = None
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One picture, text, sound or row with its annotations, which call labels by their names."""

    seq: int
    path: str
    file: Path
    """Where its bytes are."""
    state: str
    annotations: list[Annotation]
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> list[str]:
        """Names of the classes of the whole item."""
        return [str(one["label"]) for one in self.annotations if one["type"] == "class" and "label" in one]

    def read_bytes(self) -> bytes:
        return self.file.read_bytes()

    def read_text(self) -> str:
        """Texts are UTF-8; what is broken in one is marked, not refused."""
        return self.file.read_bytes().decode("utf-8-sig", "replace")

    def read_row(self) -> dict[str, Any]:
        """The fields of a table's row."""
        found = json.loads(self.file.read_bytes())
        return found if isinstance(found, dict) else {"value": found}


def read_labels(rows: Sequence[Mapping[str, Any]]) -> list[Label]:
    """Labels of `dataset.json`, in their order."""
    names = {row["number"]: str(row["name"]) for row in rows}
    often = Counter(names.values())
    return [_label(row, names, often) for row in rows]


def _label(row: Mapping[str, Any], names: Mapping[int, str], often: Mapping[str, int]) -> Label:
    name, parent = str(row["name"]), row.get("parent")
    above = names.get(parent) if isinstance(parent, int) else parent
    called = f"{above}/{name}" if often[name] > 1 and above else name
    return Label(int(row["number"]), called, above, row.get("skeleton"), row.get("colour"))


def read_item(line: bytes, folder: Path, names: Mapping[int, str]) -> Item:
    """An item of a line of `annotations.jsonl`."""
    row = json.loads(line)
    return Item(
        seq=int(row.get("seq") or 0),
        path=row["path"],
        file=folder / row["path"],
        state=row.get("state") or ("labelled" if row.get("annotations") else "unlabelled"),
        annotations=[_named(one, names) for one in row.get("annotations") or []],
        width=row.get("width"),
        height=row.get("height"),
        duration=row.get("duration"),
        info=row.get("info") or {},
    )


def _named(annotation: Annotation, names: Mapping[int, str]) -> Annotation:
    label = annotation.get("label")
    return annotation | {"label": names[label]} if isinstance(label, int) else annotation
