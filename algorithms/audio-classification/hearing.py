"""Sounds of the dataset as tensors: moved, stretched and with noise for learning, plain for validation."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from tidemill.learn.classifying import Classes
from tidemill.runtime import sounds
from tidemill.sdk.data import Dataset, Item

RATE_MIN, RATE_MAX = 8000, 16000
SHORTEST_S, LONGEST_S = 0.5, 10.0
KEPT_BYTES = 1 << 29


def input_spec(items: Dataset, rate: int, seconds: float) -> dict[str, Any]:
    """As told. What is not: the rate by the first sound, the length so that nearly all sounds are heard whole."""
    if not rate:
        rate = min(RATE_MAX, max(RATE_MIN, sounds.own_rate(items[0])))
    if not seconds:
        lengths = [item.duration for item in items if item.duration]
        seconds = float(np.quantile(lengths, 0.95)) if lengths else 2.0
        seconds = round(min(max(seconds, SHORTEST_S), LONGEST_S), 2)
    return {"kind": "sound", "rate": rate, "seconds": seconds}


class Sounds(torch.utils.data.Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Sounds for learning, each time a little different."""

    def __init__(self, items: Dataset, classes: Classes, spec: Mapping[str, Any], augmentation: str) -> None:
        self._items, self._classes, self._rate = items, classes, int(spec["rate"])
        self._length = int(spec["rate"] * spec["seconds"])
        self._strength = {"none": 0.0, "light": 0.5, "strong": 1.0}[augmentation]
        self._kept: dict[int, tuple[np.ndarray, torch.Tensor]] = {}
        self._room = KEPT_BYTES // (4 * self._length)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        samples, target = self._kept.get(index) or self._read(index)
        return torch.from_numpy(self._changed(samples)), target

    def _read(self, index: int) -> tuple[np.ndarray, torch.Tensor]:
        item = self._items[index]
        found = sounds.read(item, self._rate), self._classes.target(item)
        if len(self._kept) < self._room:
            self._kept[index] = found
        return found

    def _changed(self, samples: np.ndarray) -> np.ndarray:
        if not self._strength:
            return sounds.windows(samples, self._length)[0]
        speed = 1 + random.uniform(-0.12, 0.12) * self._strength
        samples = sounds.resampled(samples, self._rate, round(self._rate * speed))
        spare = self._length - len(samples)
        if spare >= 0:
            before = random.randint(0, spare)
            samples = np.pad(samples, (before, spare - before))
        else:
            begin = random.randint(0, -spare)
            samples = samples[begin : begin + self._length]
        samples = samples * random.uniform(1 - 0.5 * self._strength, 1 + 0.5 * self._strength)
        noise = random.uniform(0, 0.02) * self._strength * float(np.abs(samples).max(initial=0.0))
        return (samples + np.random.default_rng(random.getrandbits(32)).normal(0, 1, len(samples)) * noise).astype(
            np.float32
        )


def plain(items: Sequence[Item], spec: Mapping[str, Any]) -> torch.Tensor:
    """The first piece of each sound, as the runtime prepares it."""
    length = int(spec["rate"] * spec["seconds"])
    rows = [sounds.windows(sounds.read(item, int(spec["rate"])), length)[0] for item in items]
    return torch.from_numpy(np.stack(rows))
