"""Which process runs a job, and whether that process is still there."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tidemill.kernel.ids import new_id

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class ProcessName:
    """A process among all that ever ran: where process ids mean the same thing, its id there, when it began."""

    place: str
    """Machine boot and process namespace; empty where the system does not tell."""
    pid: int
    began: str
    nonce: str

    def __str__(self) -> str:
        return f"{self.place}|{self.pid}|{self.began}|{self.nonce}"


def this_process() -> ProcessName:
    """A name for this process, new at every call: two runners in one process are two owners."""
    pid = os.getpid()
    return ProcessName(_place(), pid, _began(pid) or "", new_id("own"))


def fate(owner: str, me: ProcessName) -> Literal["alive", "dead", "unknown"]:
    """What is known of an owner from here. Only a process that shares our process ids can be known to be dead."""
    place, _, rest = owner.partition("|")
    pid, _, rest = rest.partition("|")
    began, _, _nonce = rest.partition("|")
    if not place or place != me.place or not pid.isdigit():
        return "unknown"
    return "alive" if _began(int(pid)) == began else "dead"


def _place() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _began(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]
