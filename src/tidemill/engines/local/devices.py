"""Accelerators: those found on the machine, by NVML and by plug-ins."""

from collections.abc import Callable
from importlib.metadata import entry_points

from tidemill.engines.base import Device
from tidemill.engines.runner.nvml import find_gpus

PLUGINS = "tidemill.devices"
"""Entry points of this group are functions that return devices, for accelerators we do not know ourselves."""


def find_devices() -> tuple[Device, ...]:
    """All that are there."""
    found = [Device("gpu", id, memory_bytes) for id, memory_bytes in find_gpus()]
    for entry in entry_points(group=PLUGINS):
        finder: Callable[[], list[Device]] = entry.load()
        found.extend(finder())
    return tuple(found)
