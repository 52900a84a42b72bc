"""Items in batches, in an order of their own every epoch, shared out among the processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader, Sampler

from tidemill.learn.world import World

POOLED = 16
"""Batches whose items are put into order of length together."""


class Batches:
    """`len` is how many there are an epoch; `epoch(n)` gives them in the order of that epoch."""

    def __init__(self, loader: "DataLoader[Any]", order: "Order") -> None:
        self._loader = loader
        self._order = order

    def __len__(self) -> int:
        return len(self._loader)

    def epoch(self, number: int) -> Iterator[Any]:
        self._order.epoch = number
        return iter(self._loader)


class Order(Sampler[int]):
    """Mixed by seed and epoch, and every process has its own, equally many."""

    def __init__(
        self,
        count: int,
        seed: int,
        world: World,
        *,
        is_mixed: bool = True,
        batch_size: int = 1,
        lengths: Sequence[int] | None = None,
    ) -> None:
        self._count, self._seed, self._world, self._is_mixed = count, seed, world, is_mixed
        self._batch_size, self._lengths = batch_size, lengths
        self.epoch = 0

    def __len__(self) -> int:
        return -(-self._count // self._world.size)

    def __iter__(self) -> Iterator[int]:
        order = list(range(self._count))
        mixing = torch.Generator().manual_seed(self._seed * 1_000_003 + self.epoch)
        if self._is_mixed:
            order = torch.randperm(self._count, generator=mixing).tolist()
        order += order[: len(self) * self._world.size - self._count]
        own = order[self._world.rank :: self._world.size]
        return iter(own if self._lengths is None else self._alike(own, self._lengths, mixing))

    def _alike(self, order: list[int], lengths: Sequence[int], mixing: torch.Generator) -> list[int]:
        """The same, with items of about one length together: little is filled up with nothing."""
        pool, size = self._batch_size * POOLED, self._batch_size
        near = [
            item for at in range(0, len(order), pool) for item in sorted(order[at : at + pool], key=lengths.__getitem__)
        ]
        whole = len(near) // size
        mixed = torch.randperm(whole, generator=mixing).tolist()
        return [item for at in mixed for item in near[at * size : (at + 1) * size]] + near[whole * size :]


def batches(
    items: Any,
    batch_size: int,
    world: World,
    *,
    seed: int = 0,
    collate: Callable[[list[Any]], Any] | None = None,
    is_mixed: bool = True,
    drop_last: bool = False,
    workers: int | None = None,
    lengths: Sequence[int] | None = None,
) -> Batches:
    """Batches of a torch Dataset. `workers`: processes that prepare items, by the machine unless told.

    With `lengths` items of about one length go together.
    """
    order = Order(len(items), seed, world, is_mixed=is_mixed, batch_size=batch_size, lengths=lengths)
    loader: DataLoader[Any] = DataLoader(
        items,
        batch_size=batch_size,
        sampler=order,
        collate_fn=collate,
        drop_last=drop_last and len(order) >= batch_size,
        num_workers=_workers(world) if workers is None else workers,
        pin_memory=torch.cuda.is_available(),
    )
    return Batches(loader, order)


def _workers(world: World) -> int:
    """Beside an accelerator, the processor prepares; where it learns itself, it does one after the other."""
    if not torch.cuda.is_available():
        return 0
    return max(0, min(8, (os.cpu_count() or 1) // world.size - 1))
