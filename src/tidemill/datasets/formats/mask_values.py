"""The pixels of a mask picture as runs of equal values, found once for all classes in it.

Runs go down the columns, as COCO's do. A street scene of two hundred thousand pixels has some thousands of them: what
comes after the first comparison works on little.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from tidemill.datasets.media import pictures
from tidemill.datasets.reasons import Malformed
from tidemill.geometry import rle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

Kind = Literal["index", "palette", "colour"]
MAX_CLASSES = 1000
_NUMBERS = frozenset({"P", "L", "1", "I;16", "I"})
_DARK = 100
"""Grey pictures that are darker than this all over hold class numbers."""


@dataclass(frozen=True, slots=True)
class Values:
    """A mask's pixels, and what they are: class numbers, numbers into a palette, or colours."""

    cells: "NDArray[Any]"
    kind: Kind

    @property
    def size(self) -> list[int]:
        """Height and width."""
        return [int(self.cells.shape[0]), int(self.cells.shape[1])]

    def looks_like_mask(self) -> bool:
        """Few different values: no photograph."""
        import numpy as np

        return len(np.unique(self.cells[::4, ::4])) <= 64


def read(file: BinaryIO) -> Values:
    """Decodes the picture. Raises pictures.Unreadable."""
    import numpy as np

    with pictures.opened(file) as image:
        pictures.decode(image)
        if image.mode in _NUMBERS:
            kind: Kind = "palette" if image.mode == "P" else "index"
            # What is on may be any number in Pillow's booleans.
            return Values(np.asarray(image.convert("L")) // 255 if image.mode == "1" else np.asarray(image), kind)
        return Values(_colours(image), "colour")


def _colours(image: "Image") -> "NDArray[np.uint32]":
    """Each pixel as one number: 0x00rrggbb."""
    import numpy as np

    if image.mode != "RGB":
        image = image.convert("RGB")
    # Four bytes a pixel, blue first, are such a number as it lies in memory.
    data = image.tobytes("raw", "BGRX")
    return np.frombuffer(data, dtype="<u4").reshape(image.height, image.width)


def classes(values: Values) -> tuple[Kind, list[tuple[int, str]]]:
    """Each value that there is, the least first, with its mask as COCO's string; and what the values are after all:
    colours that are all dark greys are numbers of classes. Raises Malformed for too many values to be classes."""
    import numpy as np

    flat = values.cells.T.ravel()
    if not flat.size:
        return values.kind, []
    starts = np.concatenate(([0], np.flatnonzero(flat[1:] != flat[:-1]) + 1))
    ends = np.append(starts[1:], flat.size)
    order = np.argsort(flat[starts], kind="stable")
    sorted_values = flat[starts[order]]
    firsts = np.concatenate(([0], np.flatnonzero(sorted_values[1:] != sorted_values[:-1]) + 1))
    found = sorted_values[firsts].tolist()
    if len(found) > MAX_CLASSES:
        raise Malformed("mask_many_values", count=len(found))
    texts = rle.texts_of(*_runs(starts[order], ends[order], firsts, flat.size))
    if values.kind == "colour" and all(_is_dark_grey(value) for value in found):
        return "index", [(value & 0xFF, text) for value, text in zip(found, texts, strict=True)]
    return values.kind, list(zip(found, texts, strict=True))


def _is_dark_grey(colour: int) -> bool:
    red, green, blue = colour >> 16, (colour >> 8) & 0xFF, colour & 0xFF
    return red == green == blue < _DARK


def _runs(
    starts: "NDArray[np.int64]", ends: "NDArray[np.int64]", firsts: "NDArray[np.int64]", total: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Off and on by turns, and where each value's begin; from stretches of one value after another (`firsts`)."""
    import numpy as np

    sizes = np.diff(firsts, append=len(starts))
    begins = 2 * firsts + np.arange(len(firsts))
    before = np.empty_like(starts)
    before[1:] = ends[:-1]
    before[firsts] = 0
    counts = np.empty(2 * len(starts) + len(firsts), dtype=np.int64)
    off = 2 * np.arange(len(starts)) + np.repeat(np.arange(len(firsts)), sizes)
    counts[off] = starts - before
    counts[off + 1] = ends - starts
    lasts = firsts + sizes - 1
    counts[begins + 2 * sizes] = total - ends[lasts]
    # One value has the last pixel, and nothing after it.
    (full,) = np.flatnonzero(ends[lasts] == total).tolist()
    begins[full + 1 :] -= 1
    return np.delete(counts, begins[full] + 2 * sizes[full]), begins
