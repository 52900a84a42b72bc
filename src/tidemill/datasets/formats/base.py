"""What every format speaks: samples, labels and notes in; samples and labels out.

A reader streams what it finds in a `Source`; a writer streams samples into a `Target`. Memory does not grow with the
number of samples. Annotations are plain dicts in the one form of the product:

    {"type": "box", "label": "cat", "x", "y", "w", "h", "angle"?}         pixels of the upright picture, angle clockwise
    {"type": "polygon", "label", "rings": [[x, y, x, y, …], …], "holes"?: [ring indexes]}
    {"type": "mask", "label", "size": [h, w], "rle": "<COCO's compressed string>"}
    {"type": "keypoints", "label", "points": [[x, y, v], …], "x"?, "y"?, "w"?, "h"?}     v: 0 none, 1 hidden, 2 visible
    {"type": "polyline", "label", "points": [x, y, …]}   {"type": "point", "label", "x", "y"}
    {"type": "circle", "label", "x", "y", "r"}           {"type": "class", "label"}
    {"type": "segment", "label"?, "start", "end", "text"?}                 seconds
    and on all: "id", "text", "order", "attributes", "score", "crowd", "ignore", "truncated", "difficult", "occluded",
    "group", "track", "source"

Here `label` is the label's name (in a version it is a number); `parent/name` where two labels share a name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar

from tidemill.datasets.notes import Note
from tidemill.datasets.sources.base import Source

Annotation = dict[str, Any]
BROKEN = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What taking apart a file that is not as it should be can raise; readers make a note of it."""
Options = Mapping[str, Any]
"""Of a reader or writer, by name; unknown ones are ignored. All readers know `annotation_type` (the dataset's): where a
file holds several kinds of annotation of one object it says which are wanted. The rest is in each format's file."""


@dataclass(slots=True)
class Label:
    """A class of the dataset. Readers send each before the first sample that uses it; only `name` is always known."""

    name: str
    parent: str | None = None
    colour: str | None = None
    shortcut: str | None = None
    attributes: list[dict[str, Any]] = field(default_factory=list)
    skeleton: dict[str, Any] | None = None
    number: int | None = None


@dataclass(slots=True)
class Sample:
    """One item with its annotations."""

    path: str
    """Where it is in the dataset."""
    file: str | bytes | None = None
    """Its bytes: a path in the source, the bytes themselves (a row, an embedded picture), or None: not in the source,
    the annotations belong to an item that is already there."""
    annotations: list[Annotation] = field(default_factory=list)
    width: int | None = None
    """As the annotation file says; see `formats.fitting` for pictures that turn out to be otherwise."""
    height: int | None = None
    duration: float | None = None
    info: dict[str, Any] = field(default_factory=dict)
    split: str | None = None
    """`train`, `val`, `test` or whatever the set calls it."""
    state: str | None = None
    """`labelled` where the set says so even without annotations (an empty label file); else by the annotations."""


class Reader(ABC):
    """A format that can be read."""

    name: ClassVar[str]

    @abstractmethod
    def recognise(self, source: Source) -> float:
        """How surely the source is of this format, 0 to 1, by a few bytes of a few files."""

    @abstractmethod
    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        """Everything in it. Broken files become notes; nothing is raised but OSError of the source itself."""


Opener = Callable[[Sample], BinaryIO]
"""Gives the bytes of a sample that is written with its data."""


class Target(ABC):
    """Where a format is written: a folder, an archive. Paths are posix and relative; each is written once."""

    @abstractmethod
    def add(self, path: str, data: bytes) -> None:
        """A small file at once."""

    @abstractmethod
    def copy(self, path: str, file: BinaryIO) -> None:
        """A file from a stream."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """A file written piece by piece while others are added; it is there when it is closed."""


class Writer(ABC):
    """A format that can be written."""

    name: ClassVar[str]
    types: ClassVar[frozenset[str]]
    """Annotation types it carries, perhaps reduced (then a note says how many)."""
    fields: ClassVar[frozenset[str]] = frozenset()
    """What it carries of an annotation beyond its place and label; the rest of `writing.FIELDS` is counted in notes."""

    @abstractmethod
    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        """Writes it all, with the data when `files` gives it. The notes count what the format could not carry."""
