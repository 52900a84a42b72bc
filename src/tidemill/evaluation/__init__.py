"""How good a model is: metrics of every task, computed with numpy alone, in one form that pages and comparisons read.

    judgement = judge("image-classification", pairs, labels)
    report.write(folder, judgement, task=…, dataset=…, model=…)

A task's numbers are made by one small module (`TASKS`), which has a function `judge(pairs, labels, threshold=…)`.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module

from tidemill.evaluation.judging import Judgement, Pair

__all__ = ["TASKS", "Judgement", "Pair", "judge"]

TASKS: dict[str, str] = {
    "image-classification": "classification",
    "text-classification": "classification",
    "audio-classification": "classification",
    "tabular": "tables",
    "object-detection": "detection",
    "segmentation": "segmentation",
    "keypoints": "keypoints",
    "ocr": "reading",
}
"""Which module judges which task."""


def judge(task: str, pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:
    """Compares what is true with what was predicted. Raises KeyError for a task that nothing judges."""
    module = import_module(f"{__name__}.{TASKS[task]}")
    judgement: Judgement = module.judge(pairs, labels, threshold=threshold)
    return judgement
