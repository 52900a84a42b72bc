"""The smallest model files of several formats, made by hand."""

import io
import json
import struct
import zipfile


def onnx() -> bytes:
    """A graph of two nodes, y = Relu(Neg(x))."""
    tensor = _message(1, _number(1, 1) + _message(2, _message(1, _number(1, 3))))
    graph = (
        _message(1, _text(1, "x") + _text(2, "h") + _text(4, "Neg"))
        + _message(1, _text(1, "h") + _text(2, "y") + _text(4, "Relu"))
        + _text(2, "tiny")
        + _message(11, _text(1, "x") + _message(2, tensor))
        + _message(12, _text(1, "y") + _message(2, tensor))
    )
    return _number(1, 8) + _message(7, graph) + _message(8, _number(2, 13))


def safetensors() -> bytes:
    """One layer's weights and bias."""
    header = {
        "layer.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "layer.bias": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]},
    }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + struct.pack("<6f", *range(6))


def keras() -> bytes:
    """Two dense layers, as Keras 3 saves them."""
    layers = [
        _layer("InputLayer", {"batch_shape": [None, 4], "dtype": "float32", "name": "input"}),
        _layer("Dense", {"name": "hidden", "units": 8, "activation": "relu", "dtype": "float32", "use_bias": True}),
        _layer("Dense", {"name": "answer", "units": 2, "activation": "softmax", "dtype": "float32", "use_bias": True}),
    ]
    config = {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "tiny", "trainable": True, "layers": layers},
        "registered_name": None,
        "build_config": {"input_shape": [None, 4]},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.0.0", "date_saved": "2026-01-01@00:00:00"}))
        archive.writestr("config.json", json.dumps(config))
    return buffer.getvalue()


def _layer(name: str, config: dict[str, object]) -> dict[str, object]:
    return {"module": "keras.layers", "class_name": name, "config": config, "registered_name": None}


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())
