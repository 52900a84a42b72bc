"""A catalogue model learns further: its later layers a little, a new last layer for our classes from the start."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pictures
import torch
from graph import Graph
from mirrored import BothWays
from torch import nn

from tidemill import learn
from tidemill.learn.augmenting import KINDS
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches
from tidemill.runtime.model import FILE, read_facts

FROZEN = 0.4
"""Share of the layers that stay as they are."""
RATE, SHARE = 2e-3, 0.15
"""How fast the last layer learns, and the others beside it."""
SMALLEST = 192
"""Pictures are shown at least so large: such models learnt from large ones, and see small ones badly."""
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Tuned(nn.Module):
    """Pictures in, a number a class out."""

    def __init__(self, graph: Graph, features: torch.Tensor, classes: int) -> None:
        super().__init__()
        self.graph = graph
        self.register_buffer("mean", features.mean(0))
        self.register_buffer("spread", features.std(0).clamp(min=0.05))
        self.dropout = nn.Dropout(0.3)
        self.last = nn.Linear(features.shape[1], classes)
        nn.init.zeros_(self.last.weight)

    def forward(self, shown: torch.Tensor) -> torch.Tensor:
        found = (self.graph(shown) - self.mean) / self.spread
        numbers: torch.Tensor = self.last(self.dropout(found))
        return numbers

    def learning_rate_shares(self) -> dict[str, float]:
        return {"graph": SHARE}


def train(training: learn.Training, classes: Classes) -> None:
    """Raises `graph.Unknown` for a file with layers that are not known."""
    assert training.start is not None
    file = onnx_file(training.start)
    given = onnx.load(str(file))
    graph = Graph(given)
    graph.freeze(FROZEN)
    spec = input_spec(training.start, given, max(SMALLEST, training.parameters.image_size)) | classes.spec
    how = KINDS[training.parameters.augmentation]
    shown = pictures.Pictures(training.train, classes, spec, how)
    held_out = in_batches(training.validation, lambda items: pictures.plain(items, spec), classes.target)
    module = Tuned(graph, _features(graph, training, spec), len(classes))
    plan = learn.Plan.of(training.parameters, learning_rate=RATE, epochs=min(training.parameters.epochs, 30))
    task = ClassifierTask(module, classes, lambda: iter(held_out), smoothing=0.1, mixing=how.mix)
    train = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, drop_last=True)
    learn.fit(task, plan, train, training)
    if training.world.is_first:
        about = {"task": training.task, "labels": classes.labels, "input": spec}
        example = torch.from_numpy(np.zeros((1, *_shape(spec)), np.float32))
        asked = BothWays(module, width_axis=3 if spec["layout"] == "NCHW" else 2) if how.mirror else module
        learn.export_onnx(
            Probabilities(asked, is_several=classes.is_several),
            (example,),
            training.out / "model.onnx",
            inputs=["pictures"],
            outputs=["probabilities"],
            about=about,
        )
        training.finish(labels=classes.labels, input=spec)


def onnx_file(folder: Path) -> Path:
    """The file that `model.json` names, or the only one there is."""
    if (folder / FILE).is_file():
        told = folder / read_facts(folder).file
        if told.is_file():
            return told
    return min(folder.glob("*.onnx"))


def input_spec(folder: Path, given: Any, size: int) -> dict[str, Any]:
    """How pictures become input: as the model says, or as the form of its input does; always as plain numbers."""
    told = read_facts(folder).input if (folder / FILE).is_file() else {}
    form = given.graph.input[0].type.tensor_type
    layout = "NHWC" if form.shape.dim[-1].dim_value == 3 else "NCHW"
    spec = {
        "kind": "image",
        "fit": "stretch",
        "channels": "RGB",
        "layout": layout,
        "scale": 255,
        "mean": MEAN,
        "std": STD,
    }
    if form.elem_type == onnx.TensorProto.UINT8:
        # The file itself turns bytes into numbers.
        spec |= {"scale": 1, "mean": None, "std": None}
    known = {name: told[name] for name in ("channels", "layout", "scale", "mean", "std") if name in told}
    return spec | known | {"size": [size, size], "dtype": "float32"}


def _shape(spec: dict[str, Any]) -> tuple[int, ...]:
    height, width = spec["size"]
    return (3, height, width) if spec["layout"] == "NCHW" else (height, width, 3)


@torch.no_grad()
def _features(graph: Graph, training: learn.Training, spec: dict[str, Any]) -> torch.Tensor:
    """Of some pictures, to know how large they are."""
    some = list(training.train.take(64, seed=training.parameters.seed))
    return torch.cat([graph(pictures.plain(some[at : at + 8], spec)) for at in range(0, len(some), 8)])
