"""Trains a classifier of sounds."""

from pathlib import Path

import hearing
import torch
from network import SoundNet

from tidemill import learn
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches


def main() -> None:
    training = learn.begin(Path(__file__))
    classes = Classes(training)
    parameters, plan = training.parameters, training.plan
    spec = hearing.input_spec(training.train, parameters.sample_rate, parameters.seconds) | classes.spec
    module = SoundNet(len(classes), spec["rate"])
    if training.start is not None:
        learn.load_matching(module, training.start)
    held_out = in_batches(training.validation, lambda items: hearing.plain(items, spec), classes.target)
    task = ClassifierTask(module, classes, lambda: iter(held_out), smoothing=0.05)
    heard = hearing.Sounds(training.train, classes, spec, parameters.augmentation)
    train = learn.batches(heard, plan.batch_size, training.world, seed=plan.seed, drop_last=True)
    learn.fit(task, plan, train, training)
    if training.world.is_first:
        about = {"task": training.task, "labels": classes.labels, "input": spec}
        learn.export_onnx(
            Probabilities(module, is_several=classes.is_several),
            (torch.zeros(1, int(spec["rate"] * spec["seconds"])),),
            training.out / "model.onnx",
            inputs=["samples"],
            outputs=["probabilities"],
            about=about,
        )
        learn.save_weights(module, training.out / "weights.safetensors")
        training.finish(labels=classes.labels, input=spec)
    training.world.leave()


if __name__ == "__main__":
    main()
