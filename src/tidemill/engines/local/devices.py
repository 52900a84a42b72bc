"""Accelerators: those found on the machine, by NVML and by plug-ins."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points

from tidemill.engines.base import Device
from tidemill.engines.runner.nvml import find_gpus

PLUGINS = "tidemill.devices"
"""Entry points of this group are functions that return devices, for accelerators we do not know ourselves."""


def find_devices() -> tuple[Device, ...]:
    """All that are there."""
    found = [Device("gpu", id, memory_bytes) for id, memory_bytes in find_gpus()]
    for find in _plugins():
        found.extend(find())
    return tuple(found)


@cache
def _plugins() -> list[Callable[[], list[Device]]]:
    """Looked for once: the descriptions of all installed packages are read for it."""
    return [entry.load() for entry in entry_points(group=PLUGINS)]
