"""PP-OCR: text found and read, Chinese and English. Three files: where, which way up, what."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tidemill.runtime import pictures, text_lines
from tidemill.runtime.find_text import TextFinder
from tidemill.runtime.model import Annotation, Facts, Input, Model, Prediction, Unfit
from tidemill.runtime.sessions import Session, metadata

LINE_HEIGHT, LINE_MOST = 48, 2400
TURNED_SIZE = (48, 192)
TURNED_SURE = 0.9
THRESHOLD = 0.5
AT_ONCE = 8


class PaddleOcr(Model):
    """Regions with their text. The direction file may be missing: then all lines are taken to be the right way up."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        super().__init__(folder, facts)
        reader = get_file(folder, "rec")
        self._finder = TextFinder(get_file(folder, "det"))
        self._reader = Session(reader)
        turned = find_file(folder, "cls")
        self._turned = Session(turned) if turned is not None else None
        self._letters = [*metadata(reader).get("character", "").split("\n"), " "]
        if len(self._letters) + 1 != self._reader.outputs[0]["shape"][-1]:
            raise Unfit(f"{reader}: the letters in its metadata are not those of its output")

    @property
    def labels(self) -> list[str]:
        return self.facts.names or ["text"]

    def predict(self, items: Sequence[Input], *, threshold: float | None = None) -> list[Prediction]:
        level = THRESHOLD if threshold is None else threshold
        return [self._read(pictures.read(item), level) for item in items]

    def _read(self, picture: Image.Image, threshold: float) -> Prediction:
        regions = self._finder.find(picture)
        lines = [self._upright(text_lines.cut_out(picture, one.corners)) for one in regions]
        found: list[Annotation] = []
        scores: list[float] = []
        for region, (text, score) in zip(regions, self._texts(lines), strict=True):
            if not text.strip():
                continue
            scores.append(score)
            if score >= threshold:
                shape = text_lines.region(region.corners, picture)
                found.append(shape | {"label": self.labels[0], "text": text, "score": round(score, 6)})
        doubt = 1 - float(np.mean(scores)) if scores else 0.0
        return Prediction(annotations=found, uncertainty=round(doubt, 6))

    def _upright(self, line: Image.Image) -> Image.Image:
        if self._turned is None:
            return line
        shown = _line_pixels(line, TURNED_SIZE[0], TURNED_SIZE[1])
        chances = self._turned.run_rows(_padded([shown], TURNED_SIZE[1]))[0][0]
        is_turned = chances[1] > max(chances[0], TURNED_SURE)
        return line.transpose(Image.Transpose.ROTATE_180) if is_turned else line

    def _texts(self, lines: Sequence[Image.Image]) -> list[tuple[str, float]]:
        """Lines of much the same length go in together: the others' margins would cost as much as their text."""
        order = sorted(range(len(lines)), key=lambda place: lines[place].width / lines[place].height)
        texts: list[tuple[str, float]] = [("", 0.0)] * len(lines)
        for begin in range(0, len(order), AT_ONCE):
            places = order[begin : begin + AT_ONCE]
            shown = [_line_pixels(lines[place], LINE_HEIGHT, LINE_MOST) for place in places]
            chances = self._reader.run_rows(_padded(shown, max(one.shape[2] for one in shown)))[0]
            for place, row in zip(places, chances, strict=True):
                texts[place] = text_lines.read(row, self._letters)
        return texts


def find_file(folder: Path, part: str) -> Path | None:
    """The file of a part (`det`, `cls`, `rec`) by its name."""
    return next((file for file in sorted(folder.glob("*.onnx")) if f"_{part}" in file.name or file.stem == part), None)


def get_file(folder: Path, part: str) -> Path:
    file = find_file(folder, part)
    if file is None:
        raise Unfit(f"{folder} holds no .onnx file with “_{part}” in its name")
    return file


def _line_pixels(line: Image.Image, height: int, most: int) -> Any:
    spec = {"channels": "BGR", "scale": 255, "mean": [0.5] * 3, "std": [0.5] * 3}
    shown = text_lines.fitted(line, height, most)
    return pictures.normalised(np.asarray(shown, dtype=np.float32), spec)


def _padded(lines: Sequence[Any], width: int) -> Any:
    width = math.ceil(width / 8) * 8
    batch = np.zeros((len(lines), *lines[0].shape[:2], width), np.float32)
    for place, line in enumerate(lines):
        batch[place, :, :, : line.shape[2]] = line
    return batch
