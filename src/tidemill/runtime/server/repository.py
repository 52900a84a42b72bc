"""The models of a server: loaded beside the event loop, each with its queue, its numbers and its name."""

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.batching import Batcher
from tidemill.runtime.server.errors import NotReady, Unknown
from tidemill.runtime.server.formats.opening import open_model, read_told
from tidemill.runtime.server.metrics import ModelMetrics
from tidemill.runtime.server.options import ModelOptions, ServerOptions
from tidemill.runtime.server.served import Served

log = logging.getLogger("tidemill.serve")
VERSION = "1"
T = TypeVar("T")


class Entry:
    """A model under its name."""

    def __init__(self, name: str, version: str, instances: list[Served], options: ModelOptions) -> None:
        self.name = name
        self.version = version
        self.served = instances[0]
        self.options = options
        self.metrics = ModelMetrics()
        self.batcher = Batcher(name, instances, options, self.metrics)

    def view(self) -> dict[str, Any]:
        """Its metadata, as the protocol has them."""
        about = self.served.about
        parameters = {"task": about.task, "labels": list(about.labels), **about.more}
        return {
            "name": self.name,
            "versions": [self.version],
            "platform": about.platform,
            "inputs": [spec.view() for spec in self.served.inputs.values()],
            "outputs": [spec.view() for spec in self.served.outputs.values()],
            "parameters": {key: value for key, value in parameters.items() if value},
        }


class Repository:
    """Entries by name. Not ready until all are loaded and warm, and not any more once it is told to end."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self.entries: dict[str, Entry] = {}
        self.is_loaded = False
        self.is_draining = False

    @property
    def is_ready(self) -> bool:
        return self.is_loaded and not self.is_draining

    async def load(self) -> None:
        """Loads and warms all models. Raises `Unfit`."""
        for name, path in self.options.models.items():
            version, options, instances = await beside(lambda name=name, path=path: self._open(name, path))  # type: ignore[misc]
            self.entries[name] = Entry(name, version, instances, options)
        self.is_loaded = True

    def _open(self, name: str, path: Path) -> tuple[str, ModelOptions, list[Served]]:
        told = read_told(path if path.is_dir() else path.parent).more
        options = self.options.each.changed(told.get("serving") or {}).changed(self.options.by_model.get(name, {}))
        first = open_model(path, code=self.options.code, allow_pickles=self.options.allow_pickles)
        instances = [first, *(first.again() for _ in range(options.instances - 1))]
        for one in instances:
            if options.max_batch_size:
                one.batch_size = options.max_batch_size
            if options.warm_up:
                _warm_up(name, one)
        return str(told.get("version") or VERSION), options, instances

    def find(self, name: str) -> Entry | None:
        return self.entries.get(name)

    def get(self, name: str, version: str | None = None) -> Entry:
        """A model that can be asked. Raises `Unknown`, and `NotReady` while models are being loaded."""
        found = self.entries.get(name)
        if found is None and name in self.options.models:
            raise NotReady(f"model {name!r} is being loaded")
        if found is None:
            raise Unknown(f"there is no model {name!r} here, only {', '.join(self.options.models)}")
        if version and version != found.version:
            raise Unknown(f"model {name!r} has no version {version!r} here, only {found.version}")
        return found

    def only(self) -> Entry:
        """The model that is meant where none is named. Raises `Unknown` where there are several."""
        names = list(self.options.models)
        if len(names) != 1:
            raise Unknown(f"say which model: /predict/{{model}} with one of {', '.join(names)}")
        return self.get(names[0])

    def unanswered(self) -> int:
        return sum(entry.metrics.in_flight for entry in self.entries.values())

    def close(self) -> None:
        for entry in self.entries.values():
            entry.batcher.close()


def _warm_up(name: str, served: Served) -> None:
    """A model may not like what we make up for it: then its first request is its warm-up."""
    try:
        served.warm_up()
    except Exception as error:  # noqa: BLE001 — models raise anything
        log.warning("model %s: not warmed up: %s: %s", name, type(error).__name__, error)


async def beside(work: Callable[[], T]) -> T:
    """Does it in a thread that nobody waits for when the process ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(setter: Callable[[Any], None], value: Any) -> None:
        if not done.done():
            setter(value)

    def run() -> None:
        try:
            found = work()
        except Unfit as error:
            loop.call_soon_threadsafe(tell, done.set_exception, error)
        except Exception as error:  # noqa: BLE001 — readers of models raise anything on hostile bytes
            reason = Unfit(f"{type(error).__name__}: {error}")
            loop.call_soon_threadsafe(tell, done.set_exception, reason)
        else:
            loop.call_soon_threadsafe(tell, done.set_result, found)

    threading.Thread(target=run, daemon=True, name="loading").start()
    return await done
