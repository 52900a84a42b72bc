"""Groups of items that look alike, by their perceptual hashes."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

BITS = 64


def find_groups(hashes: Sequence[str], distance: int) -> list[list[int]]:
    """Places of hashes that are alike: each is at most `distance` bits from another of its group.

    Two hashes that differ in few bits agree in at least one of a few more bands of bits, so that only those of one band
    are compared with each other.
    """
    import numpy as np

    values = np.array([int(text, 16) for text in hashes], dtype=np.uint64)
    parents = np.arange(len(values))
    bands = min(distance + 1, 16)
    edges = [BITS * band // bands for band in range(bands + 1)]
    for low, high in pairwise(edges):
        mask = np.uint64(((1 << (high - low)) - 1) << low)
        keys = values & mask
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        for bucket in np.split(order, ends):
            if len(bucket) > 1:
                _join(values, bucket, distance, parents)
    groups: dict[int, list[int]] = {}
    for place in range(len(values)):
        groups.setdefault(_root(parents, place), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _join(values: Any, bucket: Any, distance: int, parents: Any) -> None:
    import numpy as np

    # The same hash many times over (a camera that saw nothing) is one to be compared.
    distinct, first = np.unique(values[bucket], return_index=True)
    for value, place in zip(distinct, first, strict=True):
        for other in bucket[values[bucket] == value] if len(distinct) < len(bucket) else ():
            _unite(parents, int(bucket[place]), int(other))
    for at in range(len(distinct) - 1):
        apart = np.bitwise_count(distinct[at + 1 :] ^ distinct[at])
        for near in np.flatnonzero(apart <= distance):
            _unite(parents, int(bucket[first[at]]), int(bucket[first[at + 1 + near]]))


def _root(parents: Any, place: int) -> int:
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = int(parents[place])
    return place


def _unite(parents: Any, one: int, other: int) -> None:
    a, b = _root(parents, one), _root(parents, other)
    if a != b:
        parents[max(a, b)] = min(a, b)
