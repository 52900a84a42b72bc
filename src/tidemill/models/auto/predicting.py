"""What a source says of items, in the dataset's own labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidemill.models.auto.naming import suggest
from tidemill.runtime.model import Model, Prediction
from tidemill.sdk.data import Item

_COMMON = ("score", "text", "order", "attributes", "truncated", "occluded", "group")
_SHAPES: dict[str, tuple[str, ...]] = {
    "box": ("x", "y", "w", "h", "angle"),
    "polygon": ("rings", "holes"),
    "mask": ("size", "rle"),
    "keypoints": ("points", "x", "y", "w", "h"),
    "polyline": ("points",),
    "point": ("x", "y"),
    "circle": ("x", "y", "r"),
    "class": (),
    "segment": ("start", "end"),
}


@dataclass(slots=True)
class Said:
    """A prediction with numbers for labels."""

    annotations: list[dict[str, Any]]
    uncertainty: float
    surprise: float
    probabilities: dict[int, float] | None = None
    error: str | None = None


@dataclass(slots=True)
class Words:
    """A model's labels as numbers of the dataset's, and how common each is there."""

    labels: Sequence[Mapping[str, Any]]
    """The version's, as `LabelView`s."""
    mapping: dict[str, int] | None
    """None: recognised by name as they come."""
    rarity: dict[int, float] = field(init=False)
    skeletons: dict[int, int] = field(init=False)
    _seen: dict[str, int | None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        most = max((label["items"] for label in self.labels), default=0)
        self.rarity = {label["number"]: 1 - label["items"] / most if most else 0.0 for label in self.labels}
        self.skeletons = {
            label["number"]: len(label["skeleton"]["points"]) for label in self.labels if label.get("skeleton")
        }

    def number(self, name: str) -> int | None:
        if self.mapping is not None:
            return self.mapping.get(name)
        if name not in self._seen:
            numbers = {label["name"]: label["number"] for label in self.labels}
            match = suggest([name], numbers).get(name)
            self._seen[name] = match.number if match else None
        return self._seen[name]

    def read(self, prediction: Prediction) -> Said:
        """In the dataset's words; what is mapped to nothing is left out."""
        annotations = [one for each in prediction.annotations if (one := self._annotation(each)) is not None]
        probabilities: dict[int, float] | None = None
        if prediction.probabilities is not None:
            probabilities = {}
            for name, value in prediction.probabilities.items():
                if (number := self.number(name)) is not None:
                    probabilities[number] = probabilities.get(number, 0.0) + value
        return Said(
            annotations,
            _share(prediction.uncertainty),
            self._surprise(annotations),
            probabilities,
            prediction.error,
        )

    def _annotation(self, each: Mapping[str, Any]) -> dict[str, Any] | None:
        kind = each.get("type")
        number = self.number(str(each.get("label"))) if each.get("label") is not None else None
        if kind not in _SHAPES or (number is None and kind != "segment"):
            return None
        if kind == "keypoints" and self.skeletons.get(number or 0, len(each["points"])) != len(each["points"]):
            return None
        kept = {name: each[name] for name in (*_SHAPES[kind], *_COMMON) if each.get(name) is not None}
        if not _is_finite(kept):
            return None
        if "score" in kept:
            kept["score"] = round(_share(kept["score"]), 4)
        return {"type": kind, **({} if number is None else {"label": number}), **kept}

    def _surprise(self, annotations: Sequence[Mapping[str, Any]]) -> float:
        """How sure the model is of something that is rare among what was labelled so far."""
        return max(
            (float(one.get("score", 1.0)) * self.rarity.get(one.get("label", 0), 0.0) for one in annotations),
            default=0.0,
        )


def as_item(line: Mapping[str, Any], folder: Any) -> Item:
    """An item of a draft, as the runtime takes it."""
    return Item(
        seq=line["seq"],
        path=line["path"],
        file=folder / line["path"],
        state=line["state"],
        annotations=[],
        width=line["width"],
        height=line["height"],
        duration=line["duration"],
        info=line["info"],
    )


def looks(model: Model, items: Sequence[Item], words: Words, threshold: float) -> list[Said]:
    """What the model says of each; nothing below the threshold, also where the model itself gives its best guess."""
    found = [words.read(one) for one in model.predict_each(items, threshold=threshold)]
    for said in found:
        said.annotations = [one for one in said.annotations if one.get("score", 1.0) >= threshold]
    return found


def read_line(words: Words, line: Mapping[str, Any], threshold: float) -> Said:
    """A line of predictions that were written down before, in the dataset's words; nothing below the threshold."""
    doubt = line.get("uncertainty") or 0.0
    said = words.read(Prediction(line["annotations"], uncertainty=doubt, error=line.get("error")))
    said.annotations = [one for one in said.annotations if one.get("score", 1.0) >= threshold]
    return said


def _share(value: Any) -> float:
    number = float(value)
    return min(1.0, max(0.0, number)) if math.isfinite(number) else 1.0


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return True
