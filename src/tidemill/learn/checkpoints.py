"""Where a training is, on disk: whole or not at all, and nothing in it that could run code."""

import os
import time
from pathlib import Path
from typing import Any

import torch

KEEP = 2
COST_MAX = 0.1
"""Writing takes at most this share of the time."""


class Checkpoints:
    """Writes one an epoch, where that does not hold up the training, and keeps the newest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cost_s = 0.0
        self._written_at: float | None = None

    def write(self, epoch: int, state: dict[str, Any], *, must: bool = False) -> None:
        """Writes the state after an epoch; it is skipped where the last one took long and was just written."""
        now = time.monotonic()
        if not must and self._written_at is not None and self._cost_s > COST_MAX * (now - self._written_at):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f".epoch-{epoch:05d}.pt.tmp"
        with part.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self._folder / f"epoch-{epoch:05d}.pt")
        self._remove_old()
        self._written_at = time.monotonic()
        self._cost_s = self._written_at - now

    def _remove_old(self) -> None:
        for old in sorted(self._folder.glob("epoch-*.pt"))[:-KEEP]:
            old.unlink()


def read(file: Path | None, device: Any) -> dict[str, Any] | None:
    """The state to go on from."""
    if file is None:
        return None
    found: dict[str, Any] = torch.load(file, map_location=device, weights_only=True)
    return found
