"""COCO's run-length masks: runs of off and on pixels by turns, down the columns, written as a short string.

A mask of h rows and w columns is `counts` (off first, their sum is h·w) or that list as COCO's compressed string.
Strings come from outside, so that every function checks what it is given and raises ValueError.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tidemill.geometry.faults import BadShape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

MAX_PIXELS = 1 << 28
"""Larger masks are not decoded: a few bytes of runs could ask for any amount of memory."""


def counts_of(text: str) -> list[int]:
    """The runs of a compressed string."""
    counts: list[int] = []
    value = shift = 0
    for character in text.encode("ascii", "replace"):
        chunk = character - 48
        if not 0 <= chunk < 64 or shift > 40:
            raise BadShape("no_runs")
        value |= (chunk & 0x1F) << shift
        shift += 5
        if chunk & 0x20:
            continue
        if chunk & 0x10:
            value -= 1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = shift = 0
    if shift or any(run < 0 for run in counts):
        raise BadShape("no_runs")
    return counts


def text_of(counts: Sequence[int]) -> str:
    """The compressed string of runs, the same as pycocotools writes."""
    out = bytearray()
    for place, run in enumerate(counts):
        value = run - counts[place - 2] if place > 2 else run
        while True:
            chunk = value & 0x1F
            value >>= 5
            if value == (-1 if chunk & 0x10 else 0):
                out.append(chunk + 48)
                break
            out.append((chunk | 0x20) + 48)
    return out.decode("ascii")


def texts_of(counts: "NDArray[np.int64]", begins: "NDArray[np.int64]") -> list[str]:
    """`text_of` of many masks at once: their runs one after another, and where each mask's begin."""
    import numpy as np

    # A picture's pixels can be counted in 32 bits.
    counts = counts.astype(np.int32)
    values = counts.copy()
    values[2:] -= counts[:-2]
    ends = np.append(begins[1:], len(counts))
    for place in range(3):
        # Of each mask the first three are as they are.
        at = begins[begins + place < ends] + place
        values[at] = counts[at]
    # Five bits a character, the lowest first, as many as a signed number needs: most need one.
    lengths = np.ones(len(values), dtype=np.intp)
    levels = []
    at, rest = np.arange(len(values)), values
    while at.size:
        more = (rest ^ (rest >> 31)) >= 16
        levels.append((at, ((rest & 0x1F) | (more.view(np.int8) << 5)) + 48))
        at, rest = at[more], rest[more] >> 5
        lengths[at] += 1
    after = np.cumsum(lengths)
    before = after - lengths
    characters = np.empty(after[-1] if len(after) else 0, dtype=np.uint8)
    for place, (at, found) in enumerate(levels):
        characters[before[at] + place] = found
    text = characters.tobytes().decode("ascii")
    cuts = [0, *after[ends - 1].tolist()]
    return [text[start:end] for start, end in pairwise(cuts)]


def check(text: str, height: int, width: int) -> list[int]:
    """The runs, which must fill a mask of that size exactly."""
    counts = counts_of(text)
    if sum(counts) != height * width:
        raise BadShape("runs_do_not_fill")
    return counts


def area(counts: Sequence[int]) -> int:
    """Pixels that are on."""
    return sum(counts[1::2])


def bounds(counts: Sequence[int], height: int) -> tuple[int, int, int, int]:
    """x, y, w, h around the pixels that are on; zeros where none is."""
    left = top = 1 << 60
    right = bottom = -1
    start = 0
    for place, run in enumerate(counts):
        end = start + run
        if place % 2 and run:
            first, last = divmod(start, height), divmod(end - 1, height)
            left, right = min(left, first[0]), max(right, last[0])
            # A run that goes over into the next column touches the bottom of one and the top of the other.
            crosses = first[0] != last[0]
            top = min(top, 0 if crosses else first[1])
            bottom = max(bottom, height - 1 if crosses else last[1])
        start = end
    if right < 0:
        return 0, 0, 0, 0
    return left, top, right - left + 1, bottom - top + 1


def decode(counts: Sequence[int], height: int, width: int) -> "Mask":
    """The mask as an array of booleans, rows first."""
    import numpy as np

    if height * width > MAX_PIXELS or sum(counts) != height * width:
        raise BadShape("runs_do_not_fill")
    values = np.zeros(len(counts), dtype=bool)
    values[1::2] = True
    return np.repeat(values, np.asarray(counts, dtype=np.int64)).reshape((width, height)).T


def encode(mask: "NDArray[Any]") -> list[int]:
    """The runs of an array; anything but zero is on."""
    import numpy as np

    flat = np.asarray(mask).astype(bool).ravel(order="F")
    if not flat.size:
        return []
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(edges, prepend=0, append=flat.size).tolist()
    return [0, *runs] if flat[0] else runs
