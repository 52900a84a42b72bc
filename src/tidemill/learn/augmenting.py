"""Pictures seen a little differently every time: cut, mirrored, turned, lighter or darker."""

import random
from dataclasses import dataclass

from PIL import Image, ImageEnhance


@dataclass(frozen=True)
class Augmentation:
    """How much is changed."""

    smallest: float = 1.0
    """Of a picture at least this share is seen."""
    mirror: bool = False
    turn: float = 0.0
    """Degrees, to both sides."""
    light: float = 0.0
    """How much brightness, contrast and colour change."""
    erase: float = 0.0
    """How often a piece of the picture is covered."""
    mix: float = 0.0
    """How much two pictures are laid over each other."""


KINDS = {
    "none": Augmentation(),
    "light": Augmentation(smallest=0.6, mirror=True, light=0.2),
    "strong": Augmentation(smallest=0.35, mirror=True, turn=15, light=0.4, erase=0.25, mix=0.2),
}


def augmented(picture: Image.Image, how: Augmentation, size: tuple[int, int], chance: random.Random) -> Image.Image:
    """The picture changed by chance, in the size (height, width) wanted."""
    height, width = size
    if how.turn:
        picture = picture.rotate(chance.uniform(-how.turn, how.turn), Image.Resampling.BILINEAR)
    box = _piece(picture.width, picture.height, how.smallest, chance) if how.smallest < 1 else None
    picture = picture.resize((width, height), Image.Resampling.BILINEAR, box=box)
    if how.mirror and chance.random() < 0.5:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if how.light:
        for change in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
            picture = change(picture).enhance(1 + chance.uniform(-how.light, how.light))
    if how.erase and chance.random() < how.erase:
        _cover(picture, chance)
    return picture


def _piece(width: int, height: int, smallest: float, chance: random.Random) -> tuple[float, float, float, float]:
    """A piece of the picture of about its own shape."""
    area = chance.uniform(smallest, 1.0)
    shape = chance.uniform(0.8, 1.25)
    wide = min(width, width * (area * shape) ** 0.5)
    high = min(height, height * (area / shape) ** 0.5)
    left, top = chance.uniform(0, width - wide), chance.uniform(0, height - high)
    return left, top, left + wide, top + high


def _cover(picture: Image.Image, chance: random.Random) -> None:
    wide, high = (max(1, int(side * chance.uniform(0.15, 0.4))) for side in picture.size)
    left = chance.randint(0, picture.width - wide)
    top = chance.randint(0, picture.height - high)
    colour = tuple(chance.randint(0, 255) for _ in range(3))
    picture.paste(colour, (left, top, left + wide, top + high))
