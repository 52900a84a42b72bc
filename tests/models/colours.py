"""A real model that takes a moment to make: it says which of three colours a picture has most of."""

import io
import json
from functools import cache
from typing import Any

import onnx
from onnx import TensorProto, helper
from PIL import Image

LABELS = ("red", "green", "blue")
_VALUES = {"red": (230, 20, 20), "green": (20, 230, 20), "blue": (20, 20, 230), "grey": (128, 128, 128)}


def picture(colour: str, number: int = 0) -> bytes:
    """A picture of one colour, another for each number; `grey` is of none more than of the others."""
    image = Image.new("RGB", (24, 16), _VALUES[colour])
    image.putpixel((number % 24, number // 24 % 16), (number % 256, number % 251, number % 241))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@cache
def network(sharpness: float = 8.0) -> bytes:
    """Mean of each channel, sharpened, as probabilities."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Mul", ["flat", "sharpness"], ["sharp"]),
        helper.make_node("Softmax", ["sharp"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "colours",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor("sharpness", TensorProto.FLOAT, [1], [sharpness])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def described(labels: tuple[str, ...] = LABELS, **more: Any) -> dict[str, Any]:
    return {
        "format": "onnx",
        "task": "image-classification",
        "labels": [{"name": label} for label in labels],
        "input": {"kind": "image", "size": [8, 8], "fit": "stretch", "scale": 255},
        "signature": {
            "inputs": [{"name": "image", "datatype": "FP32", "shape": [-1, 3, 8, 8]}],
            "outputs": [{"name": "probabilities", "datatype": "FP32", "shape": [-1, 3]}],
        },
        "metrics": {"accuracy": 0.9},
        "primary": "accuracy",
        "made_with": {"parameters": {"seed": 0, "test_share": 0.2}},
        **more,
    }


def model_files(labels: tuple[str, ...] = LABELS, *, sharpness: float = 8.0, **more: Any) -> dict[str, bytes]:
    """The files of such a model."""
    return {"model.onnx": network(sharpness), "model.json": json.dumps(described(labels, **more)).encode()}
