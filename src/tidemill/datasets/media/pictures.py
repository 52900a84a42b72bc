"""Pictures: how large they are when seen upright, whether they are whole, how sharp, and what they look like.

Everything is about the upright picture (EXIF orientation applied) of the first frame. Other colour models, 16 bits a
channel and palettes are turned into plain 8-bit grey or RGB by `load`. Pillow and numpy are loaded on first use.
"""

import io
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

MAX_PIXELS = 1 << 28
_ORIENTATION = 0x0112
_DEEP_MODES = {"I", "I;16", "I;16L", "I;16B", "I;16N", "F"}


class Unreadable(Exception):
    """It is no picture we can read; `code` names the note."""

    def __init__(self, code: str, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture's file says of it."""

    width: int
    """Upright."""
    height: int
    media: str
    orientation: int
    """EXIF's, 1 to 8; with 5 and more the stored picture lies on its side."""
    mode: str
    """Pillow's name of the colours as they are stored: `RGB`, `L`, `CMYK`, `P`, `I;16`, …"""
    frames: int

    @property
    def stored_size(self) -> tuple[int, int]:
        """Width and height of the pixels as they are stored."""
        return (self.height, self.width) if self.orientation >= 5 else (self.width, self.height)


def probe(file: BinaryIO, *, verify: bool = False) -> Picture:
    """Reads the head of the file; all of it with `verify`, which finds truncated ones. Raises `Unreadable`."""
    with opened(file) as image:
        orientation = _orientation(image)
        width, height = image.size if orientation < 5 else (image.size[1], image.size[0])
        media = _pillow().MIME.get(image.format, "application/octet-stream")
        frames = int(getattr(image, "n_frames", 1)) if image.format in {"GIF", "TIFF", "WEBP", "PNG", "MPO"} else 1
        found = Picture(width, height, media, orientation, image.mode, frames)
        if verify:
            decode(image)
        return found


def size(file: BinaryIO) -> tuple[int, int]:
    """Upright width and height alone."""
    with opened(file) as image:
        return image.size if _orientation(image) < 5 else (image.size[1], image.size[0])


def load(file: BinaryIO, *, longest: int | None = None) -> "Image":
    """The upright picture, first frame, as 8-bit `L` or `RGB` on white; reduced to `longest` where that is less."""
    from PIL import ImageOps

    with opened(file) as image:
        if longest is not None:
            image.draft("RGB", (longest, longest))
        decode(image)
        upright = ImageOps.exif_transpose(image)
        plain = _plain(upright)
    if longest is not None and max(plain.size) > longest:
        plain.thumbnail((longest, longest), _pillow().Resampling.LANCZOS)
    return plain


def sharpness(image: "Image") -> float:
    """The variance of the Laplacian of the grey picture: small where nothing has an edge. The same as OpenCV's."""
    import numpy as np

    grey = np.asarray(image.convert("L"), dtype=np.int32)
    if min(grey.shape) < 2:
        return 0.0
    around = np.pad(grey, 1, mode="reflect")
    edges = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * grey
    return float(edges.var(dtype=np.float64))


def perceptual_hash(image: "Image") -> str:
    """64 bits as 16 hex digits: pictures that look alike differ in few of them (`distance`)."""
    import numpy as np

    grey = image.convert("L").resize((32, 32), _pillow().Resampling.LANCZOS)
    waves = _cosines() @ np.asarray(grey, dtype=np.float64) @ _cosines().T
    low = waves[:8, :8].ravel()
    bits = low > np.median(low[1:])
    return f"{int(''.join('1' if bit else '0' for bit in bits), 2):016x}"


def distance(a: str, b: str) -> int:
    """Bits in which two perceptual hashes differ, 0 to 64; up to about 8 the pictures look the same."""
    return (int(a, 16) ^ int(b, 16)).bit_count()


@cache
def _cosines() -> "NDArray[np.float64]":
    import numpy as np

    rows, columns = np.arange(8)[:, None], np.arange(32)[None, :]
    return np.cos(np.pi * rows * (2 * columns + 1) / 64)


@cache
def _pillow() -> "ModuleType":
    from PIL import Image

    # Sizes are checked here, with our own limit and words.
    Image.MAX_IMAGE_PIXELS = None
    return Image


def opened(file: BinaryIO) -> "Image":
    """The picture, its pixels not read yet. Raises `Unreadable`, also for one that is too large."""
    pillow = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image: Image = pillow.open(file)
    except MemoryError as error:
        raise Unreadable("picture_too_large", pixels=0, limit=MAX_PIXELS) from error
    except Exception as error:
        is_empty = file.seek(0, io.SEEK_END) == 0
        raise Unreadable("picture_unreadable", reason="empty" if is_empty else "no_known_picture") from error
    pixels = image.size[0] * image.size[1]
    if pixels > MAX_PIXELS or pixels == 0:
        image.close()
        raise Unreadable("picture_too_large", pixels=pixels, limit=MAX_PIXELS)
    return image


def decode(image: "Image") -> None:
    """Reads the pixels of the first frame. Raises `Unreadable`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image.seek(0)
            image.load()
    except Exception as error:
        raise Unreadable("picture_broken", **damage(error)) from error


def _orientation(image: "Image") -> int:
    if image.format == "PNG" and not {"exif", "Raw profile type exif"} & image.info.keys():
        # Asked for it, Pillow would decode the whole picture to look behind it.
        return 1
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 — a broken EXIF block says nothing, the picture is still there
        return 1
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def _plain(image: "Image") -> "Image":
    if image.mode in {"L", "RGB"}:
        return image.copy()
    if image.mode in _DEEP_MODES:
        return _from_deep(image)
    if image.mode == "1":
        return image.convert("L")
    if image.mode in {"RGBA", "LA", "PA", "RGBa", "La"} or "transparency" in image.info:
        seen = image.convert("RGBA")
        white = _pillow().new("RGBA", seen.size, "white")
        plain: Image = _pillow().alpha_composite(white, seen).convert("RGB")
        return plain
    return image.convert("RGB")


def _from_deep(image: "Image") -> "Image":
    """16 bits and floats: all of the range for 16 bits, else from the least to the greatest value there is."""
    import numpy as np

    values = np.nan_to_num(np.asarray(image, dtype=np.float64))
    low, high = float(values.min()), float(values.max())
    if image.mode.startswith("I;16") or (low >= 0 and 255 < high <= 65535):
        low, high = 0.0, 65535.0
    elif low >= 0 and high <= 255:
        low, high = 0.0, 255.0
    scaled = (values - low) * (255.0 / (high - low)) if high > low else np.zeros_like(values)
    plain: Image = _pillow().fromarray(scaled.round().astype(np.uint8))
    return plain


def damage(error: Exception) -> dict[str, str]:
    """What a decoder found, in our words: that the end is missing is worth knowing, the rest is for programmers."""
    told = str(error).lower()
    return {"reason": "ends_early" if "truncated" in told or isinstance(error, EOFError) else "data_damaged"}
