"""Trains a classifier of texts in any language."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import linear
import mixing
import torch
from network import Looks, TextNet
from texts import Texts, bags, collate, plain
from torch import nn

from tidemill import learn
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches
from tidemill.runtime import text_features
from tidemill.sdk.data import Item

log = logging.getLogger("tidemill.learn")
BATCH = 256


def main() -> None:
    training = learn.begin(Path(__file__))
    classes = Classes(training)
    parameters, plan = training.parameters, training.plan
    spec = text_features.spec(length=parameters.length) | classes.spec
    module = TextNet(len(classes), spec["buckets"], spec["known"], parameters.dropout)
    if training.start is not None:
        learn.load_matching(module, training.start)
    apart = learn_pieces(training, classes, module, spec)
    shown = Texts(training.train, classes, spec, apart)
    train = learn.batches(
        shown,
        plan.batch_size,
        training.world,
        seed=plan.seed,
        collate=collate,
        drop_last=True,
        lengths=shown.lengths(),
    )
    used = shown.used()
    looks = module.looks.narrowed(used)
    learn.fit(LooksTask(training, classes, module, looks, spec), plan, train, training)
    module.looks.take_over(looks, used)
    if training.world.is_first:
        share_out(classes, module, shown)
        export(training, classes, module, spec)
    training.world.leave()


def learn_pieces(training: learn.Training, classes: Classes, module: TextNet, spec: Mapping[str, Any]) -> Any:
    """Sets the pieces' weights; returns what they say of each text when they do not know it."""
    rows, targets = bags(training.train, classes, spec)
    earlier = items_before(training.start, classes) if module.pieces.any() else 0
    if not earlier:
        module.rarity.copy_(torch.from_numpy(linear.rarity(rows)))
    weights = classes.weights()
    found = linear.learn_weights(
        rows,
        module.rarity.numpy(),
        targets,
        None if weights is None else weights.numpy(),
        training.plan.seed,
        is_several=classes.is_several,
    )
    # What an earlier model says counts as much as it has seen.
    share = len(targets) / (len(targets) + earlier)
    for mean, new in ((module.pieces, found.pieces), (module.bias, found.bias)):
        mean.lerp_(torch.from_numpy(new), share)
    if training.world.is_first:
        log.info("pieces of %d texts weighed", len(targets))
    return found.apart


def items_before(start: Path | None, classes: Classes) -> int:
    """How many items the model to start from has seen, if it was made by this algorithm for the same classes."""
    if start is None or not (start / "weights.safetensors").is_file() or not (start / "model.json").is_file():
        return 0
    about = json.loads((start / "model.json").read_bytes())
    if [label["name"] for label in about.get("labels", [])] != classes.names:
        return 0
    return int((about.get("made_with") or {}).get("items") or 0)


class LooksTask(ClassifierTask):
    """Each opinion of the looks is to be right by itself. Validated is what pieces and looks say together."""

    def __init__(
        self, training: learn.Training, classes: Classes, module: TextNet, looks: Looks, spec: Mapping[str, Any]
    ) -> None:
        held_out = in_batches(training.validation, lambda items: said(items, module, spec), classes.target)
        super().__init__(looks, classes, lambda: iter(held_out))
        self._together = module.together

    def loss(self, module: nn.Module, batch: Any) -> torch.Tensor:
        (order, apart, part), target = batch
        alone, more = module(order)
        losses = [self._opinion(one, target, part != at) for at, one in enumerate(alone)]
        losses += [self._opinion(apart + one, target, part != at) for at, one in enumerate(more)]
        return torch.stack(losses).sum()

    def _opinion(self, output: torch.Tensor, target: torch.Tensor, may_know: torch.Tensor) -> torch.Tensor:
        """Nothing where a small batch has no text that this opinion may know."""
        return self._loss(output[may_know], target[may_know], 0.0) if may_know.any() else output.sum() * 0

    def validate(self, module: nn.Module) -> Mapping[str, float]:
        return super().validate(Together(module, self._together))


class Together(nn.Module):
    """Looks, with what the pieces said beforehand."""

    def __init__(self, looks: nn.Module, together: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.looks, self._together = looks, together

    def forward(self, given: Sequence[torch.Tensor]) -> torch.Tensor:
        added, order = given
        return self._together(added, self.looks(order))


@torch.no_grad()
def share_out(classes: Classes, module: TextNet, shown: Texts) -> None:
    """How much pieces and looks count, by what each says of texts that it does not know."""
    module.eval()
    pieces, looks, targets = [], [], []
    for at in range(0, len(shown), BATCH):
        (order, apart, part), target = collate([shown[row] for row in range(at, min(len(shown), at + BATCH))])
        pieces.append(apart)
        looks.append(module.looks(order)[:, part, torch.arange(len(part))])
        targets.append(target)
    opinions = [torch.cat(pieces).numpy(), *torch.cat(looks, dim=1).numpy()]
    start = module.shares.numpy()
    found = mixing.shares(opinions, torch.cat(targets).numpy(), start, is_several=classes.is_several)
    module.shares.copy_(torch.from_numpy(found))
    log.info("pieces count %.2f, looks %.2f and %.2f", *found)


@torch.no_grad()
def said(items: Sequence[Item], module: TextNet, spec: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """What the pieces of items say, and the items in order."""
    places, weights, order = plain(items, spec)
    return module.added(places, weights), order


def export(training: learn.Training, classes: Classes, module: TextNet, spec: dict[str, Any]) -> None:
    example = tuple(torch.from_numpy(one) for one in text_features.arrays(["one text", "and another"], spec))
    learn.export_onnx(
        Probabilities(module, is_several=classes.is_several),
        example,
        training.out / "model.onnx",
        inputs=["places", "weights", "order"],
        outputs=["probabilities"],
        about={"task": training.task, "labels": classes.labels, "input": spec},
        dynamic={"places": {1: "pieces"}, "weights": {1: "pieces"}, "order": {1: "length"}},
    )
    learn.save_weights(module, training.out / "weights.safetensors")
    training.finish(labels=classes.labels, input=spec)


if __name__ == "__main__":
    main()
