"""What a client was told, and what it may therefore expect to find."""

from copy import deepcopy
from dataclasses import dataclass, field

Files = dict[str, str]
"""Path → SHA-256."""


@dataclass
class Version:
    files: Files = field(default_factory=dict)
    is_committed: bool = False


@dataclass
class Ledger:
    """Everything one client made in its own project, as far as it was acknowledged."""

    live: dict[int, Version] = field(default_factory=dict)
    binned: dict[int, Version] = field(default_factory=dict)
    doomed: set[int] = field(default_factory=set)
    """In the bin when it was asked to be emptied: gone sooner or later."""
    last_number: int = 0

    def copy(self) -> "Ledger":
        return deepcopy(self)


@dataclass(frozen=True)
class Sight:
    """What is really there."""

    live: dict[int, Version]
    binned: set[int]


def find_difference(ledger: Ledger, sight: Sight, *, settled: bool = False) -> str | None:
    """Why what is there does not agree with the ledger; None when it does. Settled: no emptying is under way."""
    if ledger.live.keys() != sight.live.keys():
        return f"versions {sorted(sight.live)} instead of {sorted(ledger.live)}"
    for number, expected in ledger.live.items():
        if expected != sight.live[number]:
            return f"version {number} is {sight.live[number]} instead of {expected}"
    must = ledger.binned.keys() - ledger.doomed
    may = must if settled else ledger.binned.keys()
    if not must <= sight.binned <= may:
        return f"the bin has {sorted(sight.binned)} instead of {sorted(must)} to {sorted(may)}"
    return None
