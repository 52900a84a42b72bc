"""Images that launches wait for, made by a few threads of their own.

Making one may take many minutes. Those who wait for it hold no thread meanwhile, so what is ready is launched past
them; those who wait for the same image wait for one making of it.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from tidemill.engines.base import Image
from tidemill.images.depot import Images
from tidemill.images.environments import Progress
from tidemill.images.service import ResolvedImage, make_ready

MAKERS = 4


@dataclass(slots=True)
class _Making:
    """One image on its way, and who is told how far it is."""

    listeners: list[Progress] = field(default_factory=list)
    words: str = ""
    future: "Future[Image] | None" = None


class ImageMaker:
    """See the module's text."""

    def __init__(self, images: Callable[[], Images]) -> None:
        self._images = images
        self._lock = threading.Lock()
        self._makings: dict[ResolvedImage, _Making] = {}
        self._pool = ThreadPoolExecutor(MAKERS, thread_name_prefix="image")

    def make(self, resolved: ResolvedImage, on_progress: Progress, then: "Callable[[Future[Image]], None]") -> None:
        """Begins, or joins who began; `then` is called with the end of it, from whatever thread."""
        with self._lock:
            making = self._makings.get(resolved)
            if making is None:
                making = self._makings[resolved] = _Making()
                making.future = self._pool.submit(self._make, resolved, making)
            making.listeners.append(on_progress)
            future, words = making.future, making.words
        if words:
            on_progress(words)
        assert future is not None
        future.add_done_callback(then)

    def close(self) -> None:
        """Begins nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _make(self, resolved: ResolvedImage, making: _Making) -> Image:
        def tell(words: str) -> None:
            with self._lock:
                making.words, listeners = words, list(making.listeners)
            for listener in listeners:
                listener(words)

        try:
            return make_ready(self._images(), resolved, tell)
        finally:
            with self._lock:
                del self._makings[resolved]
