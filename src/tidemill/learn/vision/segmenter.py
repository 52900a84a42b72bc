"""A network that says of every place of a picture what is there, on a grid a quarter of the picture's size."""

import torch
from torch import Tensor, nn

from tidemill.learn.vision.backbone import Backbone, Convolution, TopDown, spread_weights

STRIDE = 4


class Segmenter(nn.Module):
    """Pictures in, a number for each class at every fourth pixel out."""

    def __init__(self, classes: int, *, model: str = "small", width: int = 64) -> None:
        super().__init__()
        self.backbone = Backbone(model)
        self.top_down = TopDown(self.backbone.channels, width)
        self.around = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(self.backbone.channels[-1], width, 1), nn.SiLU())
        self.mix = Convolution(width, width)
        self.classes = nn.Conv2d(width, classes, 1)
        spread_weights(self)
        nn.init.normal_(self.classes.weight, std=0.01)

    def forward(self, pictures: Tensor) -> Tensor:
        features = self.backbone(pictures)
        found: Tensor = self.classes(self.mix(self.top_down(features)[0] + self.around(features[-1])))
        return found


class Probabilities(nn.Module):
    """What goes into the ONNX file."""

    def __init__(self, inner: Segmenter) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.softmax(self.inner(pictures), dim=1)
