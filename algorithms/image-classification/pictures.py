"""Pictures of the dataset as tensors: augmented for learning, plain for validation."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image

from tidemill.learn.augmenting import Augmentation, augmented
from tidemill.learn.classifying import Classes
from tidemill.runtime import pictures
from tidemill.sdk.data import Dataset, Item

KEPT_BYTES = 1 << 29
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def input_spec(size: int) -> dict[str, Any]:
    """What the runtime does with a picture before this algorithm's models see it."""
    return {
        "kind": "image", "size": [size, size], "fit": "stretch", "channels": "RGB", "layout": "NCHW",
        "dtype": "float32", "scale": 255, "mean": list(MEAN), "std": list(STD),
    }  # fmt: skip


class Pictures(torch.utils.data.Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Pictures for learning. As many as fit are kept small in memory, so that files are read once."""

    def __init__(self, items: Dataset, classes: Classes, spec: Mapping[str, Any], how: Augmentation) -> None:
        self._items, self._classes, self._spec, self._how = items, classes, spec, how
        height, width = spec["size"]
        self._kept: dict[int, tuple[Image.Image, torch.Tensor]] = {}
        # Larger than the model's input: pieces of it are cut out.
        self._side = int(max(height, width) * (1.25 if how.smallest < 1 else 1))
        self._room = KEPT_BYTES // (self._side * self._side * 3)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        picture, target = self._kept.get(index) or self._read(index)
        height, width = self._spec["size"]
        seen = augmented(picture, self._how, (height, width), random.Random(random.getrandbits(64)))
        pixels = pictures.normalised(np.asarray(seen, dtype=np.float32), self._spec)
        return torch.from_numpy(pixels), target

    def _read(self, index: int) -> tuple[Image.Image, torch.Tensor]:
        item = self._items[index]
        picture = pictures.read(item)
        if max(picture.size) > self._side:
            picture.thumbnail((self._side, self._side), Image.Resampling.BILINEAR)
        found = picture, self._classes.target(item)
        if len(self._kept) < self._room:
            self._kept[index] = found
        return found


def plain(items: Sequence[Item], spec: Mapping[str, Any]) -> torch.Tensor:
    """Pictures exactly as the runtime prepares them."""
    return torch.from_numpy(np.stack([pictures.prepared(pictures.read(item), spec) for item in items]))
