"""Every room's tables, so that `Base.metadata` is whole."""

import importlib
from importlib import resources
from types import ModuleType


def _load() -> tuple[ModuleType, ...]:
    rooms = sorted(room.name for room in resources.files("tidemill").iterdir() if room.joinpath("tables.py").is_file())
    names = [f"tidemill.{room}.tables" for room in rooms if room != "server"]
    return tuple(importlib.import_module(name) for name in ["tidemill.kernel.routing", *names])


ALL = _load()
