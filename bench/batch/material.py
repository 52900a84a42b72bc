"""What is looked at: photographs as a camera makes them, roughly, and a network that is neither tiny nor large."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

LABELS = [f"class-{number}" for number in range(10)]
SIZE = 224


def write_pictures(folder: Path, count: int) -> None:
    """JPEGs of 640 by 480 with some structure, each another."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    base = random.integers(0, 255, (30, 40, 3), dtype=np.uint8)
    large = np.asarray(Image.fromarray(base).resize((640, 480), Image.Resampling.BICUBIC), dtype=np.int16)
    for number in range(count):
        turned = np.roll(large, (number * 7 % 480, number * 13 % 640), axis=(0, 1))
        noisy = np.clip(turned + random.integers(-12, 12, turned.shape, dtype=np.int16), 0, 255).astype(np.uint8)
        out = io.BytesIO()
        Image.fromarray(noisy).save(out, "JPEG", quality=88)
        (folder / f"{number:05d}.jpg").write_bytes(out.getvalue())


def write_model(folder: Path, width: int) -> None:
    """A convolutional classifier with weights by chance; `width` is how much it computes."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(1)
    nodes: list[Any] = []
    weights: list[Any] = []
    channels, name = 3, "image"
    for layer in range(4):
        out = width * 2**layer
        kernel = (random.standard_normal((out, channels, 3, 3)) / (3 * channels**0.5)).astype(np.float32)
        weights.append(numpy_helper.from_array(kernel, f"w{layer}"))
        nodes += [
            helper.make_node("Conv", [name, f"w{layer}"], [f"c{layer}"], strides=[2, 2], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"]),
        ]
        channels, name = out, f"r{layer}"
    head = (random.standard_normal((channels, len(LABELS)))).astype(np.float32)
    weights.append(numpy_helper.from_array(head, "head"))
    nodes += [
        helper.make_node("GlobalAveragePool", [name], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("MatMul", ["flat", "head"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "batch",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", len(LABELS)])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    about = {
        "format": "onnx",
        "task": "image-classification",
        "labels": [{"name": label} for label in LABELS],
        "input": {"kind": "image", "size": [SIZE, SIZE], "fit": "crop", "scale": 255},
    }
    (folder / "model.json").write_text(json.dumps(about))
