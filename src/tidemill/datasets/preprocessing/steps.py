"""Steps of preprocessing, done to one picture and its annotations. Pure."""

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from tidemill.datasets.formats.finding import suffix_of
from tidemill.datasets.media import pictures
from tidemill.geometry.changes import Change, Crop, Flips, Mirror, Resize, Rotate, apply

if TYPE_CHECKING:
    from PIL.Image import Image

_JPEG = frozenset({".jpg", ".jpeg", ".jpe", ".jfif"})
_SAVED: dict[str, tuple[str, dict[str, Any]]] = {
    ".png": ("PNG", {"compress_level": 3}),
    ".webp": ("WEBP", {"quality": 95}),
    ".bmp": ("BMP", {}),
    ".gif": ("GIF", {}),
    ".tif": ("TIFF", {}),
    ".tiff": ("TIFF", {}),
    ".ppm": ("PPM", {}),
    ".pgm": ("PPM", {}),
}


@dataclass(slots=True)
class Done:
    """What became of a picture."""

    sharpness: float | None = None
    is_blurred: bool = False
    before: "Image | None" = None
    after: "Image | None" = None
    """None where it is blurred, nothing is to be done, or nothing is left."""
    annotations: list[dict[str, Any]] = field(default_factory=list)
    lost: int = 0
    is_outside: bool = False


def work_on(file: BinaryIO, annotations: list[dict[str, Any]], steps: dict[str, Any], flips: Flips) -> Done:
    """Does the steps, in their order. Raises pictures.Unreadable."""
    image = pictures.load(file)
    done = Done(before=image, annotations=annotations)
    if steps.get("drop_blurred"):
        done.sharpness = round(pictures.sharpness(image), 2)
        if done.sharpness < steps["drop_blurred"]["threshold"]:
            done.is_blurred = True
            return done
    size = image.size
    for change in changes_for(steps, size):
        if isinstance(change, Crop) and (change.w <= 0 or change.h <= 0):
            done.is_outside = True
            return done
        done.annotations, size, lost = apply(change, done.annotations, size, flips)
        done.lost += lost
        image = _changed(image, change)
        done.after = image
    return done


def changes_for(steps: dict[str, Any], size: tuple[int, int]) -> list[Change]:
    """The changes of a picture of that size."""
    found: list[Change] = []
    if crop := steps.get("crop"):
        window = _window(crop, size)
        found.append(window)
        size = (window.w, window.h)
    if rotate := steps.get("rotate"):
        found.append(Rotate(rotate["degrees"] // 90))
        size = size if rotate["degrees"] == 180 else (size[1], size[0])
    if mirror := steps.get("mirror"):
        found += [Mirror(axis) for axis in ("horizontal", "vertical") if mirror[axis]]
    if (resize := steps.get("resize")) and min(size) > 0:
        new = _new_size(resize, size)
        found += [Resize(*new)] if new != size else []
    return found


def encode(image: "Image", path: str) -> bytes:
    """The picture in the format its name says: JPEG at a quality that shows nothing, the rest without loss."""
    out = io.BytesIO()
    suffix = suffix_of(path)
    if suffix in _JPEG:
        image.save(out, "JPEG", quality=95, subsampling=0)
    else:
        format, options = _SAVED.get(suffix, ("PNG", {"compress_level": 3}))
        image.save(out, format, **options)
    return out.getvalue()


def can_encode(path: str) -> bool:
    """Whether a picture of that name can be written as what it is called."""
    suffix = suffix_of(path)
    return suffix in _JPEG or suffix in _SAVED


def flips_of(labels: list[dict[str, Any]], *, by: str = "name") -> Flips:
    """Pairs of keypoints that change places in a mirror, by label."""
    return {label[by]: label["skeleton"]["flips"] for label in labels if label.get("skeleton")}


def _window(crop: dict[str, Any], size: tuple[int, int]) -> Crop:
    across, down = size if crop["unit"] == "share" else (1, 1)
    left, top = round(crop["x"] * across), round(crop["y"] * down)
    right, bottom = round((crop["x"] + crop["w"]) * across), round((crop["y"] + crop["h"]) * down)
    right, bottom = min(right, size[0]), min(bottom, size[1])
    return Crop(left, top, right - left, bottom - top, crop["keep"])


def _new_size(resize: dict[str, Any], size: tuple[int, int]) -> tuple[int, int]:
    width, height = resize["width"], resize["height"]
    if width and height and resize["fit"] == "stretch":
        return width, height
    scales = [side / old for side, old in ((width, size[0]), (height, size[1])) if side]
    scale = min(scales)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _changed(image: "Image", change: Change) -> "Image":
    from PIL.Image import Resampling, Transpose

    match change:
        case Crop():
            return image.crop((change.x, change.y, change.x + change.w, change.y + change.h))
        case Rotate():
            turns = {1: Transpose.ROTATE_270, 2: Transpose.ROTATE_180, 3: Transpose.ROTATE_90}
            return image.transpose(turns[change.quarters]) if change.quarters % 4 else image
        case Mirror():
            sideways = change.axis == "horizontal"
            return image.transpose(Transpose.FLIP_LEFT_RIGHT if sideways else Transpose.FLIP_TOP_BOTTOM)
        case Resize():
            return image.resize((change.w, change.h), Resampling.LANCZOS)
