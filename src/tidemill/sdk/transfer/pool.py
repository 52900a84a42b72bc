"""A few things at a time: bounded work in threads, stopped at the first failure."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """Raised inside work that should end because other work failed."""


def run_all(
    work: Callable[[T, threading.Event], None], items: Iterable[T], *, threads: int, ahead: int | None = None
) -> None:
    """Does the work on every item, `threads` at a time, taking items only as fast as they are done.

    The first failure stops the rest: work may look at its event and raise Stopped; the failure itself is raised.
    """
    stop = threading.Event()
    waiting = iter(items)
    running: set[Future[None]] = set()
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="transfer") as pool:
        try:
            while True:
                while len(running) < (ahead or threads) and (item := next(waiting, None)) is not None:
                    running.add(pool.submit(work, item, stop))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        finally:
            stop.set()
            for future in running:
                future.cancel()
