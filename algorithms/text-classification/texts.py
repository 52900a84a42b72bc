"""Texts of the dataset as numbers."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from network import PARTS
from scipy import sparse

from tidemill.learn.classifying import Classes
from tidemill.runtime import text_features
from tidemill.sdk.data import Dataset, Item

KEPT_MAX = 200_000
Row = tuple[list[int], torch.Tensor, int, torch.Tensor]
Batch = tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class Texts(torch.utils.data.Dataset[Row]):
    """Texts for learning: in order, with what pieces say of them (`apart`), their parts, and targets.

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
            text = item.read_text()
            order = text_features.in_order(text, self._spec)
            found = order, self._apart[index], part_of(text), self._classes.target(item)
            if len(self._kept) < KEPT_MAX:
                self._kept[index] = found
        return found

    def lengths(self) -> list[int]:
        """Of the texts, so that those of about one length go together."""
        return [len(self[index][0]) for index in range(len(self))]

    def used(self) -> torch.Tensor:
        """The numbers that stand for words of these texts, and 0."""
        found = {0}
        for index in range(len(self)):
            found.update(self[index][0])
        return torch.tensor(sorted(found))


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


def part_of(text: str) -> int:
    """The same for the same text in every training: what an opinion has not learnt it does not learn later either."""
    return zlib.crc32(text.encode("utf-8", "replace")) % PARTS


def collate(rows: Sequence[Row]) -> Batch:
    orders, apart, parts, targets = zip(*rows, strict=True)
    order = torch.from_numpy(text_features.ordered(orders))
    return (order, torch.stack(apart), torch.tensor(parts)), torch.stack(targets)


def plain(items: Sequence[Item], spec: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Texts exactly as the runtime prepares them."""
    places, weights, order = text_features.arrays([item.read_text() for item in items], spec)
    return torch.from_numpy(places), torch.from_numpy(weights), torch.from_numpy(order)
