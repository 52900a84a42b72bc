"""What a model is to whoever uses it, and what it says of an item."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidemill.runtime import sessions
from tidemill.sdk.data import Dataset, Item

Annotation = dict[str, Any]
Input = Item | Path | bytes | str | Mapping[str, Any]
"""An item of a dataset, a file, a file's content, a text, or a table's row."""

FILE = "model.json"
METADATA = "tidemill"
"""The key of an ONNX file's metadata that holds task, labels and preprocessing as JSON."""


class Unfit(ValueError):
    """A model's files are not what its `model.json` says, or there is nothing here that can run it."""


@dataclass(slots=True)
class Prediction:
    """What a model says of one item. Annotations call labels by name and have a `score`."""

    annotations: list[Annotation] = field(default_factory=list)
    probabilities: dict[str, float] | None = None
    """Of each class, for tasks with classes of whole items."""
    uncertainty: float = 0.0
    """0: sure, 1: could be anything."""
    value: float | None = None
    """Where a number is predicted."""
    error: str | None = None
    """Why nothing could be said: the item could not be read."""


@dataclass(frozen=True)
class Facts:
    """`model.json`: what a model is for and how its input is made."""

    task: str
    labels: list[dict[str, Any]]
    input: dict[str, Any]
    format: str = "onnx"
    adapter: str | None = None
    file: str = "model.onnx"
    more: dict[str, Any] = field(default_factory=dict)
    """Everything else: signature, metrics, made_with, …"""

    @property
    def names(self) -> list[str]:
        return [str(label["name"]) for label in self.labels]

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Facts":
        known = {"task", "labels", "input", "format", "adapter", "file"}
        labels = [label if isinstance(label, dict) else {"name": label} for label in content.get("labels") or []]
        return cls(
            task=str(content.get("task") or ""),
            labels=labels,
            input=dict(content.get("input") or {}),
            format=str(content.get("format") or "onnx"),
            adapter=content.get("adapter"),
            file=str(content.get("file") or "model.onnx"),
            more={key: value for key, value in content.items() if key not in known},
        )


def read_facts(folder: Path) -> Facts:
    """Facts of the model in a folder: from `model.json`, or from the metadata of its only ONNX file."""
    if (folder / FILE).is_file():
        try:
            return Facts.read(json.loads((folder / FILE).read_bytes()))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Unfit(f"{folder / FILE} cannot be read: {error}") from error
    found = sorted(folder.glob("*.onnx"))
    if len(found) != 1:
        raise Unfit(f"{folder} holds no {FILE} and not exactly one .onnx file")
    about = sessions.metadata(found[0]).get(METADATA)
    if about is None:
        raise Unfit(f"{found[0]} does not say what it is for: no {FILE} beside it, no `{METADATA}` in its metadata")
    return Facts.read({**json.loads(about), "file": found[0].name})


class Model(ABC):
    """A model that was loaded. Safe to use from one thread at a time."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        self.folder = folder
        self.facts = facts

    @property
    def task(self) -> str:
        return self.facts.task

    @property
    def labels(self) -> list[str]:
        """Names, in the order of the model's outputs."""
        return self.facts.names

    def labelled(self, items: Dataset) -> Dataset:
        """The items of a dataset of which it is known what is true."""
        return items.labelled()

    def truth(self, item: Item) -> tuple[list[Annotation], float | None]:
        """What is true of an item: annotations, or the number, where numbers are predicted."""
        return item.annotations, None

    @abstractmethod
    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        """What the model says of each item, in their order.

        Below the threshold nothing is said, where a task has something to leave out (boxes, several classes). Raises
        whatever reading an item raises; `predict_each` makes that the item's own `error`.
        """

    def predict_each(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        """The same, but one item that cannot be read does not spoil the others."""
        try:
            return self.predict(items, threshold=threshold)
        except Exception as error:  # noqa: BLE001 — decoders raise anything on hostile bytes
            if len(items) == 1:
                return [Prediction(uncertainty=1.0, error=f"{type(error).__name__}: {error}"[:500])]
        return [self.predict_each([item], threshold=threshold)[0] for item in items]


class OnnxModel(Model):
    """A model that is one ONNX file."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        self.session = sessions.Session(folder / facts.file)
