"""What to do next, from how things stand. Pure functions."""

from dataclasses import dataclass
from typing import Literal

from tidemill.models.training.planning import LABELLED_MIN

Code = Literal[
    "label_first", "train_first", "auto_annotate", "look_at_suggestions", "label_more", "retrain", "good_enough", "wait"
]
GOOD = 0.95
"""Where more labels gain little."""
GROWN = 1.2
"""So many times more labels than the newest model was trained with are a reason to train again."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Numbers of the loop."""

    is_busy: bool
    labelled: int
    suggested: int
    unlabelled: int
    trained_with: int | None
    """Labels of the newest model; None: there is none."""
    quality: float | None
    """Of the newest model, where more is better."""
    has_looked: bool
    """Whether a model has looked at the draft."""


def advise(now: Standing) -> tuple[Code, str | None]:
    """The advice, and the action that follows it."""
    if now.is_busy:
        return "wait", None
    if now.labelled < LABELLED_MIN:
        return "label_first", "label"
    if now.trained_with is None:
        return "train_first", "train"
    if now.suggested:
        return "look_at_suggestions", "suggestions"
    if now.labelled >= GROWN * now.trained_with:
        return "retrain", "retrain"
    if now.unlabelled and not now.has_looked:
        return "auto_annotate", "auto"
    if not now.unlabelled:
        if now.labelled > now.trained_with:
            return "retrain", "retrain"
        return "good_enough", None
    if now.quality is not None and now.quality >= GOOD:
        return "auto_annotate", "auto"
    return "label_more", "label"
