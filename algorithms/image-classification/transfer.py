"""On what another model sees: a catalogue model's last features, and a new last layer for our classes.

The model that was given stays as it is, quantised or not. What is exported is one ONNX file: its layers up to the
features, then ours.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from torch import nn
from tune import onnx_file

from tidemill import learn
from tidemill.learn.augmenting import KINDS, Augmentation, augmented
from tidemill.learn.classifying import Classes, ClassifierTask
from tidemill.learn.exporting import set_metadata
from tidemill.runtime import pictures
from tidemill.runtime.model import FILE, Facts, read_facts
from tidemill.runtime.sessions import Session
from tidemill.sdk.data import Dataset

POOLS = {"GlobalAveragePool", "AveragePool", "ReduceMean"}
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
AT_ONCE = 32


class Head(nn.Module):
    """The new last layer; features are brought to one scale first."""

    def __init__(self, features: torch.Tensor, classes: int) -> None:
        super().__init__()
        self.register_buffer("mean", features.mean(0))
        self.register_buffer("std", features.std(0) + 1e-3)
        self.dropout = nn.Dropout(0.2)
        self.linear = nn.Linear(features.shape[1], classes)
        nn.init.zeros_(self.linear.weight)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        scaled: torch.Tensor = self.linear(self.dropout((features - self.mean) / self.std))
        return scaled

    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights and biases of one plain layer that does the same."""
        weights = self.linear.weight / self.std
        bias = self.linear.bias - weights @ self.mean
        return weights.detach().numpy(), bias.detach().numpy()


def train(training: learn.Training, classes: Classes) -> None:
    """Reads the features of all pictures once, learns the last layer, exports both."""
    assert training.start is not None
    file = onnx_file(training.start)
    cut, features = _cut(onnx.load(str(file)))
    training.out.mkdir(parents=True, exist_ok=True)
    trunk = training.out / f".features-{training.world.rank}.onnx"
    onnx.save(cut, str(trunk))
    try:
        session = Session(trunk)
        spec = _input(training.start, session) | classes.spec
        views = {"none": 1, "light": 4, "strong": 6}[training.parameters.augmentation]
        how = KINDS["light"]
        seen, targets = _read(session, training.train, classes, spec, how, views, training.parameters.seed)
        held_out = _read(session, training.validation, classes, spec, how, 1, 0)
    finally:
        trunk.unlink()
    head = Head(seen, len(classes))
    # The layer is small and its input is ready: many epochs cost little.
    plan = learn.Plan.of(training.parameters, learning_rate=2e-3, weight_decay=0.05)
    task = ClassifierTask(head, classes, lambda: iter([held_out]), smoothing=0.1)
    shown = torch.utils.data.TensorDataset(seen, targets)
    learn.fit(task, plan, learn.batches(shown, plan.batch_size, training.world, seed=plan.seed), training)
    if training.world.is_first:
        about = {"task": training.task, "labels": classes.labels, "input": spec}
        _export(cut, features, head, about, training.out / "model.onnx", is_several=classes.is_several)
        training.finish(labels=classes.labels, input=spec)


def _cut(model: Any) -> tuple[Any, str]:
    """The model up to its last features, and what those are called: what the last pooling gives."""
    nodes = list(model.graph.node)
    ends = [at for at, node in enumerate(nodes) if node.op_type in POOLS]
    if not ends:
        raise learn.Unlearnable("the model to start from has no pooling layer whose features could be used")
    features = nodes[ends[-1]].output[0]
    needed, kept = {features}, []
    for node in reversed(nodes[: ends[-1] + 1]):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    graph = helper.make_graph(
        [*reversed(kept), helper.make_node("Flatten", [features], ["tidemill_features"], axis=1)],
        "features",
        list(model.graph.input),
        [helper.make_tensor_value_info("tidemill_features", TensorProto.FLOAT, None)],
        [one for one in model.graph.initializer if one.name in needed],
    )
    cut = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    return cut, "tidemill_features"


def _input(folder: Path, session: Session) -> dict[str, Any]:
    """How pictures become input: as the model says, or as its shape does."""
    if (folder / FILE).is_file():
        facts: Facts = read_facts(folder)
        if "size" in facts.input:
            return {"kind": "image", **facts.input}
    one = session.inputs[0]
    shape = one["shape"]
    layout = "NHWC" if shape[-1] == 3 else "NCHW"
    size = [side if side > 0 else 224 for side in (shape[1:3] if layout == "NHWC" else shape[2:4])]
    spec: dict[str, Any] = {"kind": "image", "size": size, "fit": "stretch", "channels": "RGB", "layout": layout}
    if one["datatype"] == "UINT8":
        return spec | {"dtype": "uint8"}
    return spec | {"dtype": "float32", "scale": 255, "mean": MEAN, "std": STD}


def _read(
    session: Session,
    items: Dataset,
    classes: Classes,
    spec: Mapping[str, Any],
    how: Augmentation,
    views: int,
    seed: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Features and targets: of each picture as it is and, for learning, of some changed views of it."""
    chance = random.Random(seed)
    waiting: list[np.ndarray] = []
    features: list[np.ndarray] = []
    targets: list[torch.Tensor] = []
    for item in items:
        picture = pictures.read(item)
        target = classes.target(item)
        for seen in _views(picture, spec, how, views, chance):
            waiting.append(seen)
            targets.append(target)
        if len(waiting) >= AT_ONCE:
            features.append(session.run_rows(np.stack(waiting))[0])
            waiting = []
    if waiting:
        features.append(session.run_rows(np.stack(waiting))[0])
    return torch.from_numpy(np.concatenate(features)), torch.stack(targets)


def _views(
    picture: Image.Image, spec: Mapping[str, Any], how: Augmentation, views: int, chance: random.Random
) -> Sequence[np.ndarray]:
    height, width = spec["size"]
    shown = [pictures.prepared(picture, spec)]
    for _ in range(views - 1):
        changed = augmented(picture, how, (height, width), chance)
        shown.append(pictures.normalised(np.asarray(changed, dtype=np.float32), spec))
    return shown


def _export(cut: Any, features: str, head: Head, about: Mapping[str, Any], file: Path, *, is_several: bool) -> None:
    weights, bias = head.flat()
    graph = cut.graph
    graph.initializer.extend(
        [numpy_helper.from_array(weights, "tidemill_weights"), numpy_helper.from_array(bias, "tidemill_bias")]
    )
    ours = ["tidemill_weights", "tidemill_bias"]
    graph.node.append(helper.make_node("Gemm", [features, *ours], ["tidemill_numbers"], transB=1))
    last = (
        helper.make_node("Sigmoid", ["tidemill_numbers"], ["probabilities"])
        if is_several
        else helper.make_node("Softmax", ["tidemill_numbers"], ["probabilities"], axis=1)
    )
    graph.node.append(last)
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, len(bias)]))
    set_metadata(cut, about)
    part = file.with_name(f"{file.name}.tmp")
    onnx.save(cut, str(part))
    part.rename(file)
