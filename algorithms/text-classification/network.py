"""The network: every piece of a text weighed by itself, and several small looks at what stands beside what.

The weights of pieces (`linear.py`) are good at telling words, wherever they are; the looks at negations and phrases.
The looks learn what is to be added to what the pieces say of texts they do not know, and so only what those miss. There
are several opinions of the looks: each is to be right by itself, and their mean counts.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

LOOKS = (2, 3, 4, 5)
WIDTH = 64


class Looks(nn.Module):
    """Texts in order in; a number a class out, in training one for each opinion."""

    def __init__(self, classes: int, known: int, dropout: float, opinions: int = 2) -> None:
        super().__init__()
        self.dropout, self.opinions = dropout, opinions
        wide = WIDTH * opinions
        self.words = nn.Embedding(known, wide, padding_idx=0)
        # Small at first: a word that is seen seldom must not be louder than what was learnt of others.
        nn.init.normal_(self.words.weight, std=0.2)
        nn.init.zeros_(self.words.weight[0])
        self.looks = nn.ModuleList([nn.Conv1d(wide, wide, look, padding=look // 2, groups=opinions) for look in LOOKS])
        self.last = nn.Parameter(torch.randn(opinions, WIDTH * len(LOOKS), classes) * 0.06)
        self.bias = nn.Parameter(torch.zeros(classes))

    def forward(self, order: torch.Tensor) -> torch.Tensor:
        said = functional.dropout(self.words(order), self.dropout, self.training).transpose(1, 2)
        seen = [functional.relu(look(said)).amax(dim=2).reshape(-1, self.opinions, WIDTH) for look in self.looks]
        found = functional.dropout(torch.cat(seen, dim=2), min(0.9, self.dropout + 0.2), self.training)
        opinions = torch.matmul(found.transpose(0, 1), self.last) + self.bias
        return opinions if self.training else opinions.mean(dim=0)


class TextNet(nn.Module):
    """Places, weights and order in; a number a class out."""

    def __init__(self, classes: int, buckets: int, known: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("rarity", torch.ones(buckets))
        self.register_buffer("pieces", torch.zeros(buckets, classes))
        self.register_buffer("bias", torch.zeros(classes))
        self.looks = Looks(classes, known, dropout)

    def forward(self, given: Sequence[torch.Tensor]) -> torch.Tensor:
        places, weights, order = given
        return self.added(places, weights) + self.looks(order)

    def added(self, places: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """What the pieces say."""
        weights = weights * functional.embedding(places, self.rarity[:, None])[..., 0]
        weights = weights / (weights.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-6)
        return (functional.embedding(places, self.pieces) * weights[..., None]).sum(dim=1) + self.bias
