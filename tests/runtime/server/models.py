"""Small models of several kinds, made on the spot."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.algorithms.sets import COLOURS

TYPES = {
    "BOOL": TensorProto.BOOL,
    "UINT8": TensorProto.UINT8,
    "UINT16": TensorProto.UINT16,
    "UINT32": TensorProto.UINT32,
    "UINT64": TensorProto.UINT64,
    "INT8": TensorProto.INT8,
    "INT16": TensorProto.INT16,
    "INT32": TensorProto.INT32,
    "INT64": TensorProto.INT64,
    "FP16": TensorProto.FLOAT16,
    "FP32": TensorProto.FLOAT,
    "FP64": TensorProto.DOUBLE,
    "BYTES": TensorProto.STRING,
}
WEIGHTS = np.arange(12, dtype=np.float32).reshape(4, 3)


def save(folder: Path, graph: Any, facts: dict[str, Any] | None = None) -> Path:
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=9
    )
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(made, str(folder / "model.onnx"))
    if facts is not None:
        (folder / "model.json").write_text(json.dumps(facts))
    return folder


def linear(folder: Path, batch: str | int = "rows", facts: dict[str, Any] | None = None) -> Path:
    """y = x · WEIGHTS, and the sum of each row."""
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "weights"], ["y"]),
            helper.make_node("ReduceSum", ["x", "axes"], ["sum"], keepdims=0),
        ],
        "linear",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 4])],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 3]),
            helper.make_tensor_value_info("sum", TensorProto.FLOAT, [batch]),
        ],
        [numpy_helper.from_array(WEIGHTS, "weights"), numpy_helper.from_array(np.array([1], np.int64), "axes")],
    )
    return save(folder, graph, facts)


def same(folder: Path) -> Path:
    """Gives back what it is given: one tensor of each data type."""
    graph = helper.make_graph(
        [helper.make_node("Identity", [name], [f"{name}_out"]) for name in TYPES],
        "same",
        [helper.make_tensor_value_info(name, kind, ["rows", "width"]) for name, kind in TYPES.items()],
        [helper.make_tensor_value_info(f"{name}_out", kind, ["rows", "width"]) for name, kind in TYPES.items()],
    )
    return save(folder, graph)


def colours(folder: Path) -> Path:
    """A model of a built-in task: says which colour is the strongest."""
    graph = helper.make_graph(
        [
            helper.make_node("ReduceMean", ["pictures", "axes"], ["means"], keepdims=0),
            helper.make_node("MatMul", ["means", "weights"], ["numbers"]),
            helper.make_node("Softmax", ["numbers"], ["probabilities"], axis=1),
        ],
        "colours",
        [helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["batch", 3, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 3])],
        [
            numpy_helper.from_array(np.array([2, 3], np.int64), "axes"),
            numpy_helper.from_array(np.eye(3, dtype=np.float32) * 9, "weights"),
        ],
    )
    spec = {"kind": "image", "size": [8, 8], "fit": "stretch", "layout": "NCHW", "scale": 255}
    facts = {"task": "image-classification", "labels": [{"name": name} for name in COLOURS], "input": spec}
    return save(folder, graph, facts)


def prices(folder: Path) -> Path:
    """A model of a table that predicts a number: the sum of both columns."""
    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["rows", "axes"], ["price"], keepdims=1)],
        "prices",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["batch", 2])],
        [helper.make_tensor_value_info("price", TensorProto.FLOAT, ["batch", 1])],
        [numpy_helper.from_array(np.array([1], np.int64), "axes")],
    )
    columns = [{"name": "size", "kind": "number"}, {"name": "rooms", "kind": "number"}]
    spec = {"kind": "table", "columns": columns, "target": {"column": "price", "kind": "number"}}
    return save(folder, graph, {"task": "tabular", "labels": [], "input": spec})


SLOW = '''
import time
from pathlib import Path


class Model:
    """Waits as long as it is told, or until a file is there, and says which rows came together."""

    inputs = [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}]
    outputs = [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}]
    max_batch_size = 8

    def load(self, folder):
        self.gate = Path(folder) / "gate"

    def predict(self, inputs):
        if inputs["x"].max() >= 1000:
            raise ValueError("that is too much")
        if inputs["x"].min() < 0:
            raise RuntimeError("broken")
        while inputs["x"].any() and not self.gate.exists():
            time.sleep(0.002)
        return {"y": inputs["x"] * 2}

    def answer(self, given):
        return {"labels": [{"label": type(given).__name__, "score": 1.0}]}
'''


def slow(folder: Path) -> tuple[Path, Path]:
    """A class of a user's own, and the folder of its model. It waits for the file `gate` there."""
    code = folder / "code"
    code.mkdir(parents=True)
    (code / "model.py").write_text(SLOW)
    model = folder / "slow"
    model.mkdir()
    return code, model
