"""How many epochs fit into the time there is, by the speed that was measured."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

KEPT_FOR_THE_END = 0.12
"""Share of the time that exporting and evaluating are given at least, and at most half of it."""
END_LOOKS = 3
"""Exporting and evaluating take about as long as so many looks at the items kept apart."""


@dataclass
class Budget:
    """Plans epochs. Time that earlier attempts of the same run took counts."""

    epochs: int
    total_s: float = 0
    spent_before_s: float = 0
    clock: Callable[[], float] = time.monotonic
    look_s: float = 0
    """How long looking at the items kept apart takes."""
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
        end_s = max(self.total_s * KEPT_FOR_THE_END, min(self.total_s / 2, END_LOOKS * self.look_s))
        return self.total_s - end_s - self.spent_s

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


def process_age_s(script: Path) -> float:
    """How long the process of a script has been there: loading libraries is waited for too.

    0 where the script runs within another program, or where the system does not tell.
    """
    stat = Path("/proc/self/stat")
    if script.name not in {Path(word).name for word in sys.orig_argv} or not stat.is_file():
        return 0.0
    # The 22nd field, in ticks since the machine started; the second is a name in brackets that may have blanks.
    began = int(stat.read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
