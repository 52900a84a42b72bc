"""Two people changed one item: what both did, joined by the annotations' ids; or where they are at odds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Annotation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Merge:
    """The joined annotations; ids at which both changed the same annotation, each in another way."""

    annotations: list[Annotation]
    clashes: list[str]


def merge(base: Sequence[Annotation], theirs: Sequence[Annotation], mine: Sequence[Annotation]) -> Merge:
    """Both changes since `base`. Where they clash, theirs stays and the id is told.

    The order is theirs, with what is new of mine after it, as it would be had I begun after them.
    """
    old, there, here = ({one["id"]: one for one in side} for side in (base, theirs, mine))
    joined: list[Annotation] = []
    clashes: list[str] = []
    for one in theirs:
        key = one["id"]
        before, wanted = old.get(key), here.get(key)
        if wanted in (one, before):
            joined.append(one)
        elif one == before:
            if wanted is not None:
                joined.append(wanted)
        else:
            joined.append(one)
            clashes.append(key)
    for one in mine:
        key = one["id"]
        if key in there:
            continue
        if key not in old:
            joined.append(one)
        elif one != old[key]:
            clashes.append(key)
    return Merge(joined, clashes)
