"""An algorithm that learns in a moment: each class is the mean of its pictures' colours, the nearest one wins."""

import json

MANIFEST = {
    "manifest": 1,
    "task": "image-classification",
    "title": {"en": "Mean colours", "zh-CN": "平均颜色"},
    "description": {"en": "The nearest mean colour.", "zh-CN": "最接近的平均颜色。"},
    "image": "tidemill/runtime:2",
    "functions": {"train": {"command": "python train.py", "dataset": "required", "model": "none"}},
    "parameters": [],
    "metrics": [{"name": "accuracy", "goal": "max"}],
    "primary": "accuracy",
}

TRAIN = """
import json

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import Image

import tidemill
from tidemill import data
from tidemill.runtime import load
from tidemill.runtime.evaluating import evaluate

SHARPNESS = 30.0
dataset = data.open().labelled()
train, test = dataset.split(0.3)
colours = {}
for item in train:
    mean = np.asarray(Image.open(item.file).convert("RGB"), dtype=np.float32).mean((0, 1)) / 255
    colours.setdefault(item.classes[0], []).append(mean)
names = sorted(colours)
means = np.stack([np.mean(colours[name], axis=0) for name in names])
# The nearest mean has the largest of 2mx - mm.
weights = (2 * SHARPNESS * means.T).astype(np.float32)
bias = (-SHARPNESS * (means**2).sum(1)).astype(np.float32)
nodes = [
    helper.make_node("GlobalAveragePool", ["image"], ["pooled"]),
    helper.make_node("Flatten", ["pooled"], ["flat"]),
    helper.make_node("Gemm", ["flat", "weights", "bias"], ["near"]),
    helper.make_node("Softmax", ["near"], ["probabilities"], axis=1),
]
graph = helper.make_graph(
    nodes,
    "means",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 8, 8])],
    [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", len(names)])],
    [onnx.numpy_helper.from_array(weights, "weights"), onnx.numpy_helper.from_array(bias, "bias")],
)
out = tidemill.run().output
out.mkdir(parents=True, exist_ok=True)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), out / "model.onnx")
about = {
    "format": "onnx",
    "task": "image-classification",
    "labels": [{"name": name} for name in names],
    "input": {"kind": "image", "size": [8, 8], "fit": "stretch", "scale": 255},
    "signature": {
        "inputs": [{"name": "image", "datatype": "FP32", "shape": [-1, 3, 8, 8]}],
        "outputs": [{"name": "probabilities", "datatype": "FP32", "shape": [-1, len(names)]}],
    },
    "primary": "accuracy",
    "made_with": {"parameters": {"seed": 0, "test_share": 0.3}},
}
(out / "model.json").write_text(json.dumps(about))
judgement = evaluate(load(out), test, out / "evaluation", part="test", name="means")
(out / "model.json").write_text(json.dumps({**about, "metrics": judgement.metrics}))
tidemill.log({"progress": 1.0, **{f"val/{name}": value for name, value in judgement.metrics.items()}})
"""


def files() -> dict[str, bytes]:
    return {"algorithm.json": json.dumps(MANIFEST).encode(), "train.py": TRAIN.encode()}
