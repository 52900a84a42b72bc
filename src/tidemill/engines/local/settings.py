"""What the local engine may give out, and how."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tidemill.engines.base import Device, EngineError, Machine, Runtime

_DEVICE = re.compile(r"(?P<kind>[a-z][a-z0-9-]*):(?P<id>[A-Za-z0-9._-]+)(\*(?P<shares>[1-9][0-9]?))?")


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Nothing set: all of the machine, with what is found on it."""

    cpus: float | None = None
    memory_bytes: int | None = None
    devices: str | None = None
    """`gpu:0,gpu:1`, or `gpu:0*4` for one that four workloads may share. None: those found on the machine."""
    machines: tuple[Machine, ...] = ()
    """Further machines, declared: launches planned for them run here."""
    runtime: Runtime | None = None
    """The one to prefer; None: the best there is."""
    container_socket: str | None = None
    """Of the Docker Engine API; None: by DOCKER_HOST, or where Docker and Podman put it."""
    max_processes: int = 4096
    """Processes and threads of one node, where that limit is enforced."""
    use_control_groups: bool = True


def parse_devices(text: str) -> tuple[Device, ...]:
    """Devices as settings declare them; raises EngineError where that makes no sense."""
    found = tuple(_devices(text))
    ids = [(device.kind, device.id) for device in found]
    if len(set(ids)) != len(ids):
        raise EngineError(f"devices: each may be named once, but {text!r} names one twice")
    return found


def memory_of_machine() -> int:
    """All of it."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def cpus_of_machine() -> float:
    """Those this process may use."""
    return float(len(os.sched_getaffinity(0)))


def _devices(text: str) -> Iterator[Device]:
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _DEVICE.fullmatch(part)
        if match is None:
            raise EngineError(
                f"devices: {part!r} is not of the form kind:id or kind:id*shares, such as gpu:0 or gpu:0*4"
            )
        yield Device(match["kind"], match["id"], shares=int(match["shares"] or 1))
