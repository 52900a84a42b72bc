"""Long work in short steps: as much at once as keeps nobody waiting for long, and a moment's rest between."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

TARGET_S = 0.06
"""How long a step may hold the database."""
SMALLEST, LARGEST = 200, 50_000


class Pace:
    """How many rows the next step takes, by how long the last one took."""

    def __init__(self, size: int = 2000) -> None:
        self.size = size

    @contextmanager
    def step(self) -> Iterator[int]:
        """One step, which is told its size; then a rest, in which those who wait have their turn."""
        began = time.monotonic()
        yield self.size
        took = time.monotonic() - began
        wanted = self.size * TARGET_S / max(took, 0.001)
        self.size = int(min(LARGEST, max(SMALLEST, (self.size + wanted) / 2)))
        time.sleep(min(0.02, took / 10))
