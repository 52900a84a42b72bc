"""How many epochs fit into the time there is, by the speed that was measured."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

KEPT_FOR_THE_END = 0.12
"""Share of the time that exporting and evaluating are given."""


@dataclass
class Budget:
    """Plans epochs. Time that earlier attempts of the same run took counts."""

    epochs: int
    total_s: float = 0
    spent_before_s: float = 0
    clock: Callable[[], float] = time.monotonic
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()
        self.planned = self.epochs

    @property
    def spent_s(self) -> float:
        return self.spent_before_s + self.clock() - self._began

    @property
    def left_s(self) -> float:
        """For learning alone."""
        return self.total_s * (1 - KEPT_FOR_THE_END) - self.spent_s

    @property
    def is_over(self) -> bool:
        return self.total_s > 0 and self.left_s <= 0

    def plan(self, done: float, epoch_s: float) -> int:
        """Epochs in all, when `done` (perhaps not whole) are over and one takes so long; never more than asked for."""
        if self.total_s > 0 and epoch_s > 0:
            fitting = int(done + max(0.0, self.left_s) / epoch_s)
            self.planned = max(1, min(self.epochs, fitting))
        return self.planned

    def remaining_s(self, done: float, epoch_s: float) -> float:
        return max(0.0, (self.planned - done) * epoch_s)
