"""Trains an image classifier: from scratch, from an earlier model, or on the features of a catalogue model."""

import logging
from pathlib import Path

import torch

from tidemill import learn
from tidemill.learn.augmenting import KINDS
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches


def main() -> None:
    training = learn.begin(Path(__file__))
    classes = Classes(training)
    if training.start is not None and is_features_only(training.start):
        train_further(training, classes)
    else:
        train_network(training, classes)
    training.world.leave()


def is_features_only(start: Path) -> bool:
    """Whether the model to start from is an ONNX file whose weights cannot be learnt further."""
    has_weights = (start / "weights.safetensors").is_file() or (start / "config.json").is_file()
    return not has_weights and any(start.glob("*.onnx"))


def train_further(training: learn.Training, classes: Classes) -> None:
    import graph
    import transfer
    import tune

    if not training.parameters.tune:
        transfer.train(training, classes)
        return
    try:
        tune.train(training, classes)
    except graph.Unknown as unknown:
        logging.getLogger("tidemill.learn").info(
            "learns a last layer only: the model has layers unknown here (%s)", unknown
        )
        transfer.train(training, classes)


def train_network(training: learn.Training, classes: Classes) -> None:
    import mirrored
    import network
    import pictures

    parameters, plan = training.parameters, training.plan
    spec = pictures.input_spec(parameters.image_size) | classes.spec
    how = KINDS[parameters.augmentation]
    module = network.build(len(classes), parameters.model_size, training.start)
    shown = pictures.Pictures(training.train, classes, spec, how)
    held_out = in_batches(training.validation, lambda items: pictures.plain(items, spec), classes.target)
    task = ClassifierTask(module, classes, lambda: iter(held_out), smoothing=0.1, mixing=how.mix)
    train = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, drop_last=True)
    learn.fit(task, plan, train, training)
    if not training.world.is_first:
        return
    about = {"task": training.task, "labels": classes.labels, "input": spec}
    asked = mirrored.BothWays(module) if how.mirror else module
    exported = Probabilities(asked, is_several=classes.is_several)
    example = torch.zeros(1, 3, *spec["size"])
    learn.export_onnx(
        exported, (example,), training.out / "model.onnx", inputs=["pictures"], outputs=["probabilities"], about=about
    )
    learn.save_weights(module, training.out / "weights.safetensors")
    training.finish(labels=classes.labels, input=spec)


if __name__ == "__main__":
    main()
