"""The catalogue itself: what there is, from where, with which checksums."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True, slots=True)
class File:
    """A file of a model, wherever it is found: only its content counts."""

    path: str
    sha256: str
    size_bytes: int
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A well-known model."""

    name: str
    version: int
    title: dict[str, str]
    description: dict[str, str]
    task: str
    licence: str
    licence_url: str
    origin: str
    adapter: str
    labels: Any
    """Names, objects with a name and a skeleton, or `{"file": …}` that lists them."""
    trains: tuple[str, ...]
    files: tuple[File, ...]
    package: str | None = None
    """The Python package that brings the files instead."""
    input: dict[str, Any] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)

    @property
    def label_names(self) -> list[str]:
        """Those that are known without the files."""
        if isinstance(self.labels, dict):
            return []
        return [one if isinstance(one, str) else str(one["name"]) for one in self.labels]

    @property
    def has_package(self) -> bool:
        return self.package is not None and find_spec(self.package) is not None


@cache
def all_entries() -> tuple[Entry, ...]:
    text = resources.files("tidemill.models.catalogue").joinpath("catalogue.json").read_text("utf-8")
    return tuple(_entry(one) for one in json.loads(text))


def find_entry(name: str) -> Entry | None:
    wanted = name.casefold()
    return next((one for one in all_entries() if one.name == wanted), None)


def model_json(entry: Entry, listed: str | None) -> dict[str, Any]:
    """`model.json` of an installed model; `listed` is the content of its file of labels, where it has one."""
    if isinstance(entry.labels, dict):
        names = (listed or "").strip().partition("\n\n")[0].splitlines()
        labels: list[Any] = [{"name": name.strip()} for name in names]
    else:
        labels = [{"name": one} if isinstance(one, str) else one for one in entry.labels]
    onnx = [file.path for file in entry.files if file.path.endswith(".onnx")]
    return {
        "format": "onnx",
        "task": entry.task,
        "adapter": entry.adapter,
        "labels": labels,
        "input": entry.input,
        **({"file": onnx[0]} if len(onnx) == 1 else {}),
        "trains": list(entry.trains),
        "licence": entry.licence,
        "licence_url": entry.licence_url,
        "origin": entry.origin,
        "made_with": {"catalogue": entry.name, "version": entry.version},
    }


def _entry(one: dict[str, Any]) -> Entry:
    files = tuple(File(file["path"], file["sha256"], file["size_bytes"], tuple(file["urls"])) for file in one["files"])
    return Entry(**{**one, "files": files, "trains": tuple(one["trains"])})
