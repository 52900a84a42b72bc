"""Where lines of text are: pieces of pictures with a map of the lines' middles to learn from."""

import math
import random
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import Tensor, nn

from tidemill.learn.vision import moving
from tidemill.learn.vision.objects import normalised
from tidemill.learn.vision.pictures import Pictures, as_array
from tidemill.learn.vision.segmenter import STRIDE, Segmenter
from tidemill.runtime.read_text import marked_regions
from tidemill.sdk.data import Dataset

PIECE = 416
SPREAD = {"none": 0.0, "light": 0.15, "strong": 0.3}
"""How much larger or smaller, as a logarithm, pieces are seen than pictures will be."""
LINE = 24.0
"""So many pixels high a usual line should be for the finder."""
SHORTEST, LONGEST = 640, 1600
SHRUNK = 0.25
"""Lines are drawn thinner by this share of their height on every side, so that neighbours do not touch."""
UNCLIP = 1.0
"""What makes them as large again: half the height of what is left, on every side."""


def long_side(items: Dataset) -> int:
    """How large pictures must be for their lines to be of a usual height."""
    heights = []
    for item in items.take(100, seed=0):
        longer = max(item.width or 0, item.height or 0)
        if longer:
            heights += [_height(corners) / longer for corners, _ in marked_regions(item.annotations)]
    usual = float(np.median(heights)) if heights else 0.03
    return int(np.clip(LINE / max(usual, 1e-3), SHORTEST, LONGEST)) // 32 * 32


def how(side: int) -> dict[str, Any]:
    """What the runtime is told of this finder."""
    return {"channels": "RGB", "long_side": side, "unclip": UNCLIP, "smallest": 1.0}


class Pieces:
    """Pieces of pictures, cut out by chance, and where the middles of their lines are (255: nobody knows)."""

    def __init__(self, items: Dataset, side: int, strength: str) -> None:
        self._pictures, self._side, self._strength = Pictures(items, side), side, strength

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        item, picture, share = self._pictures.get(random.randrange(len(self._pictures)))
        spread = SPREAD[self._strength]
        scale = self._side / max(picture.size) * math.exp(random.uniform(-spread, spread))
        motion = moving.anywhere(picture.width, picture.height, (PIECE, PIECE), scale)
        middles = Image.new("L", (PIECE // STRIDE, PIECE // STRIDE), 0)
        pen = ImageDraw.Draw(middles)
        for (corners, _), one in zip(marked_regions(item.annotations), _marked(item.annotations), strict=True):
            seen = motion.points(shrunk(corners) * share) / STRIDE
            pen.polygon([tuple(corner) for corner in seen.tolist()], fill=255 if one.get("ignore") else 1)
        return as_array(moving.coloured(motion.picture(picture), self._strength)), np.asarray(middles)


def shrunk(corners: np.ndarray) -> np.ndarray:
    """A line's corners drawn together on every side."""
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    width, height = float(np.linalg.norm(across)) or 1.0, float(np.linalg.norm(down)) or 1.0
    less = SHRUNK * min(width, height)
    right, below = across / width * less, down / height * less
    return corners + np.array([right + below, below - right, -right - below, right - below])


def finder_loss(finder: nn.Module, pieces: Tensor, middles: Tensor) -> Tensor:
    """Cross entropy and overlap (Dice) of the map; most of a picture is no text, so that the overlap counts."""
    numbers = finder(normalised(pieces).contiguous(memory_format=torch.channels_last))[:, 0].float()
    known = (middles != 255).float()
    wanted = (middles == 1).float()
    entropy = nn.functional.binary_cross_entropy_with_logits(numbers, wanted, known)
    chances = numbers.sigmoid() * known
    common = 2 * (chances * wanted).sum() + 1
    return entropy + 1 - common / (chances.sum() + (wanted * known).sum() + 1)


class Chances(nn.Module):
    """What goes into `detector.onnx`."""

    def __init__(self, finder: Segmenter) -> None:
        super().__init__()
        self.finder = finder

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.finder(pictures))


def _marked(annotations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in annotations if marked_regions([one])]


def _height(corners: np.ndarray) -> float:
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(sides.min())
