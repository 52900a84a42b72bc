"""What training scripts share: parameters, parts of the data, the loop, checkpoints, export.

A script of an algorithm reads like this:

    training = learn.begin(Path(__file__))
    task = Classifier(training)                     # a `learn.Task`: a module, its loss, its validation
    learn.fit(task, training.plan, learn.batches(…), training)
    if training.world.is_first:
        learn.export_onnx(task.module, example, training.out / "model.onnx", …)
        training.finish(task=…, labels=…, input=…)

Everything works on one process as under `torchrun`; torch is loaded by the parts that need it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tidemill.learn.parameters import Parameters, WrongParameter, parameters
from tidemill.learn.training import Training, Unlearnable, begin

if TYPE_CHECKING:
    from tidemill.learn.exporting import export_onnx, save_weights
    from tidemill.learn.feeding import Batches, batches
    from tidemill.learn.loop import Fitted, Task, fit
    from tidemill.learn.plan import Plan
    from tidemill.learn.starting import load_matching
    from tidemill.learn.weighting import class_weights

__all__ = [
    "Batches", "Fitted", "Parameters", "Plan", "Task", "Training", "Unlearnable", "WrongParameter", "batches", "begin",
    "class_weights", "export_onnx", "fit", "load_matching", "parameters", "save_weights",
]  # fmt: skip

# Loaded when first asked for: they need torch.
_PLACES = {
    "Batches": "feeding",
    "batches": "feeding",
    "Fitted": "loop",
    "Task": "loop",
    "fit": "loop",
    "Plan": "plan",
    "class_weights": "weighting",
    "export_onnx": "exporting",
    "save_weights": "exporting",
    "load_matching": "starting",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'tidemill.learn' has no attribute {name!r}")
