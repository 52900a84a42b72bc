"""Trains a segmentation model: the class of every pixel, learnt from masks and polygons alike."""

from collections import Counter
from pathlib import Path

import numpy as np
import torch
from maps import Classes, MappedPictures, collate
from torch import nn

from tidemill import learn
from tidemill.evaluation import segmentation
from tidemill.geometry.painting import UNKNOWN
from tidemill.learn.vision.leaving import leave
from tidemill.learn.vision.objects import input_spec, normalised
from tidemill.learn.vision.pictures import input_size, names_used, repeats
from tidemill.learn.vision.segmenter import STRIDE, Probabilities, Segmenter
from tidemill.runtime import pictures
from tidemill.runtime.segment import enlarged

SHAPES = ("mask", "polygon", "box", "circle")
VALIDATED = 200


def main() -> None:
    training = learn.begin(Path(__file__))
    train(training)
    training.world.leave()


def train(training: learn.Training) -> None:
    parameters, plan = training.parameters, training.plan
    used = names_used(training.train, SHAPES)
    names = [label.name for label in training.dataset.labels if used.get(label.name)]
    if not names:
        raise learn.Unlearnable(f"{training.dataset.name}: labelled items have no masks or polygons; draw some")
    classes = Classes(training.train, names)
    size = input_size(training.train, parameters.image_size)
    spec = input_spec(size) | {"shape": shape(training, parameters.shape)}
    module = Segmenter(len(classes), model=parameters.model_size)
    if training.start is not None:
        learn.load_matching(module, training.start)
    task = SegmentationTask(module.to(memory_format=torch.channels_last), classes, training, spec)
    repeat = repeats(len(training.train), plan.batch_size)
    shown = MappedPictures(training.train, classes, size, parameters.augmentation, parameters.mirror, repeat)
    batches = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, collate=collate, drop_last=True)
    learn.fit(task, plan, batches, training)
    if training.world.is_first:
        labels = [{"name": name} for name in names]
        leave(training, module, Probabilities, output="probabilities", labels=labels, spec=spec)


class SegmentationTask:
    """Cross entropy of pixels; validated as the runtime will use it, on the pictures' own pixels."""

    primary = "mean_iou"

    def __init__(self, module: Segmenter, classes: Classes, training: learn.Training, spec: dict[str, object]) -> None:
        self.module, self._classes, self._spec = module, classes, spec
        self._held_out = training.validation.take(VALIDATED, seed=0)
        self._weights = pixel_weights(training, classes)

    def loss(self, module: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        shown, maps = batch
        found = module(normalised(shown).contiguous(memory_format=torch.channels_last)).float()
        found = nn.functional.interpolate(found, scale_factor=STRIDE, mode="bilinear", align_corners=False)
        weights = None if self._weights is None else self._weights.to(found.device)
        return nn.functional.cross_entropy(found, maps, weights, ignore_index=UNKNOWN)

    def validate(self, module: nn.Module) -> dict[str, float]:
        size = len(self._classes.names) + 1
        counts = np.zeros((size, size), dtype=np.int64)
        device = next(module.parameters()).device
        for item in self._held_out:
            picture = pictures.read(item)
            shown = torch.from_numpy(pictures.prepared(picture, self._spec))[None].to(device)
            grid = torch.softmax(module(shown)[0].float(), 0).cpu().numpy()
            found, _ = enlarged(grid, picture.width, picture.height, self._spec)
            counts += segmentation.count(self._classes.map_of(item), found, size)
        return {"mean_iou": segmentation.mean_iou(counts), "pixel_accuracy": segmentation.pixel_accuracy(counts)}


def pixel_weights(training: learn.Training, classes: Classes) -> torch.Tensor | None:
    """Weights of the classes by how many pixels they have."""
    if training.parameters.class_weights == "none":
        return None
    counts = np.zeros(len(classes), dtype=np.int64)
    for item in training.train.take(VALIDATED, seed=0):
        own = np.bincount(classes.map_of(item).ravel(), minlength=UNKNOWN + 1)
        counts += own[: len(classes)]
    weights = learn.class_weights(counts.tolist(), training.parameters.class_weights)
    # A class of a few pixels must not drown the others.
    return None if weights is None else weights.clamp(max=10.0)


def shape(training: learn.Training, wanted: str) -> str:
    """What the model draws: masks or polygons; by itself what people drew most."""
    if wanted != "auto":
        return wanted
    types = Counter(one["type"] for item in training.train for one in item.annotations)
    return "polygon" if types["polygon"] > types["mask"] else "mask"


if __name__ == "__main__":
    main()
