"""LabelMe's masks: a small PNG in base64, placed by two corners."""

import base64
import io
from typing import Any

from tidemill.datasets.formats.base import Annotation
from tidemill.datasets.media import pictures
from tidemill.datasets.reasons import Malformed
from tidemill.geometry import rle


def mask_of(text: Any, corners: list[tuple[float, float]], width: int | None, height: int | None) -> Annotation:
    """The mask over the whole picture. Raises ValueError."""
    import numpy as np

    if not width or not height or width * height > rle.MAX_PIXELS:
        raise Malformed("mask_without_size")
    try:
        image = pictures.load(io.BytesIO(base64.b64decode(text)))
    except (pictures.Unreadable, TypeError, ValueError) as error:
        raise Malformed("mask_damaged") from error
    part = np.asarray(image.convert("L")) > 0
    left, top = round(min(x for x, _ in corners)), round(min(y for _, y in corners))
    whole = np.zeros((height, width), dtype=bool)
    seen = part[max(-top, 0) :, max(-left, 0) :][: max(height - max(top, 0), 0), : max(width - max(left, 0), 0)]
    whole[max(top, 0) : max(top, 0) + seen.shape[0], max(left, 0) : max(left, 0) + seen.shape[1]] = seen
    if not whole.any():
        raise Malformed("mask_empty")
    return {"type": "mask", "size": [height, width], "rle": rle.text_of(rle.encode(whole))}


def text_of(annotation: Annotation) -> tuple[str, list[list[float]]]:
    """The PNG and its two corners."""
    from PIL import Image

    height, width = annotation["size"]
    counts = rle.check(annotation["rle"], height, width)
    x, y, w, h = rle.bounds(counts, height)
    part = rle.decode(counts, height, width)[y : y + h, x : x + w]
    out = io.BytesIO()
    Image.fromarray(part).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode("ascii"), [[x, y], [x + w - 1, y + h - 1]]
