"""A line of results, and what it is found by."""

from typing import Any

import orjson

from tidemill.runtime.evaluating import row_of
from tidemill.runtime.model import Prediction
from tidemill.sdk.data import Item

LABEL_MAX = 200
LABELS_MAX = 2000
_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS

Written = tuple[int, bytes]
"""The number of an item, and its line."""


def write_line(item: Item, prediction: Prediction) -> Written:
    """What was said of an item, with what a gallery and COCO need to know of it."""
    row = row_of(item, prediction)
    row |= {name: value for name, value in (("width", item.width), ("height", item.height)) if value is not None}
    if media := item.info.get("media"):
        row["media"] = media
    return item.seq, orjson.dumps(row, option=_OPTIONS)


def index_of(line: bytes, start: int) -> dict[str, Any]:
    """What the server keeps of a line beside it."""
    row = orjson.loads(line)
    labels: dict[str, list[Any]] = {}
    surest: float | None = None
    for one in row["annotations"]:
        score = _score(one)
        surest = score if surest is None else max(surest, score)
        if one.get("label") is None:
            continue
        known = labels.setdefault(str(one["label"])[:LABEL_MAX], [0.0, 0])
        known[0], known[1] = max(known[0], score), known[1] + 1
    return {
        "seq": row["seq"],
        "start": start,
        "length": len(line),
        "is_error": row.get("error") is not None,
        "annotations": len(row["annotations"]),
        "labels": [[name, *known] for name, known in list(labels.items())[:LABELS_MAX]],
        "score": surest,
    }


def _score(annotation: dict[str, Any]) -> float:
    score = annotation.get("score")
    return 1.0 if score is None else min(1.0, max(0.0, float(score)))
