"""In which Python models run: the platform's own where it has what they need, an image of ours otherwise."""

import importlib.util
import re
from functools import cache

from tidemill.images.builtin import BUILTINS

RUNTIME, ALGORITHMS = "tidemill/runtime:2", "tidemill/algorithms:1"
_NEEDS = {
    RUNTIME: ("onnxruntime", "numpy", "PIL", "orjson", "uvicorn", "uvloop", "httptools", "grpc"),
    ALGORITHMS: ("torch", "transformers", "onnx", "onnxruntime", "numpy", "PIL", "safetensors", "sklearn", "lightgbm"),
}


def image_for(image: str | None, *, own_python: bool) -> str | None:
    """The image to run in; None is the platform's own Python. Images of others are as they are."""
    return None if image in _NEEDS and own_python and _has(image) else image


def needs_of(image: str) -> tuple[str, ...]:
    """What an image of ours is made of, as packages are called; nothing for other images."""
    return tuple(re.split(r"[<>=!~ \[;]", line, maxsplit=1)[0] for line in requirements_of(image))


def requirements_of(image: str) -> tuple[str, ...]:
    """The same as pip reads it, with the versions that will do."""
    name, _, version = image.partition(":")
    found = next((one for one in BUILTINS if (one.name, one.version) == (name, version)), None)
    return found.requirements if found else ()


@cache
def _has(image: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in _NEEDS[image])
