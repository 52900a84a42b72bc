"""What the columns of a table are: numbers, categories, texts with telling words, or nothing to learn from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tidemill.runtime import tables

MOSTLY = 0.95
"""A column is one of numbers when so many of its known values are."""
CATEGORIES_MAX = 200
WORDS_MAX = 30
RARE = 5
"""What occurs less often is not learnt from."""


def find(rows: Sequence[Mapping[str, Any]], targets: np.ndarray, left_out: Sequence[str]) -> list[dict[str, Any]]:
    """The columns to learn from, as `model.json` lists them."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = [_column(name, [row.get(name) for row in rows], targets) for name in names if name not in left_out]
    return [column for column in found if column is not None]


def _column(name: str, values: list[Any], targets: np.ndarray) -> dict[str, Any] | None:
    known = [text for value in values if (text := tables.plain(value)) is not None]
    if len(set(known)) < 2:
        return None
    numbers = [tables.number(text) for text in known]
    if sum(value is not None for value in numbers) >= MOSTLY * len(known):
        return None if _is_counter(numbers) else {"name": name, "kind": "number"}
    often = Counter(known)
    kept = [value for value, count in often.items() if count >= min(RARE, len(values) // 20 + 1)]
    if len(often) <= max(20, len(known) // 10) and kept:
        values_kept = sorted(kept, key=lambda value: (-often[value], value))[:CATEGORIES_MAX]
        return {"name": name, "kind": "category", "values": _ordered(values, values_kept, targets)}
    telling = _telling(values)
    return {"name": name, "kind": "words", "values": telling} if telling else None


def _is_counter(numbers: list[float | None]) -> bool:
    """Whether it only numbers the rows, of which some may be elsewhere."""
    known = np.array([value for value in numbers if value is not None])
    if len(known) < len(numbers) or len(known) < 10 or not (known == np.floor(known)).all():
        return False
    steps = np.diff(known)
    return bool((steps > 0).all() or (steps < 0).all()) and float(np.abs(steps).mean()) < 2


def _ordered(values: list[Any], kept: list[str], targets: np.ndarray) -> list[str]:
    """Categories by what goes with them, so that trees can part them with few questions."""
    sums: dict[str, float] = dict.fromkeys(kept, 0.0)
    counts: dict[str, int] = dict.fromkeys(kept, 0)
    for value, target in zip(values, targets, strict=True):
        text = tables.plain(value)
        if text in sums:
            sums[text] += float(target)
            counts[text] += 1
    mean = float(np.mean(targets))
    # Means of rare categories are drawn to the mean of all.
    return sorted(kept, key=lambda value: ((sums[value] + 10 * mean) / (counts[value] + 10), value))


def _telling(values: list[Any]) -> list[str]:
    """Words that occur in some rows, but not in nearly all."""
    often = Counter(word for value in values for word in set(tables.words(value)) if len(word) > 1)
    least, most = max(RARE, len(values) // 100), 0.9 * len(values)
    telling = [word for word, count in often.items() if least <= count <= most]
    return sorted(telling, key=lambda word: (-often[word], word))[:WORDS_MAX]
