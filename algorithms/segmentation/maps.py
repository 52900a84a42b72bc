"""Pictures with the class of each of their pixels, moved by chance together."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from PIL import Image

from tidemill.evaluation.segmentation import cover, covers_everything
from tidemill.geometry.painting import UNKNOWN, paint
from tidemill.learn.vision import moving
from tidemill.learn.vision.pictures import Pictures, as_array
from tidemill.sdk.data import Dataset, Item

LOOKED_AT = 200


class Classes:
    """The classes of pixels: labels in their order, and background last where there is any."""

    def __init__(self, items: Dataset, names: Sequence[str]) -> None:
        self.names = list(names)
        self.numbers: Mapping[str, int] = {name: place for place, name in enumerate(names)}
        looked_at = items.take(LOOKED_AT, seed=0)
        shares = [cover(item.annotations, *size_of(item)) for item in looked_at]
        self.has_background = not covers_everything(shares)

    def __len__(self) -> int:
        return len(self.names) + self.has_background

    def map_of(self, item: Item) -> np.ndarray:
        """The class of every pixel of the item; what is not annotated is background or unknown."""
        rest = len(self.names) if self.has_background else UNKNOWN
        return paint(item.annotations, self.numbers, *size_of(item), rest=rest)


class MappedPictures(torch.utils.data.Dataset[tuple[np.ndarray, np.ndarray]]):
    """Pictures (bytes) and their pixels' classes, of the network's size."""

    def __init__(
        self, items: Dataset, classes: Classes, size: tuple[int, int], strength: str, mirror: str, repeat: int
    ) -> None:
        self._pictures, self._classes, self._size = Pictures(items, round(max(size) * 1.3)), classes, size
        self._strength, self._mirror, self._repeat = strength, mirror, repeat
        self._maps: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._pictures) * self._repeat

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        index %= len(self._pictures)
        item, picture, _ = self._pictures.get(index)
        if index not in self._maps:
            self._maps[index] = _resized(self._classes.map_of(item), picture.size)
        motion = moving.draw(
            picture.width,
            picture.height,
            self._size,
            strength=self._strength,
            mirror=self._mirror,
            zoom=1.25,
            turn=5.0 if self._strength == "strong" else 0.0,
        )
        seen = moving.coloured(motion.picture(picture), self._strength)
        return as_array(seen), motion.classes(self._maps[index], UNKNOWN)


def size_of(item: Item) -> tuple[int, int]:
    """Height and width."""
    return item.height or 0, item.width or 0


def collate(samples: list[tuple[np.ndarray, np.ndarray]]) -> tuple[torch.Tensor, torch.Tensor]:
    pictures, maps = zip(*samples, strict=True)
    return torch.from_numpy(np.stack(pictures)), torch.from_numpy(np.stack(maps)).long()


def _resized(classes: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    return np.asarray(Image.fromarray(classes).resize(size, Image.Resampling.NEAREST))
