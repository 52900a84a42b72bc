"""An ONNX classifier as a torch module that can learn further: convolutions and what stands between them.

Quantised files become plain again: stored weights get their values back, and rounding in between is left out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

POOLS = {"GlobalAveragePool", "AveragePool", "ReduceMean"}


class Unknown(ValueError):
    """The file has a layer that is not known here."""


class Graph(nn.Module):
    """The layers of a file up to its last pooling: pictures in (as the file takes them), features out."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        nodes = list(model.graph.node)
        ends = [at for at, node in enumerate(nodes) if node.op_type in POOLS]
        if not ends:
            raise Unknown("no pooling")
        self._given = model.graph.input[0].name
        self._constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
        self._steps: list[tuple[str, list[str], Callable[..., Any]]] = []
        self._weights = nn.ParameterList()
        self._last = nodes[ends[-1]].output[0]
        needed = _needed(nodes[: ends[-1] + 1], self._last)
        for node in nodes[: ends[-1] + 1]:
            if node.output[0] in needed:
                self._add(node)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        known = {self._given: pictures}
        for made, given, step in self._steps:
            known[made] = step(*(known[name] for name in given))
        return known[self._last].flatten(1)

    def freeze(self, share: float) -> None:
        """The first layers see edges and colours, which are the same everywhere: they are not learnt again."""
        for weight in list(self._weights)[: int(len(self._weights) * share)]:
            weight.requires_grad_(False)

    def _add(self, node: Any) -> None:
        kind, made = node.op_type, node.output[0]
        stored = [name for name in node.input if name in self._constants]
        moving = [name for name in node.input if name and name not in self._constants]
        if kind in POOLS and made != self._last:
            raise Unknown(f"{kind} before the last")
        if not moving:
            # Of stored numbers only: they are worked out once.
            self._constants[made] = _stored(node, [self._constants[name] for name in node.input])
            return
        if kind in {"QuantizeLinear", "Identity", "Cast"}:
            self._steps.append((made, moving, lambda value: value))
        elif kind == "DequantizeLinear":
            self._steps.append((made, moving, self._dequantised(node)))
        elif kind == "Conv":
            self._steps.append((made, moving, self._convolution(node)))
        elif kind in _PLAIN:
            self._steps.append((made, moving, _PLAIN[kind](node, [self._constants[name] for name in stored])))
        else:
            raise Unknown(kind)

    def _dequantised(self, node: Any) -> Callable[..., Any]:
        """Of the picture itself, whose bytes stand for numbers; elsewhere rounding was left out and so is this."""
        source = node.input[0]
        origin = {made: given for made, given, _ in self._steps if len(given) == 1}
        while source in origin and source != self._given and self._is_move(source):
            source = origin[source][0]
        if source != self._given:
            return lambda value: value
        scale = float(self._constants[node.input[1]])
        zero = float(self._constants[node.input[2]]) if len(node.input) > 2 else 0.0
        return lambda value: (value - zero) * scale

    def _is_move(self, made: str) -> bool:
        return any(made == name and getattr(step, "is_move", False) for name, _, step in self._steps)

    def _convolution(self, node: Any) -> Callable[..., Any]:
        about = _attributes(node)
        weight = self._learnt(self._constants[node.input[1]])
        bias = self._learnt(self._constants[node.input[2]]) if len(node.input) > 2 else None
        left, right = _padding(about)
        stride, groups = tuple(about.get("strides", (1, 1))), int(about.get("group", 1))
        dilation = tuple(about.get("dilations", (1, 1)))

        def convolved(value: torch.Tensor) -> torch.Tensor:
            if left != right:
                value = functional.pad(value, (left[1], right[1], left[0], right[0]))
            own = (0, 0) if left != right else left
            kernel, shift = self._weights[weight], None if bias is None else self._weights[bias]
            return functional.conv2d(value, kernel, shift, stride, own, dilation, groups)

        return convolved

    def _learnt(self, numbers: np.ndarray) -> int:
        self._weights.append(nn.Parameter(torch.tensor(np.array(numbers, np.float32))))
        return len(self._weights) - 1


def _needed(nodes: list[Any], last: str) -> set[str]:
    found = {last}
    for node in reversed(nodes):
        if found & set(node.output):
            found |= set(node.input) | set(node.output)
    return found


def _stored(node: Any, given: list[np.ndarray]) -> np.ndarray:
    if node.op_type == "Constant":
        return numpy_helper.to_array(node.attribute[0].t)
    if node.op_type == "Identity":
        return given[0]
    if node.op_type != "DequantizeLinear":
        raise Unknown(f"{node.op_type} of stored numbers")
    value, scale = given[0].astype(np.float32), np.asarray(given[1], np.float32)
    zero = np.asarray(given[2], np.float32) if len(given) > 2 else np.float32(0)
    if scale.ndim and scale.size > 1:
        axis = _attributes(node).get("axis", 1)
        shape = [-1 if at == axis else 1 for at in range(value.ndim)]
        scale, zero = scale.reshape(shape), np.broadcast_to(zero, scale.shape).reshape(shape)
    return (value - zero) * scale


def _attributes(node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in node.attribute:
        kinds = {1: one.f, 2: one.i, 3: one.s, 6: list(one.floats), 7: list(one.ints)}
        found[one.name] = kinds.get(one.type)
    return found


def _padding(about: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if about.get("auto_pad") not in {None, b"NOTSET", b"VALID"}:
        raise Unknown("padding that is worked out")
    pads = about.get("pads") or [0, 0, 0, 0]
    return tuple(pads[:2]), tuple(pads[2:])


def _clip(_node: Any, stored: list[np.ndarray]) -> Callable[..., Any]:
    low, high = (float(value) for value in (*stored, np.float32(np.inf))[:2]) if stored else (-np.inf, np.inf)
    return lambda value: value.clamp(low, high)


def _transpose(node: Any, _stored_ones: list[np.ndarray]) -> Callable[..., Any]:
    order = tuple(_attributes(node)["perm"])

    def turned(value: torch.Tensor) -> torch.Tensor:
        return value.permute(order)

    turned.is_move = True  # type: ignore[attr-defined]
    return turned


def _add(_node: Any, stored: list[np.ndarray]) -> Callable[..., Any]:
    if stored:
        other = torch.tensor(stored[0], dtype=torch.float32)
        return lambda value: value + other.to(value.device)
    return lambda first, second: first + second


def _mean(_node: Any, _stored_ones: list[np.ndarray]) -> Callable[..., Any]:
    """Over the whole picture, however large it is."""
    return lambda value: value.mean(dim=(2, 3))


_PLAIN: dict[str, Callable[[Any, list[np.ndarray]], Callable[..., Any]]] = {
    "Add": _add,
    "AveragePool": _mean,
    "Clip": _clip,
    "GlobalAveragePool": _mean,
    "ReduceMean": _mean,
    "Relu": lambda *_: functional.relu,
    "Sigmoid": lambda *_: torch.sigmoid,
    "Transpose": _transpose,
}
