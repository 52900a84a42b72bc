"""NVIDIA accelerators through their own library, where it is installed."""

import ctypes

LIBRARY = "libnvidia-ml.so.1"


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


def find_gpus() -> list[tuple[str, int]]:
    """Numbers of the accelerators, and their memory."""
    library = _open()
    if library is None:
        return []
    count = ctypes.c_uint()
    if library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return []
    return [(str(number), _memory(library, _handle(library, number)).total) for number in range(count.value)]


def measure(ids: list[str]) -> dict[str, dict[str, float]]:
    """How busy these are, from 0 to 1, and how much of their memory is taken."""
    library = _open()
    if library is None:
        return {}
    found: dict[str, dict[str, float]] = {}
    for id in filter(str.isdigit, ids):
        handle = _handle(library, int(id))
        busy = _Utilization()
        if library.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(busy)) == 0:
            found[id] = {"busy": busy.gpu / 100, "memory_bytes": float(_memory(library, handle).used)}
    return found


def _open() -> "ctypes.CDLL | None":
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return library if library.nvmlInit_v2() == 0 else None


def _handle(library: ctypes.CDLL, number: int) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    library.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(handle))
    return handle


def _memory(library: ctypes.CDLL, handle: ctypes.c_void_p) -> _Memory:
    memory = _Memory()
    library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    return memory
