"""`evaluation.json`: what pages show of an evaluation, and what evaluations are compared by."""

import json
import math
import os
from pathlib import Path
from typing import Any

from tidemill.evaluation.judging import Judgement

FILE, PREDICTIONS = "evaluation.json", "predictions.jsonl"


def write(
    folder: Path,
    judgement: Judgement,
    *,
    task: str,
    dataset: str,
    model: str,
    part: str,
    threshold: float | None = None,
) -> Path:
    """Writes it into the folder, whole or not at all."""
    found: dict[str, Any] = {
        "task": task,
        "dataset": dataset,
        "model": model,
        "part": part,
        "items": judgement.items,
        "metrics": judgement.metrics,
        "primary": judgement.primary,
        "classes": judgement.classes,
        "confusion": judgement.confusion,
        "curves": judgement.curves,
        "thresholds": judgement.thresholds,
        "worst": judgement.worst,
    }
    if threshold is not None:
        found["threshold"] = threshold
    folder.mkdir(parents=True, exist_ok=True)
    return write_json(folder / FILE, found)


def write_json(file: Path, content: Any) -> Path:
    """A file that is there when it is whole. Numbers that JSON cannot say become null."""
    part = file.with_name(f"{file.name}.tmp")
    with part.open("w", encoding="utf-8") as out:
        json.dump(sayable(content), out, ensure_ascii=False, allow_nan=False)
        out.flush()
        os.fsync(out.fileno())
    part.rename(file)
    return file


def sayable(content: Any) -> Any:
    """The same with null for numbers that are none."""
    if isinstance(content, dict):
        return {key: sayable(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [sayable(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
