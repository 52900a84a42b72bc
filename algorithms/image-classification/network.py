"""The network: a residual network as `transformers` builds it, small enough for a processor, or one that was given."""

from pathlib import Path

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForImageClassification, ResNetConfig, ResNetForImageClassification

from tidemill import learn

WIDTHS = {"small": (32, 64, 128, 256), "medium": (64, 128, 256, 512)}


class Network(nn.Module):
    """Pictures in, a number a class out."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        numbers: torch.Tensor = self.inner(pixel_values=pictures).logits
        return numbers


def build(classes: int, size: str, start: Path | None) -> Network:
    """A new network, with what fits of the weights to start from."""
    if start is not None and (start / "config.json").is_file():
        # A folder as `transformers` saves it: any of its classifiers, with a last layer for our classes.
        config = AutoConfig.from_pretrained(start, num_labels=classes)
        return Network(
            AutoModelForImageClassification.from_pretrained(
                start, config=config, ignore_mismatched_sizes=True, use_safetensors=True
            )
        )
    widths = WIDTHS[size]
    config = ResNetConfig(
        num_labels=classes, embedding_size=widths[0], hidden_sizes=list(widths), depths=[2, 2, 2, 2], layer_type="basic"
    )
    network = Network(ResNetForImageClassification(config))
    if start is not None:
        learn.load_matching(network, start)
    return network
