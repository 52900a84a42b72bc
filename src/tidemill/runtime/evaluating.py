"""A model on a labelled dataset: predictions, and how good they are."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tidemill.evaluation import Judgement, Pair, judge, report
from tidemill.runtime.model import Model, Prediction
from tidemill.sdk.data import Dataset, Item

AT_ONCE = 32
KEPT = 50
"""Probabilities an item that are written down; of more classes only the likeliest."""
Watch = Callable[[int, int], None]
"""Told how many items are done, and of how many."""


def evaluate(
    model: Model,
    items: Dataset,
    out: Path,
    *,
    part: str,
    name: str,
    threshold: float = 0.5,
    watch: Watch | None = None,
) -> Judgement:
    """Predicts for all items and writes `evaluation.json` and `predictions.jsonl` into the folder."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / report.PREDICTIONS
    temporary = file.with_name(f"{file.name}.tmp")
    with temporary.open("w", encoding="utf-8") as lines:
        pairs = _pairs(model, items, lines, watch)
        judgement = judge(model.task, pairs, model.labels, threshold=threshold)
        lines.flush()
        os.fsync(lines.fileno())
    temporary.rename(file)
    report.write(out, judgement, task=model.task, dataset=items.name, model=name, part=part, threshold=threshold)
    return judgement


def predicted(
    model: Model, items: Iterable[Item], *, threshold: float | None = None
) -> Iterator[tuple[Item, Prediction]]:
    """Items with what the model says of them, some at a time."""
    left = iter(items)
    while batch := list(islice(left, AT_ONCE)):
        yield from zip(batch, model.predict_each(batch, threshold=threshold), strict=True)


def line(item: Item, prediction: Prediction) -> str:
    """A line of `predictions.jsonl`."""
    return json.dumps(report.sayable(row_of(item, prediction)), ensure_ascii=False) + "\n"


def row_of(item: Item, prediction: Prediction) -> dict[str, Any]:
    """What a line of `predictions.jsonl` holds."""
    row: dict[str, Any] = {"seq": item.seq, "path": item.path, "annotations": prediction.annotations}
    if prediction.probabilities is not None:
        row["probabilities"] = _likeliest(prediction.probabilities)
    if prediction.value is not None:
        row["value"] = prediction.value
    if prediction.error is not None:
        row["error"] = prediction.error
    row["uncertainty"] = prediction.uncertainty
    return row


def _pairs(model: Model, items: Dataset, lines: Any, watch: Watch | None) -> Iterator[Pair]:
    total = len(items)
    # Everything is asked for, so that thresholds can be tried afterwards.
    for done, (item, prediction) in enumerate(predicted(model, items, threshold=0.0), 1):
        lines.write(line(item, prediction))
        truth, true_value = model.truth(item)
        yield Pair(
            seq=item.seq,
            path=item.path,
            truth=truth,
            predicted=prediction.annotations,
            width=item.width,
            height=item.height,
            probabilities=prediction.probabilities,
            true_value=true_value,
            value=prediction.value,
            error=prediction.error,
        )
        if watch is not None and (done % AT_ONCE == 0 or done == total):
            watch(done, total)


def _likeliest(probabilities: dict[str, float]) -> dict[str, float]:
    chosen: Sequence[str] = list(probabilities)
    if len(chosen) > KEPT:
        chosen = sorted(chosen, key=lambda name: -probabilities[name])[:KEPT]
    return {name: round(probabilities[name], 6) for name in chosen}
