"""Predictions for all items of a dataset, into a file. What was done before an interruption is not done again."""

import json
import os
from pathlib import Path

from tidemill.runtime.evaluating import AT_ONCE, Watch, line, predicted
from tidemill.runtime.model import Model
from tidemill.sdk.data import Dataset


def predict(
    model: Model, items: Dataset, out: Path, *, threshold: float | None = None, watch: Watch | None = None
) -> int:
    """Writes a line an item; how many. Until all are there, the file is called `….part` and is gone on with."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    known = _whole_lines(part)
    left = items.filter(lambda item: item.path not in known) if known else items
    total, done = len(items), len(items) - len(left)
    with part.open("a", encoding="utf-8") as lines:
        for item, prediction in predicted(model, left, threshold=threshold):
            lines.write(line(item, prediction))
            done += 1
            if done % AT_ONCE == 0:
                lines.flush()
                if watch is not None:
                    watch(done, total)
        lines.flush()
        os.fsync(lines.fileno())
    part.rename(out)
    if watch is not None:
        watch(total, total)
    return total


def _whole_lines(file: Path) -> set[str]:
    """Paths of items that have their line; a line that was cut off is taken away."""
    if not file.is_file():
        return set()
    paths: set[str] = set()
    with file.open("r+b") as lines:
        at = 0
        for row in lines:
            if not row.endswith(b"\n"):
                break
            paths.add(json.loads(row)["path"])
            at += len(row)
        lines.truncate(at)
    return paths
