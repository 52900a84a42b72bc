"""Trains a finder of keypoints: things, and the points of their skeletons, every label with its own."""

from pathlib import Path
from typing import Any

import torch

from tidemill import learn
from tidemill.evaluation import keypoints
from tidemill.evaluation.overlaps import sigmas_of
from tidemill.learn.vision.dense import DenseDetector, Exported
from tidemill.learn.vision.dense_task import DenseTask, keep_threshold
from tidemill.learn.vision.leaving import leave
from tidemill.learn.vision.objects import How, Kinds, ObjectPictures, collate, input_spec
from tidemill.learn.vision.pictures import input_size, names_used, repeats
from tidemill.runtime.boxes import LEAST
from tidemill.runtime.keypoints import find_points
from tidemill.sdk.data import Label


def main() -> None:
    training = learn.begin(Path(__file__))
    train(training)
    training.world.leave()


def train(training: learn.Training) -> None:
    parameters, plan = training.parameters, training.plan
    used = names_used(training.train, ["keypoints"])
    learnt = [label for label in training.dataset.labels if used.get(label.name)]
    if not learnt:
        raise learn.Unlearnable(f"{training.dataset.name}: labelled items have no keypoints; set some")
    labels = described(training, learnt)
    names = [label["name"] for label in labels]
    kinds = Kinds(names, max(label["points"] for label in labels), flips(learnt))
    size = input_size(training.train, parameters.image_size)
    spec = input_spec(size)
    module = DenseDetector(len(names), points=kinds.points, model=parameters.model_size)
    if training.start is not None:
        learn.load_matching(module, training.start)
    task = DenseTask(
        module.to(memory_format=torch.channels_last),
        training.validation,
        spec,
        lambda rows, picture: find_points(rows, picture, labels, spec, LEAST),
        lambda pairs: keypoints.compare_all(pairs, names),
        primary="map",
        label_weights=learn.class_weights([used[name] for name in names], parameters.class_weights),
        sigmas=torch.tensor(sigmas_of(kinds.points)),
    )
    how = How(parameters.augmentation, mirror(parameters.mirror, learnt), turn=parameters.turn)
    shown = ObjectPictures(training.train, kinds, size, how, repeats(len(training.train), plan.batch_size))
    batches = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, collate=collate, drop_last=True)
    learn.fit(task, plan, batches, training)
    if training.world.is_first:
        found = leave(training, module, Exported, output="rows", labels=labels, spec=spec, threshold=0.4)
        keep_threshold(training.out, found)


def described(training: learn.Training, learnt: list[Label]) -> list[dict[str, Any]]:
    """Labels as `model.json` lists them: name, skeleton, and how many points it has."""
    most: dict[str, int] = {}
    for item in training.train:
        for one in item.annotations:
            if one["type"] == "keypoints":
                most[one["label"]] = max(most.get(one["label"], 0), len(one["points"]))
    found = []
    for label in learnt:
        named = (label.skeleton or {}).get("points") or []
        row: dict[str, Any] = {"name": label.name, "points": len(named) or most[label.name]}
        found.append(row | ({"skeleton": label.skeleton} if label.skeleton else {}))
    return found


def flips(learnt: list[Label]) -> dict[str, list[list[int]]]:
    """Pairs of points that change places in a mirror, by label."""
    return {label.name: (label.skeleton or {}).get("flips") or sides(label) for label in learnt}


def sides(label: Label) -> list[list[int]]:
    """The pairs as the points' names tell them: `left_eye` and `right_eye`, 左眼 and 右眼."""
    names = [str(name).lower() for name in (label.skeleton or {}).get("points") or []]
    others = {name: place for place, name in enumerate(names)}
    found = []
    for place, name in enumerate(names):
        for left, right in (("left", "right"), ("左", "右"), ("l_", "r_")):
            other = others.get(name.replace(left, right, 1)) if left in name else None
            if other is not None and other != place:
                found.append([place, other])
    return found


def mirror(wanted: str, learnt: list[Label]) -> str:
    """Without pairs a mirror would teach that left is right: then there is none."""
    knows_sides = all(pairs for pairs in flips(learnt).values())
    return wanted if knows_sides else "none"


if __name__ == "__main__":
    main()
