"""A small residual network for pictures with a pyramid on top: features at three or four scales.

Plain convolutions with batch norm: they are what processors without a GPU do fastest, and what trains from nothing on a
few hundred pictures.
"""

import torch
from torch import Tensor, nn

SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    # channels at strides 2, 4, 8, 16, 32; blocks at strides 4, 8, 16, 32
    "tiny": ((16, 24, 48, 96, 128), (1, 1, 1, 1)),
    "small": ((16, 32, 64, 128, 192), (1, 2, 2, 1)),
    "medium": ((32, 64, 128, 256, 384), (2, 2, 3, 2)),
}


class Convolution(nn.Sequential):
    """Convolution, norm, activation."""

    def __init__(self, inside: int, outside: int, size: int = 3, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inside, outside, size, stride, size // 2, bias=False),
            nn.BatchNorm2d(outside),
            nn.SiLU(inplace=True),
        )


class Residual(nn.Module):
    """Two convolutions beside a straight way; the middle one is half as wide."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.narrow = Convolution(channels, channels // 2, 1)
        self.wide = Convolution(channels // 2, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        beside: Tensor = self.wide(self.narrow(x))
        return x + beside


class Backbone(nn.Module):
    """Features at strides 4, 8, 16 and 32."""

    def __init__(self, size: str = "small") -> None:
        super().__init__()
        channels, blocks = SIZES[size]
        self.channels = channels[1:]
        self.stem = Convolution(3, channels[0], 3, 2)
        self.stages = nn.ModuleList(
            nn.Sequential(Convolution(before, after, 3, 2), *(Residual(after) for _ in range(count)))
            for before, after, count in zip(channels, channels[1:], blocks, strict=False)
        )

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.stem(x)
        found = []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


class TopDown(nn.Module):
    """Coarse features passed down to the finer ones, all of the same width."""

    def __init__(self, channels: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.across = nn.ModuleList(Convolution(count, width, 1) for count in channels)
        self.down = nn.ModuleList(Convolution(width, width) for _ in channels[:-1])

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        found = [across(x) for across, x in zip(self.across, features, strict=True)]
        for place in range(len(found) - 2, -1, -1):
            coarse = nn.functional.interpolate(found[place + 1], scale_factor=2.0, mode="nearest")
            found[place] = self.down[place](found[place] + coarse)
        return found


class Pyramid(nn.Module):
    """Coarse features passed down to the finer ones and back up."""

    def __init__(self, channels: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.top_down = TopDown(channels, width)
        self.up = nn.ModuleList(Convolution(width, width, 3, 2) for _ in channels[:-1])
        self.out = nn.ModuleList(Convolution(width, width) for _ in channels[:-1])

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        found: list[Tensor] = self.top_down(features)
        for place in range(1, len(found)):
            found[place] = self.out[place - 1](found[place] + self.up[place - 1](found[place - 1]))
        return found


def spread_weights(module: nn.Module) -> None:
    """Starting values for convolutions that are trained from nothing."""
    for one in module.modules():
        if isinstance(one, nn.Conv2d):
            nn.init.kaiming_normal_(one.weight, mode="fan_out", nonlinearity="relu")
            if one.bias is not None:
                nn.init.zeros_(one.bias)


def places(shapes: list[tuple[int, int]], strides: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The middle of every cell of every scale in pixels (x, y), and its stride."""
    centres, steps = [], []
    for (height, width), stride in zip(shapes, strides, strict=True):
        ys = (torch.arange(height, dtype=torch.float32) + 0.5) * stride
        xs = (torch.arange(width, dtype=torch.float32) + 0.5) * stride
        grid = torch.stack([xs.repeat(height), ys.repeat_interleave(width)], dim=1)
        centres.append(grid)
        steps.append(torch.full((len(grid),), float(stride)))
    return torch.cat(centres), torch.cat(steps)
