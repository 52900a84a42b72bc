"""Text recognition: lines of text in a picture, read one by one.

Lines are read where somebody marked them. In a picture without marks a detector finds them, where the model has one
(`detector.onnx`); without, a picture that looks like a line is taken for one, and of any other nothing is said.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tidemill.runtime import pictures, text_lines
from tidemill.runtime.find_text import PADDLE, TextFinder
from tidemill.runtime.model import Annotation, Facts, Input, OnnxModel, Prediction
from tidemill.sdk.data import Item

DETECTOR = "detector.onnx"
AT_ONCE = 16
LINE_LIKE = 2.5
"""A picture so much wider than high is one line."""
THRESHOLD = 0.5


class TextReader(OnnxModel):
    """A model of the `ocr` algorithm. Its `input` has the line's `height`, the `most` width, and the `letters`."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        detector = folder / DETECTOR
        how = facts.input.get("finder") or PADDLE
        self._finder = TextFinder(detector, how) if detector.is_file() else None

    @property
    def labels(self) -> list[str]:
        return self.facts.names or ["text"]

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        level = THRESHOLD if threshold is None else threshold
        return [self._read(item, pictures.read(item), level) for item in items]

    def _read(self, item: Input, picture: Image.Image, threshold: float) -> Prediction:
        regions = self._regions(item, picture)
        if not regions:
            return Prediction(uncertainty=0.0 if self._finder is not None else 1.0)
        spec = self.facts.input
        lines = [text_lines.cut_out(picture, corners) for corners, _ in regions]
        texts = read_lines(lines, spec, lambda batch: self.session.run_rows(batch)[0])
        found = [
            shape | {"text": text, "score": round(score, 6)}
            for (_, shape), (text, score) in zip(regions, texts, strict=True)
            if score >= threshold and text
        ]
        doubt = 1 - float(np.mean([score for _, score in texts]))
        return Prediction(annotations=found, uncertainty=round(min(1.0, max(0.0, doubt)), 6))

    def _regions(self, item: Input, picture: Image.Image) -> list[tuple[Any, Annotation]]:
        """Corners of the lines, and the annotation that each becomes."""
        marked = marked_regions(item.annotations) if isinstance(item, Item) else []
        if marked:
            return marked
        label = {"label": self.labels[0]}
        if self._finder is not None:
            found = self._finder.find(picture)
            return [(one.corners, text_lines.region(one.corners, picture) | label) for one in found]
        if picture.width < LINE_LIKE * picture.height:
            return []
        whole = {"type": "box", "x": 0.0, "y": 0.0, "w": float(picture.width), "h": float(picture.height)}
        corners = text_lines.corners_of(whole)
        return [(corners, whole | label)]


def marked_regions(annotations: Sequence[Annotation]) -> list[tuple[Any, Annotation]]:
    """Regions somebody marked: their corners, and the shape itself with its label."""
    found = []
    for one in annotations:
        corners = text_lines.corners_of(one) if one["type"] in ("box", "polygon") else None
        if corners is not None:
            kept = {key: value for key, value in one.items() if key in _SHAPE}
            found.append((corners, kept))
    return found


_SHAPE = frozenset({"type", "label", "x", "y", "w", "h", "angle", "rings", "holes"})


def read_lines(lines: Sequence[Image.Image], spec: Any, run: Any) -> list[tuple[str, float]]:
    """Text and sureness of each line; lines of much the same length go in together."""
    order = sorted(range(len(lines)), key=lambda place: lines[place].width / lines[place].height)
    texts: list[tuple[str, float]] = [("", 0.0)] * len(lines)
    for begin in range(0, len(order), AT_ONCE):
        places = order[begin : begin + AT_ONCE]
        pixels = [line_pixels(lines[place], spec) for place in places]
        chances = run(padded(pixels))
        for place, row, own in zip(places, chances, pixels, strict=True):
            used = max(1, -(-own.shape[1] // int(spec["stride"])))
            texts[place] = text_lines.read(row[:used], spec["letters"])
    return texts


def line_pixels(line: Image.Image, spec: Any) -> Any:
    """Grey values around zero, height by width."""
    shown = text_lines.fitted(line.convert("L"), int(spec["height"]), int(spec["most"]))
    return np.asarray(shown, dtype=np.float32) / 127.5 - 1


def padded(lines: Sequence[Any]) -> Any:
    """Lines of one height as a batch (line, 1, height, width); the margin is as grey as nothing."""
    width = -(-max(line.shape[1] for line in lines) // 8) * 8
    batch = np.zeros((len(lines), 1, lines[0].shape[0], width), np.float32)
    for place, line in enumerate(lines):
        batch[place, 0, :, : line.shape[1]] = line
    return batch
