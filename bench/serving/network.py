"""The model everybody serves: a perceptron of 16, 64, 64 and 4 with weights by chance, always the same."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = (16, 64, 64, 4)
NAME = "mlp"


def make(folder: Path) -> Path:
    """`mlp/model.onnx` in the folder, and `request.json`; the request's path."""
    chance = np.random.default_rng(0)
    nodes, weights, given = [], [], "x"
    for at, (wide, narrow) in enumerate(pairwise(SIZES)):
        is_last = at == len(SIZES) - 2
        made = "y" if is_last else f"sum{at}"
        nodes.append(helper.make_node("Gemm", [given, f"weight{at}", f"bias{at}"], [made]))
        values = chance.normal(0, 0.2, (wide, narrow)), chance.normal(0, 0.2, narrow)
        for kind, value in zip(("weight", "bias"), values, strict=True):
            weights.append(numpy_helper.from_array(value.astype(np.float32), f"{kind}{at}"))
        if not is_last:
            given = f"relu{at}"
            nodes.append(helper.make_node("Relu", [made], [given]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
        for name, size in (("x", SIZES[0]), ("y", SIZES[-1]))
    ]
    graph = helper.make_graph(nodes, NAME, ends[:1], ends[1:], weights)
    (folder / NAME).mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / NAME / "model.onnx"))
    tensor = {
        "name": "x",
        "shape": [1, SIZES[0]],
        "datatype": "FP32",
        "data": chance.random(SIZES[0]).round(4).tolist(),
    }
    request = folder / "request.json"
    request.write_text(json.dumps({"inputs": [tensor]}))
    return request
