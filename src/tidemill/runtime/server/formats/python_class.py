"""A user's own class: a file `model.py` in the folder given as `--code`.

    class Model:
        inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]     # optional: then requests are checked
        outputs = [{"name": "y", "datatype": "FP32", "shape": [-1]}]       # optional
        max_batch_size = 16                                                # optional: rows of several requests together

        def load(self, folder):                # a pathlib.Path: the model's files
            self.weights = numpy.load(folder / "weights.npy")

        def predict(self, inputs):             # numpy arrays by name; elements of BYTES are `bytes`
            return {"y": inputs["x"] @ self.weights}

        def answer(self, given):               # optional: POST /predict; decoded JSON, or the body's bytes
            return {"labels": [{"label": "cat", "score": 0.9}]}

The class is called `Model`, or is the only one of the file that has `load` and `predict`. Each instance is used by one
thread at a time. What `predict` raises as ValueError is the caller's fault (400), anything else the model's (500).
"""

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.errors import Failed, Malformed, Refusal
from tidemill.runtime.server.served import About, TensorModel, Tensors, Work, named
from tidemill.runtime.server.tensors import TYPES, Spec

FILE = "model.py"


class PythonClass(TensorModel):
    """An instance of the user's class."""

    def __init__(self, code: Path, folder: Path, labels: Sequence[str] = ()) -> None:
        self._code, self._folder = code, folder
        self._labels = tuple(labels)
        made = _class_in(code)()
        try:
            made.load(folder)
        except Exception as error:
            raise Unfit(f"{code / FILE}: load failed: {type(error).__name__}: {error}") from error
        self._user = made
        self.has_answer = callable(getattr(made, "answer", None))
        self.about = About("python", getattr(made, "task", None), tuple(getattr(made, "labels", labels)))
        self.inputs = _specs(code, "inputs", getattr(made, "inputs", ()))
        self.outputs = _specs(code, "outputs", getattr(made, "outputs", ()))
        self.batch_size = int(getattr(made, "max_batch_size", 1))
        self.joins = bool(self.inputs) and self.batch_size > 1

    def again(self) -> "PythonClass":
        return PythonClass(self._code, self._folder, self._labels)

    def asked(self, given: Any) -> Work:
        """A body of /predict as work for `answer`."""
        return Work(_Plain(given), 1, _Plain)

    def run(self, given: Sequence[Any]) -> list[Any]:
        if isinstance(given[0], _Plain):
            return [self._answered(one.given) for one in given]
        return super().run(given)

    def compute(self, tensors: Tensors) -> Tensors:
        return named(self._user.predict(tensors), list(self.outputs))

    def failure(self, error: Exception) -> Refusal:
        kind = Malformed if isinstance(error, ValueError) else Failed
        return kind(f"{type(error).__name__}: {error}"[:1000])

    def warm_up(self) -> None:
        if self.inputs and all(spec.shape for spec in self.inputs.values()):
            super().warm_up()

    def _answered(self, given: Any) -> Any:
        try:
            return self._user.answer(given)
        except Exception as error:  # noqa: BLE001 — users' code raises anything
            return self.failure(error)


class _Plain:
    __slots__ = ("given",)

    def __init__(self, given: Any) -> None:
        self.given = given


def _class_in(code: Path) -> type[Any]:
    file = code / FILE
    if not file.is_file():
        raise Unfit(f"{code} holds no {FILE}")
    spec = importlib.util.spec_from_file_location("tidemill_user_model", file)
    assert spec is not None, "a .py file has a loader"
    assert spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    if str(code) not in sys.path:
        sys.path.insert(0, str(code))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Unfit(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    own = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]
    fit = [one for one in own if callable(getattr(one, "load", None)) and callable(getattr(one, "predict", None))]
    chosen = [one for one in fit if one.__name__ == "Model"] or fit
    if len(chosen) != 1:
        raise Unfit(f"{file} must have one class with load(self, folder) and predict(self, inputs), called Model")
    return chosen[0]


def _specs(code: Path, what: str, told: Sequence[Mapping[str, Any]]) -> dict[str, Spec]:
    try:
        found = [Spec(str(one["name"]), str(one["datatype"]), tuple(map(int, one["shape"]))) for one in told]
    except (KeyError, TypeError, ValueError) as error:
        raise Unfit(f"{code / FILE}: {what} must be a list of name, datatype and shape: {error}") from error
    for one in found:
        if one.datatype not in TYPES:
            raise Unfit(f"{code / FILE}: {what}: datatype of {one.name!r} is none of {', '.join(TYPES)}")
    return {one.name: one for one in found}
