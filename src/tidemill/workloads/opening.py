"""The engine that the settings describe."""

import json
from typing import Any

from tidemill.engines.base import Engine, Machine, Runtime
from tidemill.engines.local import LocalEngine, LocalSettings
from tidemill.engines.local.settings import parse_devices
from tidemill.kernel.settings import Settings
from tidemill.store.depot import Store


def open_engine(settings: Settings, store: Store) -> Engine:
    """The local engine, in the home."""
    local = LocalSettings(
        cpus=settings.engine_cpus,
        memory_bytes=settings.engine_memory_bytes,
        devices=settings.engine_devices,
        machines=tuple(_machine(given) for given in json.loads(settings.engine_machines or "[]")),
        runtime=None if settings.engine_runtime == "auto" else Runtime(settings.engine_runtime),
        container_socket=settings.container_socket,
    )
    return LocalEngine(folder=settings.home / "engine", backend=store.backend, settings=local)


def _machine(given: dict[str, Any]) -> Machine:
    return Machine(
        name=given["name"],
        cpus=float(given["cpus"]),
        memory_bytes=int(given["memory_bytes"]),
        devices=parse_devices(given.get("devices", "")),
        fabrics=frozenset(given.get("fabrics", ())),
        runtimes=tuple(Runtime(name) for name in given.get("runtimes", ("process",))),
    )
