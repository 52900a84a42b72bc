"""A catalogue model learns further: first a new last layer for our classes, then the later layers a little with it."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pictures
import torch
from graph import Graph
from mirrored import BothWays
from torch import nn
from torch.nn import functional

from tidemill import learn
from tidemill.learn.augmenting import KINDS
from tidemill.learn.classifying import Classes, ClassifierTask, Probabilities, in_batches
from tidemill.runtime.model import FILE, read_facts

FROZEN = 0.55
"""Share of the layers that stay as they are."""
RATE, SHARE = 1e-3, 0.1
"""How fast the last layer learns, and the others beside it: both know much already."""
EPOCHS = 8
"""At most: with more, few pictures are learnt by heart."""
SEEN_FIRST = 1000
"""The last layer is first fitted to at most so many pictures."""
CALM = 250.0
"""How strongly the last layer is kept small while it is fitted: the fewer the pictures, the more."""
SMALLEST = 192
"""Pictures are shown at least so large: such models learnt from large ones, and see small ones badly."""
AT_ONCE = 16
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

    def fit_last(self, features: torch.Tensor, targets: torch.Tensor, *, is_several: bool) -> None:
        """The best last layer for the features as they are: a small problem with one answer, solved to its end.

        Chance has no part in it, and layers before it that learn afterwards are not led astray by a layer of noise.
        """
        lossy = functional.binary_cross_entropy_with_logits if is_several else functional.cross_entropy
        found = (features - self.mean) / self.spread
        solver = torch.optim.LBFGS(self.last.parameters(), max_iter=80, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            solver.zero_grad()
            size = self.last.weight.square().sum() * CALM / len(found)
            value = lossy(self.last(found), targets) + size
            value.backward()  # type: ignore[no-untyped-call]
            return value

        solver.step(loss)  # type: ignore[no-untyped-call]

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
    features, targets = _features(graph, training, classes, spec, mirror=how.mirror)
    module = Tuned(graph, features, len(classes))
    module.fit_last(features, targets, is_several=classes.is_several)
    plan = learn.Plan.of(training.parameters, learning_rate=RATE, epochs=min(training.parameters.epochs, EPOCHS))
    task = ClassifierTask(module, classes, lambda: iter(held_out), smoothing=0.1, mixing=how.mix)
    train = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, drop_last=True)
    learn.fit(task, plan, train, training)
    if training.world.is_first:
        about = {"task": training.task, "labels": classes.labels, "input": spec}
        example = torch.from_numpy(np.zeros((1, *_shape(spec)), np.float32))
        asked = BothWays(module, width_axis=_width_axis(spec)) if how.mirror else module
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


def _width_axis(spec: dict[str, Any]) -> int:
    return 3 if spec["layout"] == "NCHW" else 2


@torch.no_grad()
def _features(
    graph: Graph, training: learn.Training, classes: Classes, spec: dict[str, Any], *, mirror: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of pictures as they are, and of their mirror images where those count too; with targets."""
    items = list(training.train.take(SEEN_FIRST, seed=training.parameters.seed))
    features, targets = [], []
    for at in range(0, len(items), AT_ONCE):
        shown = pictures.plain(items[at : at + AT_ONCE], spec)
        target = torch.stack([classes.target(item) for item in items[at : at + AT_ONCE]])
        for view in (shown, shown.flip(_width_axis(spec))) if mirror else (shown,):
            features.append(graph(view))
            targets.append(target)
    return torch.cat(features), torch.cat(targets)
