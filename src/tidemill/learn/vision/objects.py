"""Things in pictures for a dense detector: pictures moved by chance, with boxes and keypoints along."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tidemill.geometry import measure
from tidemill.learn.vision import moving
from tidemill.learn.vision.dense_loss import Objects
from tidemill.learn.vision.pictures import Pictures, as_array
from tidemill.sdk.data import Dataset, Item

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
Sample = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Kinds:
    """Labels that are learnt, in the order of the network's outputs, and their skeletons."""

    names: Sequence[str]
    points: int = 0
    """The most keypoints a label has; 0 where only boxes are learnt."""
    flips: Mapping[str, Sequence[Sequence[int]]] | None = None


@dataclass(frozen=True)
class How:
    """How pictures are changed by chance."""

    strength: str = "strong"
    mirror: str = "horizontal"
    turn: float = 0.0
    mosaic: float = 0.0
    """How often four pictures are put together into one."""


def input_spec(size: tuple[int, int]) -> dict[str, Any]:
    """What the runtime does with a picture before these models see it."""
    return {
        "kind": "image", "size": list(size), "fit": "pad", "fill": moving.FILL, "channels": "RGB", "layout": "NCHW",
        "dtype": "float32", "scale": 255, "mean": list(MEAN), "std": list(STD),
    }  # fmt: skip


class ObjectPictures(torch.utils.data.Dataset[Sample]):
    """Pictures (bytes), labels, boxes (left, top, right, bottom) and points (x, y, v) of what is in them."""

    def __init__(self, items: Dataset, kinds: Kinds, size: tuple[int, int], how: How, repeat: int = 1) -> None:
        self._pictures, self._repeat = Pictures(items, round(max(size) * 1.2)), repeat
        self._kinds, self._size, self._how = kinds, size, how

    def __len__(self) -> int:
        return len(self._pictures) * self._repeat

    def __getitem__(self, index: int) -> Sample:
        index %= len(self._pictures)
        if random.random() < self._how.mosaic:  # noqa: S311
            return self._mosaic(index)
        return self._one(index, self._size)

    def _one(self, index: int, size: tuple[int, int], zoom: float = 1.0) -> Sample:
        item, picture, share = self._pictures.get(index)
        how = self._how
        motion = moving.draw(
            picture.width, picture.height, size, strength=how.strength, mirror=how.mirror, turn=how.turn, zoom=zoom
        )
        labels, boxes, points = marked(item, self._kinds)
        seen = moving.coloured(motion.picture(picture), how.strength)
        cut, stays = moving.kept(motion.boxes(boxes * share), size)
        moved = np.concatenate([motion.points(points[..., :2] * share), points[..., 2:]], -1)
        if motion.is_mirrored and self._kinds.flips:
            flips = self._kinds.flips
            for place, label in enumerate(labels):
                moved[place] = moving.swapped(moved[place], flips.get(self._kinds.names[label], ()))
        return as_array(seen), labels[stays], cut[stays], moved[stays]

    def _mosaic(self, index: int) -> Sample:
        """Four pictures around a middle that lies anywhere near the middle."""
        height, width = self._size
        y, x = (round(side * random.uniform(0.35, 0.65)) for side in self._size)  # noqa: S311
        canvas = np.full((3, height, width), moving.FILL, dtype=np.uint8)
        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for top, left, bottom, right in ((0, 0, y, x), (0, x, y, width), (y, 0, height, x), (y, x, height, width)):
            other = index if not parts else random.randrange(len(self._pictures))  # noqa: S311
            seen, labels, boxes, points = self._one(other, (bottom - top, right - left), zoom=1.5)
            canvas[:, top:bottom, left:right] = seen
            shifted = points.copy()
            shifted[..., 0] += left
            shifted[..., 1] += top
            parts.append((labels, np.add(boxes, [left, top, left, top]), shifted))
        joined = [np.concatenate(one) for one in zip(*parts, strict=True)]
        return canvas, joined[0], joined[1], joined[2]


def marked(item: Item, kinds: Kinds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, boxes and points of what is in an item; what is to be ignored is left out."""
    numbers = {name: place for place, name in enumerate(kinds.names)}
    labels, boxes, points = [], [], []
    for one in item.annotations:
        around = measure.bounds(one) if one["type"] != "class" else None
        if one.get("label") not in numbers or one.get("ignore") or one.get("crowd") or around is None:
            continue
        if around[2] <= 0 or around[3] <= 0 or (kinds.points and one["type"] != "keypoints"):
            continue
        labels.append(numbers[one["label"]])
        boxes.append([around[0], around[1], around[0] + around[2], around[1] + around[3]])
        own = np.zeros((kinds.points, 3))
        if kinds.points:
            given = np.asarray(one["points"], dtype=np.float64)[: kinds.points]
            own[: len(given)] = given
        points.append(own)
    return (
        np.array(labels, dtype=np.int64),
        np.array(boxes, dtype=np.float64).reshape(-1, 4),
        np.array(points, dtype=np.float64).reshape(len(labels), kinds.points, 3),
    )


def collate(samples: list[Sample]) -> Batch:
    """A batch: pictures, then labels, boxes, points and which of them are there, padded to the fullest picture."""
    most = max(1, *(len(sample[1]) for sample in samples))
    count, points = len(samples), samples[0][3].shape[1]
    labels, boxes = torch.zeros(count, most, dtype=torch.long), torch.zeros(count, most, 4)
    where, there = torch.zeros(count, most, points, 3), torch.zeros(count, most, dtype=torch.bool)
    for row, (_, own_labels, own_boxes, own_points) in enumerate(samples):
        found = len(own_labels)
        labels[row, :found] = torch.from_numpy(own_labels)
        boxes[row, :found] = torch.from_numpy(own_boxes).float()
        where[row, :found] = torch.from_numpy(own_points).float()
        there[row, :found] = True
    return torch.from_numpy(np.stack([sample[0] for sample in samples])), labels, boxes, where, there


def normalised(pictures: Tensor) -> Tensor:
    """Bytes as the network takes them; the same numbers as the runtime makes."""
    mean = torch.tensor(MEAN, device=pictures.device).view(1, 3, 1, 1)
    std = torch.tensor(STD, device=pictures.device).view(1, 3, 1, 1)
    return (pictures.float() / 255 - mean) / std


def objects_of(batch: Batch) -> Objects:
    _, labels, boxes, points, there = batch
    return Objects(labels, boxes, there, points if points.shape[2] else None)
