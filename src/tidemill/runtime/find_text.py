"""Where text is in a picture: a detector whose map of chances becomes regions. PP-OCR's, or one trained here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from tidemill.runtime import pictures, text_regions
from tidemill.runtime.sessions import Session
from tidemill.runtime.text_regions import Region

PADDLE: Mapping[str, Any] = {"channels": "BGR", "short_side": 736, "long_side": 2000, "unclip": 1.6, "smallest": 3.0}
"""How PP-OCR's detectors are used: small pictures are enlarged."""
PARTS = 32
_MEAN, _STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class TextFinder:
    """`how` says how pictures go in and how much larger than in the map the regions are."""

    def __init__(self, file: Path, how: Mapping[str, Any] = PADDLE) -> None:
        self._session, self._how = Session(file), how

    def find(self, picture: Image.Image) -> list[Region]:
        """Regions in the picture's own pixels."""
        how = self._how
        size = input_size(picture, how)
        spec = {"size": size, "fit": "stretch", "channels": how["channels"], "scale": 255, "mean": _MEAN, "std": _STD}
        chances = self._session.run_rows(pictures.prepared(picture, spec)[None])[0]
        chances = chances.reshape(chances.shape[-2:])
        share = [picture.width / chances.shape[1], picture.height / chances.shape[0]]
        found = text_regions.find(chances, unclip=how["unclip"], smallest=how["smallest"])
        return [Region(one.corners * share, one.score) for one in found]


def input_size(picture: Any, how: Mapping[str, Any]) -> list[int]:
    """Height and width of the detector's input, multiples of 32."""
    longer, shorter = max(picture.width, picture.height), min(picture.width, picture.height)
    share = how["long_side"] / longer
    if "short_side" in how:
        share = min(share, max(1.0, how["short_side"] / shorter))
    return [max(PARTS, round(side * share / PARTS) * PARTS) for side in (picture.height, picture.width)]
