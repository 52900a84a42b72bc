"""One line of text: cut out of its picture and stood upright, and letters from the chances of a recogniser (CTC)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from tidemill.geometry import measure
from tidemill.runtime.text_regions import smallest_rectangle

Array = Any
BLANK = 0
UPRIGHT = 1.5
"""What is so much higher than wide is taken for a line that runs downwards."""


def corners_of(annotation: Mapping[str, Any]) -> Array | None:
    """The four corners of an annotated region, clockwise from where its text begins."""
    if annotation["type"] == "box":
        return np.array(measure.corners(annotation), dtype=np.float64).reshape(4, 2)
    if annotation["type"] != "polygon" or not annotation["rings"]:
        return None
    ring = np.array(annotation["rings"][0], dtype=np.float64).reshape(-1, 2)
    # Four corners are as somebody drew them, in their order; more are made the rectangle around them.
    return ring if len(ring) == 4 else smallest_rectangle(ring)


def cut_out(picture: Image.Image, corners: Array, *, turn_upright: bool = True) -> Image.Image:
    """The region as an upright picture; lines that run downwards are laid on their side."""
    width = max(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[2] - corners[3]))
    height = max(np.linalg.norm(corners[3] - corners[0]), np.linalg.norm(corners[2] - corners[1]))
    size = (max(1, round(float(width))), max(1, round(float(height))))
    upper_left, upper_right, lower_right, lower_left = corners.tolist()
    quad = (*upper_left, *lower_left, *lower_right, *upper_right)
    line = picture.transform(size, Image.Transform.QUAD, quad, Image.Resampling.BILINEAR)
    if turn_upright and height > UPRIGHT * width:
        line = line.transpose(Image.Transpose.ROTATE_90)
    return line


def fitted(line: Image.Image, height: int, most: int) -> Image.Image:
    """As high as the recogniser wants it, as wide as it then is, but no wider than the most."""
    width = max(1, min(most, round(line.width * height / line.height)))
    return line.resize((width, height), Image.Resampling.BILINEAR)


def read(chances: Array, letters: Sequence[str]) -> tuple[str, float]:
    """The text of a row of chances (place by letter; the first letter is none), and how sure it is."""
    best = chances.argmax(axis=-1)
    is_new = np.ones(len(best), dtype=bool)
    is_new[1:] = best[1:] != best[:-1]
    kept = is_new & (best != BLANK)
    if not kept.any():
        return "", 0.0
    text = "".join(letters[place - 1] for place in best[kept])
    return text, float(chances[kept, best[kept]].mean())


def region(corners: Array, picture: Image.Image) -> dict[str, Any]:
    """A box where the sides are upright, else a polygon of four corners."""
    inside = np.clip(corners, 0, picture.size)
    left, top = inside.min(axis=0)
    right, bottom = inside.max(axis=0)
    across = corners[1] - corners[0]
    slope = abs(float(np.degrees(np.arctan2(across[1], across[0]))))
    if min(slope % 90, 90 - slope % 90) < 2:
        sides = {"x": left, "y": top, "w": right - left, "h": bottom - top}
        return {"type": "box", **{side: round(float(value), 2) for side, value in sides.items()}}
    return {"type": "polygon", "rings": [[round(float(value), 2) for value in inside.ravel()]]}
