"""The network: two opinions of a text, learnt beside each other, whose mean counts.

One weighs every piece of the text by itself and adds up (good at telling words, wherever they are); the other looks at
what stands beside what (good at negations and phrases). Each has its own loss, so that neither leans on the other.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

LOOKS = (2, 3, 4, 5)
SCALE = 4.0


class TextNet(nn.Module):
    """Places, weights and order in; a number a class out, in training the two opinions apart."""

    def __init__(self, classes: int, buckets: int, known: int, dropout: float, width: int = 64) -> None:
        super().__init__()
        self.dropout = dropout
        self.register_buffer("rarity", torch.ones(buckets))
        self.pieces = nn.Embedding(buckets, classes, padding_idx=0)
        nn.init.zeros_(self.pieces.weight)
        self.bias = nn.Parameter(torch.zeros(classes))
        self.words = nn.Embedding(known, width, padding_idx=0)
        self.looks = nn.ModuleList([nn.Conv1d(width, width, look, padding=look // 2) for look in LOOKS])
        self.last = nn.Linear(width * len(LOOKS), classes)

    def forward(self, given: Sequence[torch.Tensor]) -> torch.Tensor:
        places, weights, order = given
        both = self._added(places, weights), self._looked(order)
        return torch.stack(both) if self.training else (both[0] + both[1]) / 2

    def learning_rate_shares(self) -> dict[str, float]:
        """What is added up learns faster: each of its numbers is touched seldom."""
        return {"pieces": 3.0}

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
        said = functional.dropout(self.words(order), self.dropout, self.training).transpose(1, 2)
        found = torch.cat([functional.relu(look(said)).amax(dim=2) for look in self.looks], dim=1)
        numbers: torch.Tensor = self.last(functional.dropout(found, self.dropout, self.training))
        return numbers
