"""A service at work on very many items: several requests at once, what is said in the items' order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from tidemill.models.auto.services import Service
from tidemill.runtime.looking import keep_sure
from tidemill.runtime.model import Prediction
from tidemill.sdk.data import Item

T = TypeVar("T")


def ask(
    service: Service,
    batches: Iterable[Sequence[Item]],
    *,
    threshold: float | None,
    in_flight: int,
    finish: Callable[[Item, Prediction], T],
) -> Iterator[list[T]]:
    """What `finish` makes of each batch, in their order."""
    waiting: deque[tuple[Sequence[Item], Future[list[Prediction]]]] = deque()

    def take() -> list[T]:
        batch, future = waiting.popleft()
        found = future.result()
        for one in found:
            keep_sure(one, threshold)
        return [finish(item, one) for item, one in zip(batch, found, strict=True)]

    with ThreadPoolExecutor(in_flight, thread_name_prefix="asking") as pool:
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(service.predict_each, batch, threshold=threshold)))
                if len(waiting) >= 2 * in_flight:
                    yield take()
            while waiting:
                yield take()
        finally:
            for _, future in waiting:
                future.cancel()
