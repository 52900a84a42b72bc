"""What all classifiers share: targets, losses, validation, whatever the items are."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from tidemill.learn.training import Training
from tidemill.learn.weighting import class_weights
from tidemill.runtime.classes import SEVERAL
from tidemill.sdk.data import Dataset, Item


class Classes:
    """The classes of a training, and items' targets among them."""

    def __init__(self, training: Training) -> None:
        self.names = training.classes()
        training.having_classes(self.names)
        self.is_several = training.is_several
        self._places = {name: place for place, name in enumerate(self.names)}
        self._training = training

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> list[dict[str, Any]]:
        """As `model.json` lists them."""
        return [{"name": name} for name in self.names]

    @property
    def spec(self) -> dict[str, Any]:
        """What `input` of `model.json` says of classes."""
        return {"classes": SEVERAL} if self.is_several else {}

    def target(self, item: Item) -> torch.Tensor:
        """A row with a one for each class of the item; of one that must have one class, the first counts."""
        row = torch.zeros(len(self.names))
        known = [self._places[name] for name in item.classes if name in self._places]
        row[known if self.is_several else known[:1]] = 1.0
        return row

    def weights(self) -> torch.Tensor | None:
        """Of the classes, as the parameter `class_weights` says."""
        kind = str(self._training.parameters.get("class_weights") or "none")
        often = Counter(name for item in self._training.train for name in item.classes)
        return class_weights([often[name] for name in self.names], kind)


class ClassifierTask:
    """A module that gives a number a class, its loss and its validation."""

    def __init__(
        self,
        module: nn.Module,
        classes: Classes,
        held_out: Callable[[], Iterator[tuple[Any, torch.Tensor]]],
        *,
        smoothing: float = 0.0,
        mixing: float = 0.0,
    ) -> None:
        """`held_out` gives the items kept apart in batches: what goes into the module, and targets."""
        self.module = module
        self.primary = "f1" if classes.is_several else "accuracy"
        self._classes, self._held_out = classes, held_out
        self._weights = classes.weights()
        self._smoothing, self._mixing = smoothing, mixing

    def loss(self, module: nn.Module, batch: Any) -> torch.Tensor:
        given, target = batch
        if self._mixing and isinstance(given, torch.Tensor) and given.is_floating_point():
            given, target = mixed(given, target, self._mixing)
        return self._loss(module(given), target, self._smoothing)

    def validate(self, module: nn.Module) -> Mapping[str, float]:
        device = next(module.parameters()).device
        outputs, targets = [], []
        for given, target in self._held_out():
            outputs.append(_run(module, given, device).float().cpu())
            targets.append(target)
        output, target = torch.cat(outputs), torch.cat(targets)
        loss = float(self._loss(output, target, 0.0))
        if self._classes.is_several:
            return {"loss": loss, "f1": _macro_f1(output > 0, target > 0.5)}
        return {"loss": loss, "accuracy": float((output.argmax(1) == target.argmax(1)).float().mean())}

    def _loss(self, output: torch.Tensor, target: torch.Tensor, smoothing: float) -> torch.Tensor:
        weights = None if self._weights is None else self._weights.to(output.device)
        if self._classes.is_several:
            return functional.binary_cross_entropy_with_logits(output, target, pos_weight=weights)
        return functional.cross_entropy(output, target, weight=weights, label_smoothing=smoothing)


class Probabilities(nn.Module):
    """What is exported: the module with probabilities instead of bare numbers."""

    def __init__(self, module: nn.Module, *, is_several: bool) -> None:
        super().__init__()
        self.module = module
        self.is_several = is_several

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        output = self.module(given[0] if len(given) == 1 else given)
        return torch.sigmoid(output) if self.is_several else torch.softmax(output, dim=-1)


def mixed(given: torch.Tensor, target: torch.Tensor, strength: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Every item laid over another of the batch; the target is what is seen of both."""
    share = float(torch.distributions.Beta(strength, strength).sample())
    other = torch.randperm(len(given), device=given.device)
    return given * share + given[other] * (1 - share), target * share + target[other] * (1 - share)


def in_batches(
    items: Dataset, read: Callable[[Sequence[Item]], Any], target: Callable[[Item], torch.Tensor], count: int = 64
) -> list[tuple[Any, torch.Tensor]]:
    """Items kept apart, read once: they are the same every epoch."""
    made, waiting = [], []
    for item in items:
        waiting.append(item)
        if len(waiting) == count:
            made.append((read(waiting), torch.stack([target(one) for one in waiting])))
            waiting = []
    if waiting:
        made.append((read(waiting), torch.stack([target(one) for one in waiting])))
    return made


def _run(module: nn.Module, given: Any, device: torch.device) -> torch.Tensor:
    moved = [one.to(device) for one in given] if isinstance(given, list | tuple) else given.to(device)
    output: torch.Tensor = module(tuple(moved) if isinstance(moved, list) else moved)
    return output


def _macro_f1(said: torch.Tensor, true: torch.Tensor) -> float:
    hits = (said & true).sum(0).float()
    both = (said.sum(0) + true.sum(0)).float()
    occurs = both > 0
    return float((2 * hits[occurs] / both[occurs]).mean()) if occurs.any() else 0.0
