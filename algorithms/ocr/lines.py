"""Lines of text to learn from: cut out of their pictures, changed by chance, their letters as numbers."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from finder import Pieces
from PIL import Image, ImageFilter

from tidemill.runtime import pictures, text_lines
from tidemill.runtime.read_text import marked_regions, padded
from tidemill.sdk.data import Dataset

ROOM_BYTES = 1 << 29
PIECES = 0.08
"""How many pieces of pictures there are to a line: a piece costs as much as a dozen of them."""
LARGER = 1.5
"""Lines are kept so much higher than the network sees them: they are pulled about before they are made small."""


Sample = tuple[np.ndarray, list[int], tuple[np.ndarray, np.ndarray] | None]


class Lines:
    """The readable lines of items, grey, upright, with their texts. As many as fit are kept in memory."""

    def __init__(self, items: Dataset, height: int, most: int, *, ignore_case: bool = False) -> None:
        self.texts: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._kept: dict[int, Image.Image] = {}
        self._items, self._height, self._most = items, round(height * LARGER), round(most * LARGER)
        room = ROOM_BYTES
        for number, item in enumerate(items):
            wanted = [(place, text) for place, text in readable(item.annotations, ignore_case) if len(text) * 4 <= most]
            if not wanted:
                continue
            picture = pictures.read(item) if room > 0 else None
            for place, text in wanted:
                if picture is not None:
                    line = self._cut(picture, item.annotations, place)
                    room -= line.width * line.height
                    self._kept[len(self.texts)] = line
                self.texts.append(text)
                self._places.append((number, place))

    def __len__(self) -> int:
        return len(self.texts)

    def get(self, index: int) -> Image.Image:
        kept = self._kept.get(index)
        if kept is not None:
            return kept
        number, place = self._places[index]
        item = self._items[number]
        return self._cut(pictures.read(item), item.annotations, place)

    def _cut(self, picture: Image.Image, annotations: Sequence[dict[str, object]], place: int) -> Image.Image:
        ((corners, _),) = marked_regions([annotations[place]])
        return text_lines.fitted(text_lines.cut_out(picture, corners).convert("L"), self._height, self._most)


class MovedLines(torch.utils.data.Dataset[Sample]):
    """Lines as the network sees them, changed by chance, their letters, and now and then a piece of a picture."""

    def __init__(
        self,
        lines: Lines,
        letters: Sequence[str],
        spec: dict[str, Any],
        strength: str,
        pieces: Pieces | None,
        repeat: int,
    ) -> None:
        self._lines, self._height, self._most, self._strength = lines, spec["height"], spec["most"], strength
        self._numbers = {letter: place + 1 for place, letter in enumerate(letters)}
        self._pieces, self._repeat = pieces, repeat

    def __len__(self) -> int:
        return len(self._lines) * self._repeat

    def __getitem__(self, index: int) -> Sample:
        wants_piece = self._pieces is not None and random.random() < PIECES
        piece = self._pieces.draw() if wants_piece and self._pieces is not None else None
        index %= len(self._lines)
        line = moved(self._lines.get(index), self._strength)
        shown = text_lines.fitted(line, self._height, self._most)
        pixels = recoloured(np.asarray(shown, dtype=np.float32) / 127.5 - 1, self._strength)
        return pixels, [self._numbers[letter] for letter in self._lines.texts[index]], piece


def readable(annotations: Sequence[dict[str, object]], ignore_case: bool) -> list[tuple[int, str]]:
    """Places and texts of the regions that somebody could read."""
    found = []
    for place, one in enumerate(annotations):
        text = str(one.get("text") or "").strip()
        if text and not one.get("ignore") and one["type"] in ("box", "polygon"):
            found.append((place, text.lower() if ignore_case else text))
    return found


def moved(line: Image.Image, strength: str) -> Image.Image:
    """Slanted, squeezed, cut a little at the edges and blurred, by chance."""
    if strength == "none":
        return line
    far = 0.5 if strength == "light" else 1.0
    slant = random.uniform(-0.12, 0.12) * far
    squeeze = 1 + random.uniform(-0.15, 0.15) * far
    up, down = (random.uniform(-0.08, 0.08) * far * line.height for _ in range(2))
    size = (max(4, round(line.width * squeeze)), line.height)
    tall = (line.height - up - down) / line.height
    matrix = (1 / squeeze, slant, -slant * line.height / 2, 0.0, tall, up)
    edge = int(np.median(np.asarray(line)))
    line = line.transform(size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=edge)
    if random.random() < 0.3 * far:
        line = line.filter(ImageFilter.GaussianBlur(random.uniform(0.3, 1.2)))
    return line


def recoloured(pixels: np.ndarray, strength: str) -> np.ndarray:
    """More or less contrast, lighter or darker, a little noise; sometimes light on dark."""
    if strength == "none":
        return pixels
    far = 0.5 if strength == "light" else 1.0
    pixels = pixels * (1 + random.uniform(-0.4, 0.3) * far) + random.uniform(-0.3, 0.3) * far
    if random.random() < 0.5:
        noise = np.random.default_rng(random.getrandbits(32))
        pixels = pixels + noise.normal(0, 0.06 * far, pixels.shape)
    return np.clip(pixels, -1.2, 1.2).astype(np.float32)


def collate(samples: list[Sample]) -> dict[str, torch.Tensor]:
    """Lines, their widths, all letters one after another, how many each line has; pieces and their maps."""
    lines, letters, drawn = zip(*samples, strict=True)
    batch = {
        "lines": torch.from_numpy(padded(lines)),
        "widths": torch.tensor([line.shape[1] for line in lines]),
        "letters": torch.tensor([number for own in letters for number in own]),
        "counts": torch.tensor([len(own) for own in letters]),
    }
    pieces = [piece for piece in drawn if piece is not None]
    if pieces:
        batch["pieces"] = torch.from_numpy(np.stack([piece for piece, _ in pieces]))
        batch["middles"] = torch.from_numpy(np.stack([middles for _, middles in pieces]))
    return batch
