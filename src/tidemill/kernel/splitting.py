"""Which items are for training and which for testing: by ratio and seed, every class in both where it can be.

The same items, ratio and seed give the same parts, whatever the order the items come in.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable

LEAST_FOR_TEST = 10


def choose_test(items: Iterable[tuple[str, Iterable[str]]], ratio: float, seed: int) -> set[str]:
    """The paths that are for testing, out of paths with their classes. Empty for fewer than ten items.

    Items are dealt out class by class; one with several classes counts for the rarest.
    """
    classes = {path: frozenset(names) for path, names in items}
    if len(classes) < LEAST_FOR_TEST or ratio <= 0:
        return set()
    often = Counter(name for names in classes.values() for name in names)
    strata: dict[str, list[str]] = {}
    for path, names in classes.items():
        rarest = min(names, key=lambda name: (often[name], name), default="")
        strata.setdefault(rarest, []).append(path)
    chosen: set[str] = set()
    for name, count in _shares({name: len(paths) for name, paths in strata.items()}, ratio).items():
        mixed = sorted(strata[name], key=lambda path: _mixed(seed, path))
        chosen.update(mixed[:count])
    return chosen


def _shares(sizes: dict[str, int], ratio: float) -> dict[str, int]:
    """How many of each class: together as many as the ratio says, each within one of its own share."""
    total = min(round(sum(sizes.values()) * ratio), sum(sizes.values()) - 1)
    shares = {name: math.floor(size * ratio) for name, size in sizes.items()}
    by_rest = sorted(sizes, key=lambda name: (shares[name] - sizes[name] * ratio, name))
    for name in by_rest[: max(0, total - sum(shares.values()))]:
        if shares[name] < sizes[name]:
            shares[name] += 1
    return shares


def _mixed(seed: int, path: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{path}".encode("utf-8", "replace"), digest_size=16).digest()
