"""A detector without anchors: every cell of three scales says what is there, where its sides and its points are.

One network for boxes and for keypoints; what comes out for a batch of pictures is one row a cell:
`scores` (a logit a label), `boxes` (left, top, right, bottom in pixels), `points` (x, y in pixels, visibility logit).
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tidemill.learn.vision.backbone import Backbone, Convolution, Pyramid, places, spread_weights

STRIDES = (8, 16, 32)
RARE = 0.01
"""How likely a cell is thought to hold something before anything was learned."""


@dataclass
class Dense:
    """What the network says of a batch; `centres` and `strides` are those of the cells."""

    scores: Tensor
    boxes: Tensor
    points: Tensor | None
    centres: Tensor
    strides: Tensor


class DenseDetector(nn.Module):
    """`points` is the most keypoints a label has, 0 for boxes alone. `size`: height and width of pictures."""

    def __init__(self, labels: int, *, points: int = 0, model: str = "small", width: int = 64) -> None:
        super().__init__()
        self.labels, self.points = labels, points
        self.backbone = Backbone(model)
        self.pyramid = Pyramid(self.backbone.channels[1:], width)
        self.what = nn.Sequential(Convolution(width, width), Convolution(width, width))
        self.where = nn.Sequential(Convolution(width, width), Convolution(width, width))
        self.score = nn.Conv2d(width, labels, 1)
        self.sides = nn.Conv2d(width, 4, 1)
        self.joints = nn.Conv2d(width, 3 * points, 1) if points else None
        self.scales = nn.Parameter(torch.ones(len(STRIDES)))
        spread_weights(self)
        self._start_small()

    def forward(self, pictures: Tensor) -> Dense:
        features = self.pyramid(self.backbone(pictures)[1:])
        centres, strides = places([(int(x.shape[2]), int(x.shape[3])) for x in features], STRIDES)
        centres, strides = centres.to(pictures.device), strides.to(pictures.device)
        scores, sides, joints = [], [], []
        for level, x in enumerate(features):
            what, where = self.what(x), self.where(x)
            scores.append(_rows(self.score(what), self.labels))
            sides.append(_rows(self.sides(where).float() * self.scales[level], 4))
            if self.joints is not None:
                joints.append(_rows(self.joints(where).float(), 3 * self.points))
        boxes = _boxes(torch.cat(sides, 1), centres, strides)
        points = _points(torch.cat(joints, 1), centres, strides, self.points) if joints else None
        return Dense(torch.cat(scores, 1).float(), boxes, points, centres, strides)

    def _start_small(self) -> None:
        for head in (self.score, self.sides, self.joints):
            if head is not None:
                nn.init.normal_(head.weight, std=0.01)
        assert self.score.bias is not None
        assert self.sides.bias is not None
        nn.init.constant_(self.score.bias, -math.log((1 - RARE) / RARE))
        # Things are a few cells wide more often than not.
        nn.init.constant_(self.sides.bias, 1.0)


class Exported(nn.Module):
    """What goes into the ONNX file: pictures in, one row a cell: box, a probability a label, points x, y, v."""

    def __init__(self, network: DenseDetector) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: Tensor) -> Tensor:
        found = self.network(pictures)
        parts = [found.boxes, found.scores.sigmoid()]
        if found.points is not None:
            visible = torch.cat([found.points[..., :2], found.points[..., 2:].sigmoid()], -1)
            parts.append(visible.flatten(2))
        return torch.cat(parts, -1)


def _rows(x: Tensor, count: int) -> Tensor:
    """(batch, channels, height, width) as (batch, cells, channels)."""
    return x.flatten(2).transpose(1, 2).reshape(x.shape[0], -1, count)


def _boxes(sides: Tensor, centres: Tensor, strides: Tensor) -> Tensor:
    far = nn.functional.softplus(sides) * strides[:, None] * 2
    return torch.cat([centres - far[..., :2], centres + far[..., 2:]], -1)


def _points(raw: Tensor, centres: Tensor, strides: Tensor, count: int) -> Tensor:
    shaped = raw.reshape(raw.shape[0], raw.shape[1], count, 3)
    moved = shaped[..., :2] * (strides * 4)[:, None, None] + centres[:, None, :]
    return torch.cat([moved, shaped[..., 2:]], -1)
