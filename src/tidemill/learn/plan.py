"""How long and how fast is learnt: the parameters that every algorithm has."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """Settings of the loop."""

    epochs: int = 10
    batch_size: int = 32
    learning_rate: float = 1e-3
    schedule: str = "cosine"
    """`cosine`, `linear`, `step` or `constant`; each after a short warm-up."""
    weight_decay: float = 0.01
    optimiser: str = "adamw"
    """`adamw` or `sgd`."""
    seed: int = 0
    early_stopping: int = 0
    """Epochs without a better metric after which it ends; 0: never."""
    time_budget_s: float = 0
    """All of the training's time; 0: as long as it takes."""
    precision: str = "auto"
    """`auto`, `32` or `16`."""
    warmup: float = 0.05
    """Share of the steps in which the rate rises."""
    clip_norm: float = 5.0
    average: float = 0.0
    """How slowly a moving mean of the weights follows them (0.99, …); 0: none. The mean is validated and kept."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any], **more: Any) -> "Plan":
        """From an algorithm's parameters; what those do not have stays as it is."""
        known = {name: parameters[name] for name in cls.__dataclass_fields__ if parameters.get(name) is not None}
        return cls(**{**known, **more})


def rate_at(plan: Plan, progress: float) -> float:
    """The learning rate's share of its highest value, when this share of all steps (0 to 1) is done."""
    if plan.warmup > 0 and progress < plan.warmup:
        return max(progress / plan.warmup, 0.02)
    left = (progress - plan.warmup) / max(1e-9, 1 - plan.warmup)
    left = min(max(left, 0.0), 1.0)
    if plan.schedule == "cosine":
        return max(0.5 * (1 + math.cos(math.pi * left)), 0.002)
    if plan.schedule == "linear":
        return max(1 - left, 0.002)
    if plan.schedule == "step":
        return 1.0 if left < 0.6 else 0.1 if left < 0.85 else 0.01
    return 1.0
