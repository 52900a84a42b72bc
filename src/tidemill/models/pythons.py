"""In which Python models run: the platform's own where it has what they need, an image of ours otherwise."""

import importlib.util
from functools import cache

RUNTIME, ALGORITHMS = "tidemill/runtime:2", "tidemill/algorithms:1"
_NEEDS = {
    RUNTIME: ("onnxruntime", "numpy", "PIL", "orjson", "uvicorn", "uvloop", "httptools", "grpc"),
    ALGORITHMS: ("torch", "transformers", "onnx", "onnxruntime", "numpy", "PIL", "safetensors", "sklearn", "lightgbm"),
}


def image_for(image: str | None, *, own_python: bool) -> str | None:
    """The image to run in; None is the platform's own Python. Images of others are as they are."""
    return None if image in _NEEDS and own_python and _has(image) else image


@cache
def _has(image: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in _NEEDS[image])
