"""Pictures of a dataset for training: decoded once, as large as they are needed, kept while there is room."""

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image

from tidemill.runtime import pictures as runtime_pictures
from tidemill.sdk.data import Dataset, Item

ROOM_BYTES = 1 << 29
LEAST_BATCHES = 8
PARTS = 32
"""Sides of a network's input are multiples of this."""


class Pictures:
    """The pictures of items by number, no larger than `longest` on their longer side."""

    def __init__(self, items: Dataset, longest: int) -> None:
        self._items, self._longest = items, longest
        self._kept: dict[int, tuple[Image.Image, float]] = {}
        self._room = ROOM_BYTES

    def __len__(self) -> int:
        return len(self._items)

    def get(self, index: int) -> tuple[Item, Image.Image, float]:
        """The item, its picture, and how much smaller than the file the picture is (0.5: half as wide)."""
        item = self._items[index]
        found = self._kept.get(index)
        if found is None:
            found = self._read(item)
            size = found[0].width * found[0].height * 3
            if size <= self._room:
                self._room -= size
                self._kept[index] = found
        return item, *found

    def _read(self, item: Item) -> tuple[Image.Image, float]:
        picture = runtime_pictures.read(item)
        share = self._longest / max(picture.size)
        if share >= 1:
            return picture, 1.0
        smaller = (max(1, round(picture.width * share)), max(1, round(picture.height * share)))
        return picture.resize(smaller, Image.Resampling.BILINEAR, reducing_gap=2.0), smaller[0] / picture.width


def input_size(items: Dataset, longest: int) -> tuple[int, int]:
    """Height and width that fit the pictures' usual shape, the longer side as asked for."""
    sizes = [(item.height, item.width) for item in items if item.height and item.width]
    shape = float(np.median([np.log(height / width) for height, width in sizes])) if sizes else 0.0
    ratio = float(np.exp(np.clip(shape, -1.1, 1.1)))
    height, width = (longest * min(1.0, ratio), longest * min(1.0, 1 / ratio))
    return _whole(height), _whole(width)


def repeats(count: int, batch_size: int) -> int:
    """How often an epoch goes through few pictures: validation after every other step would take all the time."""
    return max(1, math.ceil(LEAST_BATCHES * batch_size / max(1, count)))


def as_array(picture: Image.Image) -> np.ndarray:
    """Channels first, as bytes: the network makes numbers of them."""
    return np.ascontiguousarray(np.asarray(picture).transpose(2, 0, 1))


def names_used(items: Dataset, types: Sequence[str]) -> dict[str, int]:
    """How often each label is used by annotations of these types."""
    found: dict[str, int] = {}
    for item in items:
        for one in item.annotations:
            if one["type"] in types and "label" in one:
                found[one["label"]] = found.get(one["label"], 0) + 1
    return found


def _whole(side: float) -> int:
    return max(PARTS, round(side / PARTS) * PARTS)
