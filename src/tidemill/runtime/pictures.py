"""Pictures as arrays, as a model's `input` says.

{"kind": "image", "size": [height, width], "fit": "crop" | "stretch" | "pad", "channels": "RGB" | "BGR",
 "layout": "NCHW" | "NHWC", "dtype": "float32" | "uint8", "scale": 255, "mean": […], "std": […], "fill": 114}
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from tidemill.runtime.content import content
from tidemill.runtime.model import Input
from tidemill.sdk.data import Item

Array = Any
PIXELS_MAX = 200_000_000
Image.MAX_IMAGE_PIXELS = PIXELS_MAX


class NoPicture(ValueError):
    """The content cannot be read as a picture."""


@dataclass(frozen=True, slots=True)
class ReadyItem(Item):
    """An item whose picture was read before it is looked at."""

    picture: Image.Image | None = None

    @classmethod
    def of(cls, item: Item) -> Item:
        """The item with its picture; as it was where that cannot be read, so that whoever looks at it says why."""
        try:
            picture = read(item)
        except Exception:  # noqa: BLE001 — decoders raise anything on hostile bytes
            return item
        return cls(**{one.name: getattr(item, one.name) for one in fields(Item)}, picture=picture)


def read(given: Input) -> Image.Image:
    """The upright picture in RGB; annotations are in its pixels."""
    if isinstance(given, ReadyItem) and given.picture is not None:
        return given.picture
    try:
        return upright(Image.open(io.BytesIO(content(given))))
    except UnidentifiedImageError as error:
        # Pillow's own words name an object in memory.
        raise NoPicture("the file is no picture of a known format, or is damaged") from error


def upright(picture: Image.Image) -> Image.Image:
    turned = ImageOps.exif_transpose(picture)
    if turned.mode in {"I;16", "I", "F"}:
        values = np.asarray(turned, dtype=np.float64)
        span = values.max() - values.min()
        turned = Image.fromarray(((values - values.min()) / (span or 1) * 255).astype(np.uint8))
    if turned.mode in {"RGBA", "LA", "PA"} or (turned.mode == "P" and "transparency" in turned.info):
        ground = Image.new("RGBA", turned.size, "white")
        ground.alpha_composite(turned.convert("RGBA"))
        turned = ground
    return turned.convert("RGB")


def prepared(picture: Image.Image, spec: Mapping[str, Any]) -> Array:
    """The picture as one row of the model's input."""
    return normalised(np.asarray(fitted(picture, spec), dtype=np.float32), spec)


def fitted(picture: Image.Image, spec: Mapping[str, Any]) -> Image.Image:
    """The picture in the model's size: cut to its shape, stretched, or with a margin right and below."""
    height, width = spec["size"]
    fit = spec.get("fit", "crop")
    if fit == "stretch":
        return picture.resize((width, height), Image.Resampling.BILINEAR)
    if fit == "crop":
        return ImageOps.fit(picture, (width, height), Image.Resampling.BILINEAR)
    scale = min(width / picture.width, height / picture.height)
    small = picture.resize(
        (max(1, round(picture.width * scale)), max(1, round(picture.height * scale))), Image.Resampling.BILINEAR
    )
    ground = Image.new("RGB", (width, height), (int(spec.get("fill", 114)),) * 3)
    ground.paste(small, (0, 0))
    return ground


def normalised(pixels: Array, spec: Mapping[str, Any]) -> Array:
    """Pixels (height, width, 3; 0 to 255) in the numbers and the layout the model takes."""
    if spec.get("channels") == "BGR":
        pixels = pixels[..., ::-1]
    if spec.get("dtype") == "uint8":
        pixels = np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
    else:
        pixels = pixels / np.float32(spec.get("scale") or 1)
        if spec.get("mean") is not None:
            pixels = (pixels - np.array(spec["mean"], np.float32)) / np.array(spec["std"], np.float32)
        pixels = pixels.astype(np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1) if spec.get("layout", "NCHW") == "NCHW" else pixels)
