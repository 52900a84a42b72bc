"""Trains a classifier of texts in any language."""

from pathlib import Path
from typing import Any

import torch
from network import TextNet
from texts import Texts, collate, plain
from torch import nn

from tidemill import learn
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches
from tidemill.runtime import text_features


class TextTask(ClassifierTask):
    """Each opinion is to be right by itself."""

    def loss(self, module: nn.Module, batch: Any) -> torch.Tensor:
        given, target = batch
        return sum((self._loss(said, target, self._smoothing) for said in module(given)), torch.zeros(()))


def main() -> None:
    training = learn.begin(Path(__file__))
    classes = Classes(training)
    parameters, plan = training.parameters, training.plan
    spec = text_features.spec(length=parameters.length) | classes.spec
    module = TextNet(len(classes), spec["buckets"], spec["known"], parameters.dropout)
    shown = Texts(training.train, classes, spec)
    module.set_rarity(shown.counts(), len(shown))
    if training.start is not None:
        learn.load_matching(module, training.start)
    held_out = in_batches(training.validation, lambda items: plain(items, spec), classes.target)
    task = TextTask(module, classes, lambda: iter(held_out), smoothing=0.05)
    train = learn.batches(
        shown,
        plan.batch_size,
        training.world,
        seed=plan.seed,
        collate=collate,
        drop_last=True,
        lengths=shown.lengths(),
    )
    learn.fit(task, plan, train, training)
    if training.world.is_first:
        export(training, classes, module, spec)
    training.world.leave()


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
