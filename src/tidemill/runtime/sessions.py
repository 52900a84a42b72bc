"""onnxruntime: opening a file, running it in batches, what goes in and out."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = Any

_TYPES = {
    "tensor(float)": "FP32",
    "tensor(float16)": "FP16",
    "tensor(double)": "FP64",
    "tensor(int64)": "INT64",
    "tensor(int32)": "INT32",
    "tensor(int16)": "INT16",
    "tensor(int8)": "INT8",
    "tensor(uint8)": "UINT8",
    "tensor(uint16)": "UINT16",
    "tensor(uint32)": "UINT32",
    "tensor(uint64)": "UINT64",
    "tensor(bool)": "BOOL",
    "tensor(string)": "BYTES",
}
"""Data types as the Open Inference Protocol calls them."""


class Session:
    """An ONNX file that can be run. A GPU is used where onnxruntime has one."""

    def __init__(self, file: Path, *, threads: int | None = None) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or int(os.environ.get("TIDEMILL_RUNTIME_THREADS") or 0)
        options.log_severity_level = 3
        if os.environ.get("TIDEMILL_RUNTIME_SPINNING") == "0":
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
        available = onnxruntime.get_available_providers()
        providers = [name for name in wanted if name in available]
        self._session = onnxruntime.InferenceSession(str(file), options, providers=providers)
        self.inputs = [_described(one) for one in self._session.get_inputs()]
        self.outputs = [_described(one) for one in self._session.get_outputs()]
        self._names = [one["name"] for one in self.outputs]

    @property
    def takes_batches(self) -> bool:
        """Whether several items can go in at once."""
        shape = self.inputs[0]["shape"]
        return not shape or shape[0] != 1

    def run(self, feeds: Mapping[str, Array]) -> list[Array]:
        """All outputs, in order."""
        found: list[Array] = self._session.run(self._names, dict(feeds))
        return found

    def run_rows(self, *inputs: Array) -> list[Array]:
        """All outputs for rows given as one array an input; one by one where the file takes only one."""
        names = [one["name"] for one in self.inputs]
        if self.takes_batches or len(inputs[0]) == 1:
            return self.run(dict(zip(names, inputs, strict=True)))
        rows = [
            self.run({name: one[at : at + 1] for name, one in zip(names, inputs, strict=True)})
            for at in range(len(inputs[0]))
        ]
        return [np.concatenate(parts) for parts in zip(*rows, strict=True)]


def metadata(file: Path) -> dict[str, str]:
    """What an ONNX file says of itself."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    found: dict[str, str] = session.get_modelmeta().custom_metadata_map
    return found


def signature(file: Path) -> dict[str, list[dict[str, Any]]]:
    """`inputs` and `outputs` as `model.json` lists them; -1 is any length."""
    session = Session(file)
    return {"inputs": session.inputs, "outputs": session.outputs}


def _described(one: Any) -> dict[str, Any]:
    shape: Sequence[Any] = one.shape or []
    sizes = [size if isinstance(size, int) and size >= 0 else -1 for size in shape]
    return {"name": one.name, "datatype": _TYPES.get(one.type, one.type), "shape": sizes}
