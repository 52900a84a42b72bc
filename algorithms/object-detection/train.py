"""Trains an object detector: from scratch, or from an earlier model of this algorithm."""

from pathlib import Path

import torch

from tidemill import learn
from tidemill.evaluation import detection
from tidemill.learn.vision.dense import DenseDetector, Exported
from tidemill.learn.vision.dense_task import DenseTask, keep_threshold
from tidemill.learn.vision.leaving import leave
from tidemill.learn.vision.objects import How, Kinds, ObjectPictures, collate, input_spec
from tidemill.learn.vision.pictures import input_size, names_used, repeats
from tidemill.runtime.boxes import LEAST
from tidemill.runtime.detect import find_boxes

SHAPES = ("box", "polygon", "mask", "circle", "keypoints")


def main() -> None:
    training = learn.begin(Path(__file__))
    train(training)
    training.world.leave()


def train(training: learn.Training) -> None:
    parameters, plan = training.parameters, training.plan
    used = names_used(training.train, SHAPES)
    names = [label.name for label in training.dataset.labels if used.get(label.name)]
    if not names:
        raise learn.Unlearnable(f"{training.dataset.name}: labelled items have no boxes; draw some")
    size = input_size(training.train, parameters.image_size)
    spec = input_spec(size)
    how = How(parameters.augmentation, parameters.mirror, mosaic=parameters.mosaic)
    module = DenseDetector(len(names), model=parameters.model_size)
    if training.start is not None:
        learn.load_matching(module, training.start)
    task = DenseTask(
        module.to(memory_format=torch.channels_last),
        training.validation,
        spec,
        lambda rows, picture: find_boxes(rows, picture, names, spec, LEAST),
        lambda pairs: detection.compare(pairs, names),
        label_weights=learn.class_weights([used[name] for name in names], parameters.class_weights),
    )
    shown = ObjectPictures(training.train, Kinds(names), size, how, repeats(len(training.train), plan.batch_size))
    batches = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, collate=collate, drop_last=True)
    learn.fit(task, plan, batches, training)
    if training.world.is_first:
        labels = [{"name": name} for name in names]
        found = leave(training, module, Exported, output="rows", labels=labels, spec=spec, threshold=0.4)
        keep_threshold(training.out, found)


if __name__ == "__main__":
    main()
