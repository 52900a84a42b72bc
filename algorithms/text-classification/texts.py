"""Texts of the dataset as numbers. They are hashed once and kept, as long as there is room."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from tidemill.learn.classifying import Classes
from tidemill.runtime import text_features
from tidemill.sdk.data import Dataset, Item

KEPT_MAX = 200_000
Hashed = tuple[dict[int, float], list[int], torch.Tensor]
Batch = tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class Texts(torch.utils.data.Dataset[Hashed]):
    """Texts for learning."""

    def __init__(self, items: Dataset, classes: Classes, spec: Mapping[str, Any]) -> None:
        self._items, self._classes, self._spec = items, classes, spec
        self._kept: dict[int, Hashed] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Hashed:
        found = self._kept.get(index)
        if found is None:
            item = self._items[index]
            text = item.read_text()
            pieces = text_features.hashed(text, self._spec)
            found = pieces, text_features.in_order(text, self._spec), self._classes.target(item)
            if len(self._kept) < KEPT_MAX:
                self._kept[index] = found
        return found

    def lengths(self) -> list[int]:
        """Of the texts, so that those of about one length go together."""
        return [len(self[index][1]) for index in range(len(self))]

    def counts(self) -> torch.Tensor:
        """In how many texts each place occurs."""
        found = np.zeros(int(self._spec["buckets"]), np.int64)
        for index in range(len(self)):
            found[list(self[index][0])] += 1
        return torch.from_numpy(found)


def collate(rows: Sequence[Hashed]) -> Batch:
    places, weights = text_features.padded([row[0] for row in rows])
    order = text_features.ordered([row[1] for row in rows])
    return (torch.from_numpy(places), torch.from_numpy(weights), torch.from_numpy(order)), torch.stack(
        [row[2] for row in rows]
    )


def plain(items: Sequence[Item], spec: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Texts exactly as the runtime prepares them."""
    places, weights, order = text_features.arrays([item.read_text() for item in items], spec)
    return torch.from_numpy(places), torch.from_numpy(weights), torch.from_numpy(order)
