"""From a torch module to the files of a model: ONNX that knows what it is for, and weights without pickles."""

import json
import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from tidemill.runtime.model import METADATA

OPSET = 18


def export_onnx(
    module: torch.nn.Module,
    example: tuple[torch.Tensor, ...],
    file: Path,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    about: Mapping[str, Any],
    dynamic: Mapping[str, Mapping[int, str]] | None = None,
) -> Path:
    """Writes the module as ONNX. `about` (task, labels, input) goes into its metadata.

    The first axis of all inputs and outputs is the batch and may have any length; `dynamic` names more such axes.
    """
    axes: dict[str, dict[int, str]] = {name: {0: "batch"} for name in [*inputs, *outputs]}
    for name, more in (dynamic or {}).items():
        axes[name] |= dict(more)
    part = file.with_name(f"{file.name}.tmp")
    module = module.cpu().eval()
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), torch.no_grad():
        # The exporter that traces: modules of all kinds go through it, and it needs nothing more to be installed.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            example,
            str(part),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    describe_onnx(part, about)
    part.rename(file)
    return file


def describe_onnx(file: Path, about: Mapping[str, Any]) -> None:
    """Writes into an ONNX file what it is for."""
    import onnx

    model = onnx.load(str(file))
    set_metadata(model, about)
    onnx.save(model, str(file))


def set_metadata(model: Any, about: Mapping[str, Any]) -> None:
    import onnx

    onnx.helper.set_model_props(model, {METADATA: json.dumps(about, ensure_ascii=False)})


def save_weights(module: torch.nn.Module, file: Path) -> Path:
    """`weights.safetensors`: what further training starts from."""
    from safetensors.torch import save_file

    part = file.with_name(f"{file.name}.tmp")
    # Tensors that share their memory are written once each: the format knows no sharing.
    save_file({name: tensor.detach().cpu().contiguous().clone() for name, tensor in module.state_dict().items()}, part)
    part.rename(file)
    return file
