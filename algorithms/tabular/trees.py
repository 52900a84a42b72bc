"""LightGBM's trees as ONNX, number for number: rows go the same ways, so that predictions are the same.

Trees are asked with 32-bit numbers. A threshold of 64 bits is rounded down to the nearest of 32: a number of 32 bits is
at most the one exactly when it is at most the other.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from onnx import TensorProto, helper

OPSET, ML_OPSET, IR = 18, 3, 9


def to_onnx(booster: Any, *, features: int, classes: int, rounds: int) -> Any:
    """A model from `fields` (a row of numbers) to `probabilities`, or to `value` where there are no classes."""
    dumped = booster.dump_model(num_iteration=rounds)
    outputs = classes if classes > 2 else 1
    attributes = _attributes(dumped["tree_info"], outputs)
    fields = helper.make_tensor_value_info("fields", TensorProto.FLOAT, [None, features])
    trees = helper.make_node(
        "TreeEnsembleRegressor", ["fields"], ["raw"], domain="ai.onnx.ml", n_targets=outputs, post_transform="NONE",
        aggregate_function="SUM", **attributes,
    )  # fmt: skip
    nodes, constants, name = _ending(classes)
    width = classes if classes else 1
    made = helper.make_graph(
        [trees, *nodes], "trees", [fields], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, width])],
        constants,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    return helper.make_model(made, opset_imports=opsets, ir_version=IR)


def _ending(classes: int) -> tuple[list[Any], list[Any], str]:
    """From what the trees add up to, to what is said."""
    if not classes:
        return [helper.make_node("Identity", ["raw"], ["value"])], [], "value"
    if classes > 2:
        return [helper.make_node("Softmax", ["raw"], ["probabilities"], axis=1)], [], "probabilities"
    one = helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])
    return (
        [
            helper.make_node("Sigmoid", ["raw"], ["second"]),
            helper.make_node("Sub", ["one", "second"], ["first"]),
            helper.make_node("Concat", ["first", "second"], ["probabilities"], axis=1),
        ],
        [one],
        "probabilities",
    )


def _attributes(trees: list[Mapping[str, Any]], outputs: int) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in (
            "treeids", "nodeids", "featureids", "values", "hitrates", "modes", "truenodeids", "falsenodeids",
            "missing_value_tracks_true",
        )
    } | {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}  # fmt: skip
    for number, tree in enumerate(trees):
        for row in _nodes(tree["tree_structure"]):
            for name, value in row.items():
                found[name].append(value)
            found["nodes_treeids"].append(number)
            if row["nodes_modes"] == "LEAF":
                found["target_treeids"].append(number)
                found["target_ids"].append(number % outputs)
    return found


def _nodes(root: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A tree's questions and answers, numbered from its root on."""
    waiting, given = [(0, root)], 1
    while waiting:
        number, node = waiting.pop()
        if "leaf_value" in node and "split_feature" not in node:
            yield _node(number, "LEAF") | {"target_nodeids": number, "target_weights": float(node["leaf_value"])}
            continue
        yes, no = given, given + 1
        given += 2
        yield _node(
            number,
            "BRANCH_LEQ",
            featureids=int(node["split_feature"]),
            values=_rounded_down(float(node["threshold"])),
            truenodeids=yes,
            falsenodeids=no,
            missing_value_tracks_true=int(bool(node["default_left"])),
        )
        waiting += [(yes, node["left_child"]), (no, node["right_child"])]


def _node(number: int, mode: str, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "nodeids": number, "modes": mode, "featureids": 0, "values": 0.0, "hitrates": 1.0, "truenodeids": 0,
        "falsenodeids": 0, "missing_value_tracks_true": 0,
    }  # fmt: skip
    return {f"nodes_{name}": value for name, value in (row | more).items()}


def _rounded_down(threshold: float) -> float:
    largest = float(np.finfo(np.float32).max)
    if abs(threshold) >= largest:
        # Trees say so when every number goes one way, and only what is missing the other.
        return largest if threshold > 0 else -largest
    near = np.float32(threshold)
    return float(np.nextafter(near, np.float32(-np.inf)) if near > threshold else near)
