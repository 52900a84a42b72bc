"""The network: every piece of a text weighed by itself, and several small looks at what stands beside what.

The weights of pieces (`linear.py`) are good at telling words, wherever they are; the looks at negations and phrases.
Some looks say by themselves what a text is; others only what is to be added to what the pieces say. Of either kind
there are several opinions, whose mean counts, and each has a part of the texts that it never learns from: by these it
is found out how much pieces and looks count (`mixing.py`).
"""

import copy
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

LOOKS = (2, 3, 4, 5)
WIDTH = 64
KINDS = 2
"""Looks by themselves, and looks that add."""
PARTS = 4
"""Of the texts; of each kind there is an opinion for every part that knows all but that."""


class Opinion(nn.Module):
    """Texts in order in; a number a class out."""

    def __init__(self, classes: int, known: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.words = nn.Embedding(known, WIDTH, padding_idx=0)
        nn.init.zeros_(self.words.weight)
        self.looks = nn.ModuleList([nn.Conv1d(WIDTH, WIDTH, look, padding=look // 2) for look in LOOKS])
        self.last = nn.Linear(WIDTH * len(LOOKS), classes)
        nn.init.normal_(self.last.weight, std=0.06)
        nn.init.zeros_(self.last.bias)

    def forward(self, order: torch.Tensor) -> torch.Tensor:
        said = functional.dropout(self.words(order), self.dropout, self.training).transpose(1, 2)
        seen = torch.cat([functional.relu(look(said)).amax(dim=2) for look in self.looks], dim=1)
        found: torch.Tensor = self.last(functional.dropout(seen, min(0.9, self.dropout + 0.2), self.training))
        return found


class Looks(nn.Module):
    """Texts in order in; a number for every kind, part, text and class out."""

    def __init__(self, classes: int, known: int, dropout: float) -> None:
        super().__init__()
        self.opinions = nn.ModuleList([Opinion(classes, known, dropout) for _ in range(KINDS * PARTS)])
        self.register_buffer("rows", None, persistent=False)

    def forward(self, order: torch.Tensor) -> torch.Tensor:
        order = order if self.rows is None else self.rows[order]
        return torch.stack([opinion(order) for opinion in self.opinions]).unflatten(0, (KINDS, PARTS))

    def narrowed(self, used: torch.Tensor) -> "Looks":
        """A copy that knows only words that are used, so that steps need not go over all. The first is nobody's."""
        narrow = copy.deepcopy(self)
        known = self.opinions[0].words.num_embeddings
        narrow.rows = torch.zeros(known, dtype=torch.int64).index_copy(0, used, torch.arange(len(used)))
        for opinion in narrow.opinions:
            begun = opinion.words.weight.detach()[used]
            # Small at first: a word that is seen seldom must not be louder than what was learnt of others.
            begun = torch.where(begun.any(dim=1, keepdim=True), begun, torch.randn(begun.shape) * 0.2)
            begun[0] = 0.0
            opinion.words = nn.Embedding.from_pretrained(begun, freeze=False, padding_idx=0)
        return narrow

    @torch.no_grad()
    def take_over(self, narrow: "Looks", used: torch.Tensor) -> None:
        """What the narrowed copy has learnt. Words that were never seen say nothing."""
        for own, learnt in zip(self.opinions, narrow.opinions, strict=True):
            wide = own.words.weight.index_copy(0, used, learnt.words.weight)
            own.load_state_dict(learnt.state_dict() | {"words.weight": wide})


class TextNet(nn.Module):
    """Places, weights and order in; a number a class out."""

    def __init__(self, classes: int, buckets: int, known: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("rarity", torch.ones(buckets))
        self.register_buffer("pieces", torch.zeros(buckets, classes))
        self.register_buffer("bias", torch.zeros(classes))
        self.register_buffer("shares", torch.full((1 + KINDS,), 0.5))
        self.looks = Looks(classes, known, dropout)

    def forward(self, given: Sequence[torch.Tensor]) -> torch.Tensor:
        places, weights, order = given
        return self.together(self.added(places, weights), self.looks(order))

    def added(self, places: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """What the pieces say."""
        weights = weights * functional.embedding(places, self.rarity[:, None])[..., 0]
        weights = weights / (weights.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-6)
        return (functional.embedding(places, self.pieces) * weights[..., None]).sum(dim=1) + self.bias

    def together(self, added: torch.Tensor, looked: torch.Tensor) -> torch.Tensor:
        """What pieces and looks say as one, each by its share."""
        alone, more = looked.mean(dim=1)
        return self.shares[0] * added + self.shares[1] * alone + self.shares[2] * more
