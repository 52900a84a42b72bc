"""A model at work on very many items: several processes, or one that reads ahead. What is said comes in their order.

    for found in look(model, batches, threshold=0.5, workers=4, finish=line):
        out.writelines(found)

A process that dies (killed, out of memory, a decoder's crash) is replaced, and what it was at is looked at again, item
by item; one that ends its process twice is an error of its own.
"""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Generic, TypeVar

from tidemill.runtime.loading import load
from tidemill.runtime.model import Model, Prediction
from tidemill.sdk.data import Item

T = TypeVar("T")
Finish = Callable[[Item, Prediction], T]
"""What becomes of an item and what was said of it; a function of a module, for it is called in other processes."""
Batch = Sequence[Item]

AHEAD = 3
"""Batches on the way for each process."""
TRIES = 2
BREAKS_MAX = 8
"""So often in a row processes may die before nothing is hoped for any more."""
ENDED = "the process that looked at it ended"
_PICTURES = "image"


class Dying(RuntimeError):
    """Processes die faster than they look at anything."""


def look(
    model: Model, batches: Iterable[Batch], *, threshold: float | None, workers: int, finish: Finish[T]
) -> Iterator[list[T]]:
    """What `finish` makes of each batch, in their order. The processes load the model's folder themselves."""
    if workers <= 1:
        yield from _look_here(model, batches, threshold, finish)
        return
    pool = _Pool(model.folder, threshold, workers, finish)
    try:
        yield from pool.each(batches)
    finally:
        pool.close()


def said(model: Model, batch: Batch, threshold: float | None) -> list[Prediction]:
    """What the model says of each item, each error its own; nothing below the threshold."""
    found = model.predict_each(batch, threshold=threshold)
    for one in found:
        keep_sure(one, threshold)
    return found


def keep_sure(prediction: Prediction, threshold: float | None) -> None:
    """Leaves out what is less sure, also where a model itself gives its best guess."""
    if threshold:
        prediction.annotations = [one for one in prediction.annotations if one.get("score", 1.0) >= threshold]


def _look_here(model: Model, batches: Iterable[Batch], threshold: float | None, finish: Finish[T]) -> Iterator[list[T]]:
    """While the model looks at a batch, pictures of the next ones are read by threads."""
    if model.facts.input.get("kind", _PICTURES) != _PICTURES or model.task.startswith(("text-", "audio-", "tabular")):
        for batch in batches:
            yield [finish(item, one) for item, one in zip(batch, said(model, batch, threshold), strict=True)]
        return
    from tidemill.runtime.pictures import ReadyItem

    threads = max(1, min(4, os.cpu_count() or 1))
    with ThreadPoolExecutor(threads, thread_name_prefix="reading") as pool:
        for ready in _ahead(pool, batches, ReadyItem.of):
            yield [finish(item, one) for item, one in zip(ready, said(model, ready, threshold), strict=True)]


def _ahead(pool: ThreadPoolExecutor, batches: Iterable[Batch], read: Callable[[Item], Item]) -> Iterator[list[Item]]:
    waiting: deque[list[Future[Item]]] = deque()
    for batch in batches:
        waiting.append([pool.submit(read, item) for item in batch])
        if len(waiting) > 1:
            yield [one.result() for one in waiting.popleft()]
    while waiting:
        yield [one.result() for one in waiting.popleft()]


class _Pool(Generic[T]):
    """Processes, replaced when one dies."""

    def __init__(self, folder: Path, threshold: float | None, workers: int, finish: Finish[T]) -> None:
        self._started = (folder, threshold, finish)
        self._workers, self._finish = workers, finish
        self._breaks = 0
        self._pool = self._open()

    def each(self, batches: Iterable[Batch]) -> Iterator[list[T]]:
        waiting: deque[tuple[Batch, Future[list[T]] | None]] = deque()
        for batch in batches:
            waiting.append((batch, self._submit(batch)))
            if len(waiting) >= self._workers * AHEAD:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _next(self, waiting: deque[tuple[Batch, Future[list[T]] | None]]) -> list[T]:
        batch, future = waiting.popleft()
        try:
            if future is None:
                raise BrokenProcessPool
            found = future.result()
        except BrokenProcessPool:
            self._replace()
            found = self._carefully(batch)
            # What was on the way is lost with the process, whichever of them it was.
            again = [(other, self._submit(other)) for other, _ in waiting]
            waiting.clear()
            waiting.extend(again)
        self._breaks = 0
        return found

    def _carefully(self, batch: Batch) -> list[T]:
        found: list[T] = []
        for item in batch:
            found += self._alone(item)
        return found

    def _alone(self, item: Item) -> list[T]:
        for _ in range(TRIES):
            future = self._submit([item])
            try:
                if future is not None:
                    return future.result()
            except BrokenProcessPool:
                pass
            self._replace()
        return [self._finish(item, Prediction(uncertainty=1.0, error=ENDED))]

    def _submit(self, batch: Batch) -> "Future[list[T]] | None":
        try:
            return self._pool.submit(_look, batch)
        except BrokenProcessPool:
            return None

    def _replace(self) -> None:
        self._breaks += 1
        if self._breaks > BREAKS_MAX:
            raise Dying(ENDED)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._open()

    def _open(self) -> ProcessPoolExecutor:
        # Begun anew: a process that has threads and connections cannot be copied safely.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_begin, initargs=self._started)


_here: dict[str, Any] = {}


def _begin(folder: Path, threshold: float | None, finish: Finish[Any]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _here.update(model=load(folder), threshold=threshold, finish=finish)


def _end_with_parent() -> None:
    """Whoever asked may be killed: nobody would take what is found here."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _look(batch: Batch) -> list[Any]:
    model, finish = _here["model"], _here["finish"]
    return [finish(item, one) for item, one in zip(batch, said(model, batch, _here["threshold"]), strict=True)]
