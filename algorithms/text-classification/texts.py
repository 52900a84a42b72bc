"""Texts of the dataset as numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from tidemill.learn.classifying import Classes
from tidemill.runtime import text_features
from tidemill.sdk.data import Dataset, Item

KEPT_MAX = 200_000
Row = tuple[list[int], torch.Tensor, torch.Tensor]
Batch = tuple[tuple[torch.Tensor, torch.Tensor], torch.Tensor]


class Texts(torch.utils.data.Dataset[Row]):
    """Texts for learning: in order, with what pieces say of them (`apart`), and targets.

    They are hashed once and kept, as long as there is room.
    """

    def __init__(self, items: Dataset, classes: Classes, spec: Mapping[str, Any], apart: np.ndarray) -> None:
        self._items, self._classes, self._spec = items, classes, spec
        self._apart = torch.from_numpy(apart)
        self._kept: dict[int, Row] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Row:
        found = self._kept.get(index)
        if found is None:
            item = self._items[index]
            order = text_features.in_order(item.read_text(), self._spec)
            found = order, self._apart[index], self._classes.target(item)
            if len(self._kept) < KEPT_MAX:
                self._kept[index] = found
        return found

    def lengths(self) -> list[int]:
        """Of the texts, so that those of about one length go together."""
        return [len(self[index][0]) for index in range(len(self))]


def bags(items: Dataset, classes: Classes, spec: Mapping[str, Any]) -> tuple[sparse.csr_matrix, np.ndarray]:
    """The pieces of all texts, a row a text, and the texts' targets."""
    places, weights, ends, targets = [], [], [0], []
    for item in items:
        found = text_features.hashed(item.read_text(), spec)
        places.append(np.fromiter(found, np.int32, len(found)))
        weights.append(np.fromiter(found.values(), np.float32, len(found)))
        ends.append(ends[-1] + len(found))
        targets.append(classes.target(item).numpy())
    shape = len(targets), int(spec["buckets"])
    rows = sparse.csr_matrix((np.concatenate(weights), np.concatenate(places), ends), shape=shape)
    return rows, np.stack(targets)


def collate(rows: Sequence[Row]) -> Batch:
    order = torch.from_numpy(text_features.ordered([row[0] for row in rows]))
    return (torch.stack([row[1] for row in rows]), order), torch.stack([row[2] for row in rows])


def plain(items: Sequence[Item], spec: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Texts exactly as the runtime prepares them."""
    places, weights, order = text_features.arrays([item.read_text() for item in items], spec)
    return torch.from_numpy(places), torch.from_numpy(weights), torch.from_numpy(order)
