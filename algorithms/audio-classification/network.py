"""The network: a picture of the sound's pitches over time, made inside the model, and convolutions over it."""

import math
from itertools import pairwise

import numpy as np
import torch
from torch import nn


class Spectrogram(nn.Module):
    """Loudness by pitch (mel scale) and time, on a logarithmic scale. Plain convolutions, so that ONNX can say it."""

    def __init__(self, rate: int, bands: int = 48, frame_s: float = 0.032, step_s: float = 0.012) -> None:
        super().__init__()
        frame = 2 ** round(math.log2(rate * frame_s))
        window = np.hanning(frame)
        angles = 2 * np.pi * np.outer(np.arange(frame // 2 + 1), np.arange(frame)) / frame
        waves = np.concatenate([np.cos(angles), np.sin(angles)]) * window
        self.step = max(1, int(rate * step_s))
        self.half = frame // 2 + 1
        self.register_buffer("waves", torch.tensor(waves[:, None], dtype=torch.float32), persistent=False)
        self.register_buffer("mel", torch.tensor(_mel(rate, frame, bands), dtype=torch.float32), persistent=False)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        both = nn.functional.conv1d(samples[:, None], self.waves, stride=self.step)
        power = both[:, : self.half] ** 2 + both[:, self.half :] ** 2
        loud = torch.log(torch.matmul(self.mel, power) + 1e-5)
        mean = loud.mean(dim=(1, 2), keepdim=True)
        spread = (loud - mean).pow(2).mean(dim=(1, 2), keepdim=True).sqrt()
        return (loud - mean) / (spread + 1e-3)


class SoundNet(nn.Module):
    """Samples in, a number a class out."""

    def __init__(self, classes: int, rate: int, width: int = 24, hidden: float = 0.3) -> None:
        super().__init__()
        self.spectrogram = Spectrogram(rate)
        widths = [1, width, width * 2, width * 3, width * 4]
        self.blocks = nn.Sequential(*[_block(a, b) for a, b in pairwise(widths)])
        self.dropout = nn.Dropout(hidden)
        self.last = nn.Linear(widths[-1] * 2, classes)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        seen = self.spectrogram(samples)
        if self.training:
            seen = covered(seen)
        found = self.blocks(seen[:, None])
        joined = torch.cat([found.mean(dim=(2, 3)), found.amax(dim=(2, 3))], dim=1)
        numbers: torch.Tensor = self.last(self.dropout(joined))
        return numbers


def covered(seen: torch.Tensor) -> torch.Tensor:
    """Some pitches and some moments taken away, others for each sound: none may count alone."""
    count, bands, steps = seen.shape
    for axis, length in ((1, bands), (2, steps)):
        wide = torch.rand(count, 1, device=seen.device) * length * 0.2
        begin = torch.rand(count, 1, device=seen.device) * (length - wide)
        at = torch.arange(length, device=seen.device)[None]
        hidden = (at >= begin) & (at < begin + wide)
        seen = seen.masked_fill(hidden[:, :, None] if axis == 1 else hidden[:, None, :], 0.0)
    return seen


def _block(given: int, made: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(given, made, 3, padding=1, bias=False),
        nn.BatchNorm2d(made),
        nn.ReLU(),
        nn.MaxPool2d(2, ceil_mode=True),
    )


def _mel(rate: int, frame: int, bands: int) -> np.ndarray:
    """How much each frequency counts in each band: triangles, evenly apart as the ear hears it."""
    top = 2595 * math.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    hertz = np.linspace(0, rate / 2, frame // 2 + 1)
    rising = (hertz[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz[None]) / (edges[2:] - edges[1:-1])[:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    # A band narrower than the frequencies are apart still hears the nearest one.
    for band in np.nonzero(triangles.sum(axis=1) == 0)[0]:
        triangles[band, np.abs(hertz - edges[band + 1]).argmin()] = 1.0
    return triangles
