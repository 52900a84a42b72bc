"""What a node uses, sampled and kept in a bounded file of lines: the older, the sparser."""

import contextlib
import json
import os
import time

from tidemill.engines.runner import cgroups
from tidemill.engines.runner.processes import stat_of

FIRST_AFTER_S = 0.5
SAMPLE_EVERY_S = 2.0
SAMPLES = 8192
TICKS_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Sampler:
    """Appends `[time, cpus, memory, read/s, written/s, received/s, sent/s, devices]` a line; null is not measured."""

    def __init__(self, job: "Job", path: str) -> None:
        self._job = job
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._count = 0
        self._at = time.monotonic()
        self._totals = Totals()

    def sample(self) -> None:
        """Takes one."""
        now = time.monotonic()
        before = self._totals
        self._totals = totals_of(self._job.members(), self._job.usage_group(), before)
        passed_s, self._at = max(now - self._at, 0.001), now
        rates = [max(0.0, new - old) / passed_s for new, old in zip(self._totals.sums, before.sums, strict=True)]
        line: list[object] = [round(time.time(), 3), round(rates[0], 4), self._totals.memory_bytes]
        line += [*map(round, rates[1:]), *_network_rates(before, self._totals, passed_s), self._devices()]
        with contextlib.suppress(OSError):  # the disk is full: the work goes on without samples
            os.write(self._file, json.dumps(line, separators=(",", ":")).encode() + b"\n")
            self._count += 1
            if self._count >= SAMPLES:
                self._thin()

    def _devices(self) -> dict[str, dict[str, float]]:
        devices = self._job.node["devices"]
        if not any(kind == "gpu" or kind.startswith("nvidia") for kind, _, _ in devices):
            return {}
        from tidemill.engines.runner.nvml import measure

        return measure([id for kind, id, _ in devices if kind == "gpu" or kind.startswith("nvidia")])

    def _thin(self) -> None:
        """Keeps every second sample of the older half."""
        with open(self._path, "rb") as file:
            lines = file.readlines()
        half = len(lines) // 2
        kept = lines[:half:2] + lines[half:]
        fresh = os.open(f"{self._path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.write(fresh, b"".join(kept))
        os.rename(f"{self._path}.new", self._path)
        os.close(self._file)
        self._file, self._count = fresh, len(kept)


class Totals:
    """Since the beginning: processor seconds, bytes read and written; bytes received and sent where the node has a
    network of its own, None where it shares the machine's; and the memory in use now."""

    def __init__(self) -> None:
        self.sums = [0.0, 0.0, 0.0]
        self.network: tuple[float, float] | None = None
        self.memory_bytes = 0
        self.by_pid: dict[int, tuple[float, float, float]] = {}


def totals_of(pids: list[int], group: cgroups.Group, before: Totals) -> Totals:
    """Adds up what the processes used since `before`; the control group knows better where there is one."""
    now = Totals()
    now.sums = list(before.sums)
    for pid in pids:
        seconds, memory_bytes = _of_stat(pid)
        now.by_pid[pid] = (seconds, *_of_io(pid))
        now.memory_bytes += memory_bytes
        for place, (new, old) in enumerate(zip(now.by_pid[pid], before.by_pid.get(pid, (0.0, 0.0, 0.0)), strict=True)):
            now.sums[place] += max(0.0, new - old)
    now.network = network_of(pids)
    seconds_of_group = cgroups.cpu_seconds(group)
    if seconds_of_group is not None:
        now.sums[0] = seconds_of_group
    memory_of_group = cgroups.memory_bytes(group)
    if memory_of_group is not None:
        now.memory_bytes = memory_of_group
    return now


def network_of(pids: list[int]) -> "tuple[float, float] | None":
    """Bytes received and sent through the node's own interfaces; None when its processes use the machine's, for whose
    traffic it is nobody can tell."""
    with contextlib.suppress(OSError):
        ours = os.readlink("/proc/self/ns/net")
        for pid in pids:
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/ns/net") != ours:
                    return _of_interfaces(f"/proc/{pid}/net/dev")
    return None


def _of_interfaces(path: str) -> tuple[float, float]:
    received = sent = 0.0
    with open(path, "rb") as file:
        for line in file.readlines()[2:]:
            name, _, counts = line.partition(b":")
            if name.strip() != b"lo":
                fields = counts.split()
                received, sent = received + float(fields[0]), sent + float(fields[8])
    return received, sent


def _network_rates(before: Totals, now: Totals, passed_s: float) -> "list[int | None]":
    if now.network is None:
        return [None, None]
    old = before.network or now.network
    return [round(max(0.0, new - was) / passed_s) for new, was in zip(now.network, old, strict=True)]


def _of_stat(pid: int) -> tuple[float, int]:
    fields = stat_of(pid)
    if not fields:
        return 0.0, 0
    return (int(fields[11]) + int(fields[12])) / TICKS_S, int(fields[21]) * PAGE_BYTES


def _of_io(pid: int) -> tuple[float, float]:
    found = {}
    with contextlib.suppress(OSError), open(f"/proc/{pid}/io", "rb") as file:
        for line in file:
            name, _, value = line.partition(b":")
            found[name] = float(value)
    return found.get(b"read_bytes", 0.0), found.get(b"write_bytes", 0.0)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from tidemill.engines.runner.job import Job
