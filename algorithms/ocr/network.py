"""The network: convolutions that turn a line of text into a row of columns, and a memory that reads them both ways."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

WIDTHS = {"tiny": (24, 48, 96, 96), "small": (32, 64, 128, 192), "medium": (48, 96, 192, 320)}
STRIDE = 4
"""Pixels of the line to a column."""


class Reader(nn.Module):
    """Lines (line, 1, height, width) in, a number for each letter and column out; the first letter is none."""

    def __init__(self, letters: int, height: int, *, model: str = "small") -> None:
        super().__init__()
        a, b, c, d = WIDTHS[model]
        self.see = nn.Sequential(
            *_block(1, a),
            nn.MaxPool2d(2),
            *_block(a, b),
            nn.MaxPool2d(2),
            *_block(b, c),
            *_block(c, c),
            nn.MaxPool2d((2, 1)),
            *_block(c, d),
            *_block(d, d),
            nn.MaxPool2d((2, 1)),
        )
        self.squeeze = nn.Conv2d(d, d, (height // 16, 1))
        self.norm = nn.BatchNorm2d(d)
        self.read = nn.LSTM(d, d // 2, num_layers=2, bidirectional=True, batch_first=True)
        self.letters = nn.Linear(d, letters + 1)

    def forward(self, lines: Tensor) -> Tensor:
        columns = nn.functional.relu(self.norm(self.squeeze(self.see(lines))))
        remembered, _ = self.read(columns.squeeze(2).transpose(1, 2))
        found: Tensor = self.letters(remembered)
        return found


class ReaderAndFinder(nn.Module):
    """Both learn in the same steps; without a finder lines are only read."""

    def __init__(self, reader: Reader, finder: nn.Module | None) -> None:
        super().__init__()
        self.reader, self.finder = reader, finder

    def forward(self, lines: Tensor, find: Callable[[nn.Module], Tensor] | None = None) -> tuple[Tensor, Tensor | None]:
        """What the reader says of lines, and what `find` makes of the finder."""
        if self.finder is None:
            return self.reader(lines), None
        # Where there is nothing to find every weight still has its part: processes that share gradients wait for all.
        nothing = sum(weight.sum() for weight in self.finder.parameters()) * 0
        return self.reader(lines), nothing if find is None else find(self.finder)


class Chances(nn.Module):
    """What goes into the ONNX file."""

    def __init__(self, inner: Reader) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, lines: Tensor) -> Tensor:
        return torch.softmax(self.inner(lines), dim=-1)


def keep_letters(reader: Reader, given: dict[str, Tensor], old: Sequence[str], new: Sequence[str]) -> int:
    """Takes over what an earlier model knows of each letter, wherever that stood; how many letters were known."""
    weight, bias = given.get("reader.letters.weight"), given.get("reader.letters.bias")
    if weight is None or bias is None or weight.shape[1] != reader.letters.weight.shape[1]:
        return 0
    places = {letter: place + 1 for place, letter in enumerate(old)}
    known = 0
    with torch.no_grad():
        reader.letters.weight[0], reader.letters.bias[0] = weight[0], bias[0]
        for place, letter in enumerate(new):
            if letter in places and places[letter] < len(weight):
                reader.letters.weight[place + 1] = weight[places[letter]]
                reader.letters.bias[place + 1] = bias[places[letter]]
                known += 1
    return known


def _block(inside: int, outside: int) -> list[nn.Module]:
    return [nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)]
