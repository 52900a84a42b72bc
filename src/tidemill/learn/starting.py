"""Weights to start from: whatever of another model fits."""

import logging
from pathlib import Path

import torch

_log = logging.getLogger("tidemill.learn")
WEIGHTS = "weights.safetensors"


def load_matching(module: torch.nn.Module, folder: Path) -> float:
    """Takes over the weights of the same name and shape; the share of the module's numbers that were found.

    What does not fit, such as the last layer for other classes, begins anew.
    """
    from safetensors.torch import load_file

    file = folder / WEIGHTS
    if not file.is_file():
        return 0.0
    given, own = load_file(file), module.state_dict()
    fitting = {name: tensor for name, tensor in given.items() if name in own and own[name].shape == tensor.shape}
    module.load_state_dict(fitting, strict=False)
    found = sum(int(tensor.numel()) for tensor in fitting.values())
    share = found / max(1, sum(int(tensor.numel()) for tensor in own.values()))
    _log.info("starts from %s: %.0f%% of the weights", folder.name, 100 * share)
    return share
