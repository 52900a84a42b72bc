"""A version of a dataset as a sequence of items, read from its folder when they are asked for.

Only the places of lines are kept in memory (eight bytes an item), so that parts of a million items are cheap.
"""

import json
import random
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import Invalid
from tidemill.kernel.splitting import choose_test
from tidemill.sdk.data.items import Item, Label, read_item, read_labels
from tidemill.sdk.language import problem

if TYPE_CHECKING:
    from torch.utils.data import Dataset as TorchDataset

LINES, ABOUT = "annotations.jsonl", "dataset.json"
DONE = frozenset({"labelled", "reviewed"})


class Dataset:
    """Items of a published version, all or some of them. `len`, iteration and `dataset[5]` work as on a list."""

    def __init__(self, folder: Path, about: dict[str, Any], places: "array[int]") -> None:
        self.folder = folder
        self.about = about
        self._places = places

    @classmethod
    def of_folder(cls, folder: Path) -> "Dataset":
        """The version whose files are in the folder."""
        try:
            about = json.loads((folder / ABOUT).read_bytes())
            return cls(folder, about, _line_places(folder / LINES))
        except FileNotFoundError as error:
            raise problem(Invalid, "sdk_data_no_version", path=folder, file=Path(error.filename).name) from error
        except ValueError as error:
            raise problem(Invalid, "sdk_data_damaged", path=folder / ABOUT) from error

    @property
    def name(self) -> str:
        """As it can be opened again: `name@version`."""
        name, number = self.about.get("dataset") or self.folder.name, self.about.get("dataset_version")
        return f"{name}@{number}" if number else str(name)

    @property
    def data_type(self) -> str:
        """`image`, `text`, `audio`, `video` or `table`."""
        return str(self.about.get("data_type") or "")

    @property
    def annotation_type(self) -> str:
        return str(self.about.get("annotation_type") or "")

    @cached_property
    def labels(self) -> list[Label]:
        """All labels of the version, in its order."""
        return read_labels(self.about.get("labels") or [])

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Item:
        place = self._places[index]
        with (self.folder / LINES).open("rb") as lines:
            lines.seek(place)
            return self._read(lines.readline())

    def __iter__(self) -> Iterator[Item]:
        with (self.folder / LINES).open("rb") as lines:
            at = 0
            for place in self._places:
                if place != at:
                    lines.seek(place)
                line = lines.readline()
                at = place + len(line)
                yield self._read(line)

    def filter(self, is_wanted: Callable[[Item], bool]) -> "Dataset":
        """The items a function says yes to."""
        return self._part(place for place, item in zip(self._places, self, strict=True) if is_wanted(item))

    def labelled(self) -> "Dataset":
        """The items somebody annotated or reviewed: not suggestions, not what is set aside or to be done again."""
        return self.filter(lambda item: item.state in DONE)

    def split(self, test: float = 0.2, seed: int = 0) -> tuple["Dataset", "Dataset"]:
        """Two parts, for training and for testing, every class in both where it can be.

        The rule is that of exported training files: the same items, share and seed give the same parts everywhere.
        Fewer than ten items have no test part.
        """
        chosen = choose_test(((item.path, _classes(item)) for item in self), test, seed)
        tested = array("b", (item.path in chosen for item in self))
        train = self._part(place for place, is_test in zip(self._places, tested, strict=True) if not is_test)
        return train, self._part(place for place, is_test in zip(self._places, tested, strict=True) if is_test)

    def take(self, count: int, seed: int | None = None) -> "Dataset":
        """The first items, or with a seed some by chance, in the dataset's order."""
        if seed is None or count >= len(self):
            return self._part(self._places[:count])
        return self._part(sorted(random.Random(seed).sample(self._places, count)))  # noqa: S311

    def torch(self, transform: Callable[[Item], Any] | None = None) -> "TorchDataset[Any]":
        """A torch Dataset of what `transform` makes of each item, for a DataLoader."""
        from tidemill.sdk.data.for_torch import ItemDataset

        return ItemDataset(self, transform)

    def _part(self, places: Iterable[int]) -> "Dataset":
        return Dataset(self.folder, self.about, array("q", places))

    def _read(self, line: bytes) -> Item:
        try:
            return read_item(line, self.folder, self._names)
        except (KeyError, TypeError, ValueError) as error:
            raise problem(Invalid, "sdk_data_damaged", path=self.folder / LINES) from error

    @cached_property
    def _names(self) -> dict[int, str]:
        return {label.number: label.name for label in self.labels}


def _line_places(file: Path) -> "array[int]":
    places, at = array("q"), 0
    with file.open("rb") as lines:
        for line in lines:
            if line.strip():
                places.append(at)
            at += len(line)
    return places


def _classes(item: Item) -> list[str]:
    return [str(one["label"]) for one in item.annotations if one.get("label") is not None]
