"""How long, and how often, to try again."""

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits that double from `first_s` up to `longest_s`, until `total_s` is spent."""

    total_s: float = 30.0
    first_s: float = 0.1
    longest_s: float = 3.0

    def waits(self) -> Iterator[float]:
        """The seconds to wait before each further attempt; ends when patience does."""
        spent, wait = 0.0, self.first_s
        while spent < self.total_s:
            # A little chance keeps many clients from coming back in the same instant.
            this = min(wait, self.total_s - spent) * random.uniform(0.8, 1.0)  # noqa: S311
            yield this
            spent += max(this, 0.001)
            wait = min(wait * 2, self.longest_s)


NONE = Patience(total_s=0)
