"""Pictures that are moved by chance while training, and everything marked in them along with them.

A motion is one affine map: place, size, mirror and turn at once, so that pixels are resampled once only.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FILL = 114
STRENGTHS = ("none", "light", "strong")
MIRRORS = ("none", "horizontal", "both")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """`matrix` (2 by 3) takes places of the picture to places of the size it goes into."""

    matrix: Floats
    size: tuple[int, int]
    """Height and width of what comes out."""

    @property
    def is_mirrored(self) -> bool:
        """Left and right have changed sides."""
        return float(np.linalg.det(self.matrix[:, :2])) < 0

    def points(self, xy: Floats) -> Floats:
        """Places (…, 2) after the motion."""
        return np.asarray(xy @ self.matrix[:, :2].T + self.matrix[:, 2])

    def boxes(self, boxes: Floats) -> Floats:
        """What is around boxes (left, top, right, bottom) after it; not cut at the edges."""
        left, top, right, bottom = boxes.T
        corners = np.stack([left, top, right, top, right, bottom, left, bottom], 1).reshape(-1, 4, 2)
        moved = self.points(corners)
        return np.concatenate([moved.min(1), moved.max(1)], 1)

    def picture(self, picture: Image.Image) -> Image.Image:
        return self._moved(picture, Image.Resampling.BILINEAR, (FILL,) * 3)

    def classes(self, classes: NDArray[np.uint8], fill: int) -> NDArray[np.uint8]:
        """A picture of class numbers: each pixel takes the nearest one's."""
        return np.asarray(self._moved(Image.fromarray(classes), Image.Resampling.NEAREST, fill))

    def _moved(self, picture: Image.Image, how: Image.Resampling, fill: Any) -> Image.Image:
        # Pillow asks from where each pixel comes.
        back = np.linalg.inv(np.vstack([self.matrix, [0, 0, 1]]))[:2]
        height, width = self.size
        return picture.transform((width, height), Image.Transform.AFFINE, back.ravel().tolist(), how, fillcolor=fill)


def still(width: int, height: int, size: tuple[int, int], *, stretch: bool = False) -> Motion:
    """As the runtime does it: fitted into the size from the top left, or stretched to fill it."""
    down, across = size[0] / height, size[1] / width
    if not stretch:
        down = across = min(down, across)
    return Motion(np.array([[across, 0, 0], [0, down, 0]], dtype=np.float64), size)


def draw(
    width: int, height: int, size: tuple[int, int], *, strength: str, mirror: str, zoom: float = 1.0, turn: float = 0.0
) -> Motion:
    """A motion by chance. `zoom` makes everything larger (crops); `turn` is the most degrees of a turn."""
    if strength == "none":
        return still(width, height, size)
    spread = 0.25 if strength == "light" else 0.5
    fit = min(size[0] / height, size[1] / width) * zoom
    grow = fit * math.exp(random.uniform(-spread, spread * 0.8))  # noqa: S311
    narrow = math.exp(random.uniform(-0.1, 0.1))  # noqa: S311
    angle = math.radians(random.uniform(-turn, turn))  # noqa: S311
    scale = np.diag([grow * narrow, grow / narrow])
    if mirror != "none" and random.random() < 0.5:  # noqa: S311
        scale[0, 0] *= -1
    if mirror == "both" and random.random() < 0.5:  # noqa: S311
        scale[1, 1] *= -1
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    linear = turned @ scale
    return Motion(np.column_stack([linear, _place(linear, width, height, size)]), size)


def anywhere(width: int, height: int, size: tuple[int, int], scale: float) -> Motion:
    """A piece of the picture at that scale, cut out anywhere."""
    linear = np.eye(2) * scale
    return Motion(np.column_stack([linear, _place(linear, width, height, size)]), size)


def coloured(picture: Image.Image, strength: str) -> Image.Image:
    """Brighter or darker, more or less contrast and colour, by chance."""
    if strength == "none":
        return picture
    most = 0.2 if strength == "light" else 0.4
    bright, contrast = 1 + random.uniform(-most, most), 1 + random.uniform(-most, most)  # noqa: S311
    colour = 1 + random.uniform(-most, most)  # noqa: S311
    pixels = np.asarray(picture, dtype=np.float32)
    grey = pixels.mean(2, keepdims=True)
    middle = float(grey.mean())
    pixels = ((grey + (pixels - grey) * colour) - middle) * contrast + middle * bright
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def kept(boxes: Floats, size: tuple[int, int], least: float = 0.3) -> tuple[Floats, NDArray[np.bool_]]:
    """Boxes cut at the edges, and which of them still show enough of themselves."""
    height, width = size
    cut = np.clip(boxes, 0, [width, height, width, height])
    whole = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    left = np.prod(np.maximum(cut[:, 2:] - cut[:, :2], 0), axis=1)
    return cut, (left >= least * whole) & (np.min(cut[:, 2:] - cut[:, :2], axis=1, initial=np.inf) >= 1)


def swapped(points: Floats, flips: Sequence[Sequence[int]]) -> Floats:
    """Keypoints of a mirrored picture: left and right ones change their names."""
    order = np.arange(len(points))
    for a, b in flips:
        if a < len(points) and b < len(points):
            order[a], order[b] = b, a
    return points[order]


def _place(linear: Floats, width: int, height: int, size: tuple[int, int]) -> Floats:
    """Where it goes: anywhere as long as it fills or stays within what there is."""
    corners = np.array([[0, 0], [width, 0], [0, height], [width, height]], dtype=np.float64) @ linear.T
    low, high = corners.min(0), corners.max(0)
    room = np.array([size[1], size[0]]) - (high - low)
    shift = [random.uniform(min(0, r), max(0, r)) for r in room]  # noqa: S311
    return np.asarray(np.subtract(shift, low), dtype=np.float64)
