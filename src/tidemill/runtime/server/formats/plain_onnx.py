"""ONNX files as they are: their own tensors in and out."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.errors import Failed, Malformed, Refusal
from tidemill.runtime.server.served import About, TensorModel, Tensors
from tidemill.runtime.server.tensors import TYPES, Array, Spec, plain_array
from tidemill.runtime.sessions import Session


class PlainOnnx(TensorModel):
    """Rows of several requests go in together when every input and output has its first length open."""

    def __init__(self, file: Path, labels: Sequence[str] = ()) -> None:
        self._session = Session(file)
        self.about = About("onnxruntime_onnx", labels=tuple(labels))
        self.inputs = _specs(file, self._session.inputs)
        self.outputs = _specs(file, [_as_rows(one) for one in self._session.outputs])
        self._texts = [name for name, spec in self.inputs.items() if spec.datatype == "BYTES"]
        ends = [*self.inputs.values(), *self.outputs.values()]
        self.joins = bool(self.inputs) and all(spec.shape and spec.shape[0] == -1 for spec in ends)

    def compute(self, tensors: Tensors) -> Tensors:
        if self._texts:
            tensors = {**tensors, **{name: _texts(name, tensors[name]) for name in self._texts}}
        found = self._session.run(tensors)
        return {name: self._array(one) for name, one in zip(self.outputs, found, strict=True)}

    def _array(self, found: Any) -> Array:
        """An output as an array; probabilities by class, as scikit-learn's converter writes them, as rows."""
        if not (isinstance(found, list) and found and isinstance(found[0], dict)):
            return plain_array(found)
        classes = list(found[0])
        if not self.about.labels:
            self.about = replace(self.about, labels=tuple(map(str, classes)))
        return np.array([[row[one] for one in classes] for row in found], np.float32)

    def failure(self, error: Exception) -> Refusal:
        kind = Malformed if type(error).__name__ == "InvalidArgument" else Failed
        return kind(f"the model failed: {type(error).__name__}: {error}"[:1000])


def _as_rows(described: dict[str, Any]) -> dict[str, Any]:
    is_map = str(described["datatype"]).startswith("seq(map(") and str(described["datatype"]).endswith(
        "tensor(float)))"
    )
    return {**described, "datatype": "FP32", "shape": [-1, -1]} if is_map else described


def _specs(file: Path, described: list[dict[str, Any]]) -> dict[str, Spec]:
    for one in described:
        if one["datatype"] not in TYPES:
            raise Unfit(f"{file}: {one['name']!r} is {one['datatype']}, which the protocol has no data type for")
    return {one["name"]: Spec(one["name"], one["datatype"], tuple(one["shape"])) for one in described}


def _texts(name: str, array: Any) -> Any:
    found = array.copy()
    flat = found.reshape(-1)
    try:
        flat[:] = [one.decode() if isinstance(one, bytes) else one for one in flat]
    except UnicodeDecodeError as error:
        raise Malformed(f"input {name!r}: the model takes text, and this is none") from error
    return found
