"""NVIDIA's accelerators, by a library that answers as theirs does."""

import ctypes
from typing import Any

import pytest

from tidemill.engines.local.devices import find_devices
from tidemill.engines.runner import nvml

GIB = 1 << 30
NO_PERMISSION, NOT_SUPPORTED = 4, 3


class Library:
    """Two accelerators, the second of which cannot say how busy it is."""

    def __init__(self, started: int = 0, counted: int = 0) -> None:
        self.started, self.counted = started, counted

    def nvmlInit_v2(self) -> int:  # noqa: N802  its own name
        return self.started

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = 2
        return self.counted

    def nvmlDeviceGetHandleByIndex_v2(self, number: int, handle: Any) -> int:  # noqa: N802
        handle._obj.value = 1000 + number
        return 0

    def nvmlDeviceGetMemoryInfo(self, handle: ctypes.c_void_p, memory: Any) -> int:  # noqa: N802
        memory._obj.total = 24 * GIB if handle.value == 1000 else 80 * GIB
        memory._obj.used = 3 * GIB
        return 0

    def nvmlDeviceGetUtilizationRates(self, handle: ctypes.c_void_p, busy: Any) -> int:  # noqa: N802
        busy._obj.gpu = 37
        return 0 if handle.value == 1000 else NOT_SUPPORTED


def lend(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    def load(name: str) -> Library:
        assert name == nvml.LIBRARY
        return library

    monkeypatch.setattr(nvml.ctypes, "CDLL", load)


def test_accelerators_are_found_with_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    lend(monkeypatch, Library())
    assert nvml.find_gpus() == [("0", 24 * GIB), ("1", 80 * GIB)]
    assert [(device.kind, device.id, device.memory_bytes) for device in find_devices()][:2] == [
        ("gpu", "0", 24 * GIB),
        ("gpu", "1", 80 * GIB),
    ]


def test_use_is_measured_where_the_accelerator_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lend(monkeypatch, Library())
    assert nvml.measure(["0", "1", "npu-3"]) == {"0": {"busy": 0.37, "memory_bytes": 3.0 * GIB}}


@pytest.mark.parametrize("library", [Library(started=NO_PERMISSION), Library(counted=NO_PERMISSION)])
def test_a_library_that_refuses_means_no_accelerators(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    lend(monkeypatch, library)
    assert nvml.find_gpus() == []


def test_without_the_library_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "LIBRARY", "libno-such-thing.so.1")
    assert nvml.find_gpus() == []
    assert nvml.measure(["0"]) == {}
