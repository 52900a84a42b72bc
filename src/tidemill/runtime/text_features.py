"""Texts as numbers: hashed pieces of them, the same in training and at work.

    {"kind": "text", "buckets": 524288, "signs": [1, 2], "letters": 4, "edges": 2, "words": [1, 3],
     "pieces": [3, 5], "most": 2000, "known": 16384, "length": 100}

A text is looked at twice: as a bag of hashed pieces, and as its beginning in order (`length` characters or words, of
`known` hashed ones). Writing without blanks between words (Chinese, Japanese, Thai, …) is taken in runs of `signs`
characters, where it has letters (kana, Thai) of up to `letters`, and at its `edges` once more; other writing
in runs of `words` words and, of each word with its edges, in `pieces` of characters. No list of words is needed, so
that any language goes in.
"""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Array = Any
_SIGNS = (
    r"\u2e80-\u2fff\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_SIGNS}]+|(?:(?![{_SIGNS}])[^\W_])+(?:'[a-z]+)?|[^\w\s]")
_IS_SIGNS = re.compile(rf"[{_SIGNS}]")
_LETTERS = re.compile(r"[\u3040-\u30ff\u0e00-\u0eff]+")
MOSTLY = 0.3
"""From this share of signs on a text is taken as written without blanks between words."""
LONGEST = 20_000
SHORTEST = 8


def spec(**changes: Any) -> dict[str, Any]:
    """The usual way."""
    usual = {
        "kind": "text", "buckets": 1 << 19, "signs": [1, 2], "letters": 4, "edges": 2, "words": [1, 3],
        "pieces": [3, 5], "most": 2000, "known": 1 << 14, "length": 100,
    }  # fmt: skip
    return usual | changes


def plain(text: str) -> str:
    """What is looked at of a text: one form of every character, small letters, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text[:LONGEST]).lower().split())


def runs(text: str) -> list[str]:
    """Words, marks, and runs of signs that are written without blanks."""
    return _RUN.findall(plain(text))


def pieces(text: str, how: Mapping[str, Any]) -> Iterator[str]:
    """Everything that is looked at, with repetitions."""
    said = plain(text)
    if len(_IS_SIGNS.findall(said)) >= MOSTLY * len(said):
        least, most = how["signs"]
        yield from _stretches(said, least, most)
        for letters in _LETTERS.findall(said):
            yield from _stretches(letters, most + 1, how.get("letters", 0))
        for length in range(1, min(len(said), how.get("edges", 0)) + 1):
            yield f"\u0002{said[:length]}"
            yield f"{said[-length:]}\u0003"
    words = _RUN.findall(said)
    small, large = how["pieces"]
    for word in words:
        if large and len(word) > 1 and not _IS_SIGNS.match(word):
            yield from (f"#{piece}" for piece in _stretches(f"<{word}>", small, min(large, len(word) + 1)))
    least, most = how["words"]
    # A run of signs is no word: it hardly ever comes again.
    known = ["\u0001" if _IS_SIGNS.match(word) else word for word in words]
    for length in range(least, most + 1):
        for at in range(len(known) - length + 1):
            piece = " ".join(known[at : at + length])
            if piece.strip("\u0001 "):
                yield piece


def _stretches(text: str, least: int, most: int) -> Iterator[str]:
    """All pieces of a text of so many characters."""
    for length in range(least, most + 1):
        for at in range(len(text) - length + 1):
            yield text[at : at + length]


def hashed(text: str, how: Mapping[str, Any]) -> dict[int, float]:
    """Places with weights: how often a piece is there, on a logarithmic scale. Place 0 is nobody's."""
    buckets = int(how["buckets"])
    counted = Counter(zlib.crc32(piece.encode("utf-8", "replace")) % (buckets - 1) + 1 for piece in pieces(text, how))
    return {place: 1.0 + float(np.log(count)) for place, count in counted.most_common(int(how["most"]))}


def in_order(text: str, how: Mapping[str, Any]) -> list[int]:
    """The beginning of a text, sign by sign and word by word. Number 0 is nobody's."""
    known, length = int(how["known"]), int(how["length"])
    said: list[str] = []
    for run in runs(text):
        said += run if _IS_SIGNS.match(run) else [run]
        if len(said) >= length:
            break
    return [zlib.crc32(one.encode("utf-8", "replace")) % (known - 1) + 1 for one in said[:length]]


def arrays(texts: Sequence[str], how: Mapping[str, Any]) -> tuple[Array, Array, Array]:
    """What a model takes: places, weights and order, a row a text."""
    places, weights = padded([hashed(text, how) for text in texts])
    return places, weights, ordered([in_order(text, how) for text in texts])


def ordered(rows: Sequence[Sequence[int]]) -> Array:
    """Rows of numbers (int64), filled up with zeros; never shorter than the widest look at them."""
    longest = max(SHORTEST, max((len(row) for row in rows), default=0))
    found = np.zeros((len(rows), longest), np.int64)
    for at, row in enumerate(rows):
        found[at, : len(row)] = row
    return found


def padded(rows: Sequence[Mapping[int, float]]) -> tuple[Array, Array]:
    """Places (int64) and weights (float32), a row a text, filled up with zeros."""
    longest = max(1, max((len(row) for row in rows), default=1))
    places = np.zeros((len(rows), longest), np.int64)
    weights = np.zeros((len(rows), longest), np.float32)
    for at, row in enumerate(rows):
        places[at, : len(row)] = list(row)
        weights[at, : len(row)] = list(row.values())
    return places, weights
