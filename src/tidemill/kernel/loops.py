"""Background loops: a function called again and again until told to stop."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("tidemill.loops")


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Loop:
    """A function and how long to rest after it; a failure is logged, and the next turn comes all the same."""

    name: str
    run: Callable[[], None]
    every_s: float
    stop: Callable[[], None] = _nothing
    """Called once when the house closes, before the turn under way is waited for: it makes a long turn end early."""


class LoopRunner:
    """Runs loops in threads of their own. `stop` waits for the turns under way."""

    def __init__(self, loops: list[Loop]) -> None:
        self._loops = loops
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for loop in self._loops:
            thread = threading.Thread(target=self._turn, args=(loop,), name=f"loop-{loop.name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._stopped.set()
        for loop in self._loops:
            loop.stop()
        for thread in self._threads:
            thread.join(timeout_s)

    def _turn(self, loop: Loop) -> None:
        while not self._stopped.is_set():
            try:
                loop.run()
            except Exception:
                log.exception("loop %s failed; it runs again in %s s", loop.name, loop.every_s)
            self._stopped.wait(loop.every_s)
