"""Labels of a version by number, as the formats know them by name; and the other way round."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tidemill.datasets.formats.base import Label


class Names:
    """From numbers to names: `parent/name` where two labels share one."""

    def __init__(self, labels: Sequence[dict[str, Any]]) -> None:
        self._labels = labels
        self._by_number = {label["number"]: label for label in labels}
        shared = Counter(label["name"] for label in labels)
        self._keys = {label["number"]: self._key(label, shared[label["name"]] > 1) for label in labels}

    def labels(self) -> list[Label]:
        """All of them, parents first."""
        ordered = sorted(self._labels, key=lambda label: label["parent"] is not None)
        return [
            Label(
                label["name"],
                parent=self._parent(label),
                colour=label["colour"],
                shortcut=label["shortcut"],
                attributes=label["attributes"],
                skeleton=label["skeleton"],
                number=label["number"],
            )
            for label in ordered
        ]

    def named(self, annotation: dict[str, Any]) -> dict[str, Any]:
        """The annotation with its label's name."""
        number = annotation.get("label")
        return annotation if number is None else {**annotation, "label": self._keys.get(number, str(number))}

    def _parent(self, label: dict[str, Any]) -> str | None:
        parent = self._by_number.get(label["parent"])
        return None if parent is None else str(parent["name"])

    def _key(self, label: dict[str, Any], is_shared: bool) -> str:
        parent = self._parent(label)
        return f"{parent}/{label['name']}" if is_shared and parent else str(label["name"])


class Numbers:
    """From names to numbers, learning as labels are made."""

    def __init__(self, labels: Sequence[dict[str, Any]]) -> None:
        self._numbers: dict[str, int] = {}
        self._declared: dict[str, Label] = {}
        self._tops: dict[int, str] = {}
        self._undone: list[str] = []
        self.learn(labels)

    def learn(self, labels: Sequence[dict[str, Any]]) -> None:
        self._tops |= {label["number"]: label["name"] for label in labels if label["parent"] is None}
        for label in labels:
            self._numbers.setdefault(label["name"], label["number"])
            if label["parent"] in self._tops:
                self._numbers[f"{self._tops[label['parent']]}/{label['name']}"] = label["number"]

    def declare(self, label: Label) -> None:
        """What a label is beyond its name, for when it is made."""
        self._declared[f"{label.parent}/{label.name}" if label.parent else label.name] = label
        self._declared.setdefault(label.name, label)
        self._undone.append(f"{label.parent}/{label.name}" if label.parent else label.name)

    def find(self, name: str) -> int | None:
        return self._numbers.get(name)

    def unknown(self, names: Iterable[str]) -> list[str]:
        """Those of the names, and of the labels declared so far, that are to be made."""
        declared, self._undone = self._undone, []
        return [name for name in dict.fromkeys([*declared, *names]) if name not in self._numbers]

    def wishes(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Labels to be made so that these names are known, parents before those under them."""
        wanted: dict[tuple[str | None, str], dict[str, Any]] = {}
        for name in names:
            label = self._declared.get(name) or Label(name)
            if label.parent and label.parent not in self._numbers:
                parent = self._declared.get(label.parent) or Label(label.parent)
                wanted.setdefault((None, parent.name), _wish(parent, None))
            wanted[label.parent, label.name] = _wish(label, label.parent)
        return list(wanted.values())


def _wish(label: Label, parent: str | None) -> dict[str, Any]:
    return {
        "name": label.name,
        "parent_name": parent,
        "colour": label.colour,
        "shortcut": label.shortcut,
        "attributes": label.attributes,
        "skeleton": label.skeleton,
    }
