"""Pictures seen both ways."""

import torch
from torch import nn


class BothWays(nn.Module):
    """A network that is asked of a picture and of its mirror image; the mean counts. Only what is exported needs it."""

    def __init__(self, network: nn.Module, *, width_axis: int = 3) -> None:
        super().__init__()
        self.network, self.width_axis = network, width_axis

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        both: torch.Tensor = self.network(pictures) + self.network(pictures.flip(self.width_axis))
        return both / 2
