"""The files a training on pictures leaves, and how good its model is."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from tidemill import learn
from tidemill.evaluation import Judgement


def leave(
    training: learn.Training,
    module: nn.Module,
    exported: type[nn.Module],
    *,
    output: str,
    labels: Sequence[Mapping[str, Any]],
    spec: Mapping[str, Any],
    threshold: float = 0.5,
) -> Judgement:
    """Writes `model.onnx` (the module within `exported`) and the weights, and evaluates. Only for the first process."""
    about = {"task": training.task, "labels": list(labels), "input": dict(spec)}
    module = module.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    learn.export_onnx(
        exported(module),
        (torch.zeros(1, 3, *spec["size"]),),
        training.out / "model.onnx",
        inputs=["pictures"],
        outputs=[output],
        about=about,
    )
    learn.save_weights(module, training.out / "weights.safetensors")
    return training.finish(labels=labels, input=spec, threshold=threshold)
