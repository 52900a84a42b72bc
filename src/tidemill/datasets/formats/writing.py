"""What all writers need: labels by place, names for files, and a count of what a format cannot carry."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tidemill.datasets.formats.base import Annotation, Label, Opener, Sample, Target
from tidemill.datasets.notes import Level, Note

PLACES: Final = frozenset({"box", "polygon", "mask", "keypoints", "polyline", "point", "circle"})
"""Types that lie somewhere in a picture."""

FIELDS: Final = frozenset({"text", "attributes", "crowd", "ignore", "truncated", "difficult", "occluded", "track"})
"""What is said of an annotation besides where and what it is."""


def label_keys(labels: Sequence[Label]) -> list[str]:
    """What annotations call each label: its name, or `parent/name` where two share one."""
    names = Counter(label.name for label in labels)
    return [
        f"{label.parent}/{label.name}" if names[label.name] > 1 and label.parent else label.name for label in labels
    ]


class Classes:
    """Labels by place, 0 first. A label that an annotation names and nobody declared comes last."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._places = {key: place for place, key in enumerate(label_keys(labels))}

    def place(self, name: Any) -> int:
        key = str(name)
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = len(self._places)
        return found

    def names(self) -> list[str]:
        return list(self._places)


class Tally:
    """Counts what could not be carried or was reduced; a note for each kind."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._counts: Counter[tuple[str, str, Level]] = Counter()

    def lost(self, annotation: Annotation) -> None:
        """It is not in the result."""
        self._counts["annotation_not_carried", annotation["type"], "skipped"] += 1

    def reduced(self, annotation: Annotation) -> None:
        """Only the box around it is in the result."""
        self._counts["annotation_reduced_to_box", annotation["type"], "changed"] += 1

    def outlined(self, annotation: Annotation) -> None:
        """Its outline is in the result."""
        self._counts["annotation_outlined", annotation["type"], "changed"] += 1

    def count(self, code: str, detail: str = "", level: Level = "changed") -> None:
        """Anything else."""
        self._counts[code, detail, level] += 1

    def notes(self) -> list[Note]:
        return [
            Note(code, level=level, params={"format": self._format, "type": detail, "count": count})
            for (code, detail, level), count in self._counts.items()
        ]


class Names:
    """Paths without their suffix, each once: `a.jpg` and `a.png` need two annotation files."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, path: str) -> str:
        stem = path[: path.rfind(".")] if "." in path.rpartition("/")[2] else path
        name = stem if stem not in self._taken else path.replace(".", "_")
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def is_untouched(sample: Sample) -> bool:
    """Nobody looked at it yet: an annotation file of its own, with nothing in it, would say that there is nothing."""
    return sample.state == "unlabelled" and not sample.annotations


def put_data(target: Target, path: str, sample: Sample, files: Opener | None) -> None:
    """The sample's bytes, where they are wanted."""
    if files is None:
        return
    with files(sample) as file:
        target.copy(path, file)


def with_fields(samples: Iterable[Sample], fields: frozenset[str], tally: Tally) -> Iterator[Sample]:
    """The samples; what their annotations say that the format has no place for is counted."""
    missing = FIELDS - fields
    for sample in samples:
        for annotation in sample.annotations:
            for name in missing & annotation.keys():
                if annotation[name]:
                    tally.count("field_not_carried", name)
        yield sample


def with_size(samples: Iterable[Sample], tally: Tally) -> Iterator[Sample]:
    """Samples whose picture's size is known; formats in shares of the picture can say nothing of the others."""
    for sample in samples:
        if sample.width and sample.height:
            yield sample
        else:
            tally.count("sample_without_size", level="skipped")
