"""The network: every piece of a text weighed by itself, and several small looks at what stands beside what.

The weights of pieces are good at telling words, wherever they are; the looks at negations and phrases. There are
several opinions: each adds its own looks to the same weights and is to be right by itself, and their mean counts.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

LOOKS = (2, 3, 4, 5)
SCALE = 4.0
WIDTH = 64


class TextNet(nn.Module):
    """Places, weights and order in; a number a class out, in training one for each opinion."""

    def __init__(self, classes: int, buckets: int, known: int, dropout: float, opinions: int = 2) -> None:
        super().__init__()
        self.dropout, self.opinions = dropout, opinions
        self.register_buffer("rarity", torch.ones(buckets))
        self.pieces = nn.Embedding(buckets, classes, padding_idx=0)
        nn.init.zeros_(self.pieces.weight)
        self.bias = nn.Parameter(torch.zeros(classes))
        wide = WIDTH * opinions
        self.words = nn.Embedding(known, wide, padding_idx=0)
        self.looks = nn.ModuleList([nn.Conv1d(wide, wide, look, padding=look // 2, groups=opinions) for look in LOOKS])
        self.last = nn.Parameter(torch.randn(opinions, WIDTH * len(LOOKS), classes) * 0.06)

    def forward(self, given: Sequence[torch.Tensor]) -> torch.Tensor:
        places, weights, order = given
        found = self._added(places, weights) + self._looked(order)
        return found if self.training else found.mean(dim=0)

    def learning_rate_shares(self) -> dict[str, float]:
        """What is added up learns faster: each of its numbers is touched seldom."""
        return {"pieces": 5.0}

    def set_rarity(self, counts: torch.Tensor, texts: int) -> None:
        """What is in few texts counts more."""
        self.rarity.copy_(torch.log((1 + texts) / (1 + counts.float())) + 1)

    def _added(self, places: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        weights = weights * functional.embedding(places, self.rarity[:, None])[..., 0]
        length = weights.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-6
        weights = functional.dropout(weights / length * SCALE, self.dropout, self.training)
        if torch.onnx.is_in_onnx_export():
            return (self.pieces(places) * weights[..., None]).sum(dim=1) + self.bias
        added = functional.embedding_bag(
            places, self.pieces.weight, mode="sum", per_sample_weights=weights, padding_idx=0
        )
        return added + self.bias

    def _looked(self, order: torch.Tensor) -> torch.Tensor:
        """Opinions, texts, classes."""
        said = functional.dropout(self.words(order), self.dropout, self.training).transpose(1, 2)
        seen = [functional.relu(look(said)).amax(dim=2).reshape(-1, self.opinions, WIDTH) for look in self.looks]
        found = functional.dropout(torch.cat(seen, dim=2), min(0.9, self.dropout + 0.2), self.training)
        return torch.matmul(found.transpose(0, 1), self.last)
