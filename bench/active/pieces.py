"""Texts, and what the built-in algorithm's weights of pieces say of them after learning from some."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from tidemill.runtime import text_features
from tidemill.runtime.classes import softmax
from tidemill.sdk.data import Dataset, Item

sys.path.insert(0, str(Path(__file__).parents[2] / "algorithms" / "text-classification"))
import linear
from texts import bags


class Pool:
    """All texts of a set. They are hashed once."""

    def __init__(self, items: Dataset) -> None:
        self.names = sorted({item.classes[0] for item in items})
        self._rows, self._targets = bags(items, self, text_features.spec())
        self.classes = self._targets.argmax(axis=1)

    def __len__(self) -> int:
        return len(self.classes)

    def target(self, item: Item) -> torch.Tensor:
        return torch.eye(len(self.names))[self.names.index(item.classes[0])]

    def probabilities(self, labelled: Sequence[int], seed: int) -> np.ndarray:
        """Of all texts and classes, after learning from those that are labelled."""
        rows = self._rows[labelled]
        rare = linear.rarity(rows)
        found = linear.learn_weights(rows, rare, self._targets[labelled], None, seed, is_several=False)
        said: np.ndarray = softmax(linear.normalised(self._rows, rare) @ found.pieces + found.bias)
        return said
