"""Control groups of version 1 and 2: limits for a node, what it uses, and an end to everything in it.

A group is a record: controller → folder. In version 2 all controllers have the same folder. `unified` is the folder of
version 2, where there is one beside version 1: it alone can kill a group in one call.
"""

import contextlib
import os
import signal

from tidemill.engines.runner.processes import end_all, send

Group = dict[str, str]
CONTROLLERS = ("cpu", "cpuacct", "memory", "pids")
PERIOD_US = 100_000


def find_bases(name: str) -> Group:
    """Folders below which groups can be made here, by controller; none when that is not allowed."""
    mounts = _mounts()
    own = _groups_of("self")
    if "unified" in mounts and not any(controller in mounts for controller in CONTROLLERS):
        return _base_of_v2(mounts["unified"], own.get("unified", "/"), name)
    bases: Group = {}
    for controller in (*CONTROLLERS, "unified"):
        if controller in mounts:
            base = _make(mounts[controller] + own.get(controller, "/").rstrip("/"), name)
            if base:
                bases[controller] = base
    return bases


def group_of(bases: Group, name: str) -> Group:
    """The group of this name, made or not."""
    return {controller: f"{base}/{name}" for controller, base in bases.items()}


def enforced(bases: Group) -> frozenset[str]:
    """Which limits hold."""
    return frozenset(bases) & {"cpu", "memory", "pids"}


def make_group(group: Group, *, cpus: float, memory_bytes: int, pids: int) -> None:
    """Makes the group with its limits."""
    for folder in set(group.values()):
        os.makedirs(folder, exist_ok=True)
    v2 = is_v2(group)
    if "cpu" in group and cpus > 0:
        quota = max(1000, round(cpus * PERIOD_US))
        _write(group["cpu"], "cpu.max" if v2 else "cpu.cfs_quota_us", f"{quota} {PERIOD_US}" if v2 else str(quota))
    if "memory" in group and memory_bytes > 0:
        _write(group["memory"], "memory.max" if v2 else "memory.limit_in_bytes", str(memory_bytes))
        with contextlib.suppress(OSError):  # where there is swap, it is no way around the limit
            name, value = ("memory.swap.max", "0") if v2 else ("memory.memsw.limit_in_bytes", str(memory_bytes))
            _write(group["memory"], name, value)
    if "pids" in group and pids > 0:
        _write(group["pids"], "pids.max", str(pids))


def is_v2(group: Group) -> bool:
    """Whether one folder holds all controllers."""
    return "unified" in group and group.get("memory") == group["unified"]


def join(group: Group, pid: int = 0) -> None:
    """Moves a process (0: this one) into the group."""
    for folder in set(group.values()):
        _write(folder, "cgroup.procs", str(pid))


def members(group: Group) -> list[int]:
    """Processes in the group."""
    found: set[int] = set()
    for folder in set(group.values()):
        with contextlib.suppress(OSError), open(f"{folder}/cgroup.procs") as file:
            found.update(int(line) for line in file)
    found.discard(os.getpid())
    return sorted(found)


def kill(group: Group, *, reaps: bool = False) -> bool:
    """Ends everything in the group; says whether it is empty."""
    if "unified" in group:
        with contextlib.suppress(OSError):
            _write(group["unified"], "cgroup.kill", "1")
    for pid in members(group):  # before births fail: a shell that cannot fork would end by itself, with its own code
        send(pid, signal.SIGSTOP)
    if "pids" in group:
        with contextlib.suppress(OSError):  # nothing is born any more
            _write(group["pids"], "pids.max", "0")
    return end_all(lambda: members(group), reaps=reaps)


def remove(group: Group) -> None:
    """Removes the group, which must be empty; what cannot be removed yet is found again at the engine's start."""
    for folder in set(group.values()):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def group_of_process(pid: int) -> Group:
    """The group a process is in."""
    mounts = _mounts()
    try:
        found = _groups_of(str(pid))
    except OSError:
        return {}
    folders = {name: mounts[name] + path for name, path in found.items() if name in mounts}
    if not any(name in folders for name in CONTROLLERS):
        folders |= dict.fromkeys(CONTROLLERS, folders.get("unified", ""))
    return {name: folders[name] for name in (*CONTROLLERS, "unified") if folders.get(name)}


def cpu_seconds(group: Group) -> "float | None":
    """Processor time used so far."""
    if is_v2(group):
        found = _pairs(group["unified"], "cpu.stat").get("usage_usec")
        return None if found is None else found / 1e6
    if "cpuacct" not in group:
        return None
    return _number(group["cpuacct"], "cpuacct.usage", 1e9)


def memory_bytes(group: Group) -> "int | None":
    """Memory in use, without the file cache that is given back at once when needed."""
    if "memory" not in group:
        return None
    v2 = is_v2(group)
    used = _number(group["memory"], "memory.current" if v2 else "memory.usage_in_bytes", 1)
    if used is None:
        return None
    cache = _pairs(group["memory"], "memory.stat").get("inactive_file" if v2 else "total_inactive_file", 0)
    return max(0, int(used) - cache)


def out_of_memory_kills(group: Group) -> int:
    """How many processes the memory limit has killed."""
    if "memory" not in group:
        return 0
    name = "memory.events" if is_v2(group) else "memory.oom_control"
    return _pairs(group["memory"], name).get("oom_kill", 0)


def _mounts() -> Group:
    found: Group = {}
    with open("/proc/self/mountinfo") as file:
        for line in file:
            left, _, right = line.partition(" - ")
            kind, _, options = right.split(" ", 2)
            if kind == "cgroup2":
                found["unified"] = left.split()[4]
            elif kind == "cgroup":
                for controller in options.strip().rpartition(" ")[2].split(","):
                    found[controller] = left.split()[4]
    return found


def _groups_of(process: str) -> Group:
    found: Group = {}
    with open(f"/proc/{process}/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for controller in controllers.split(",") if controllers else ["unified"]:
                found[controller] = path
    return found


def _base_of_v2(mount: str, own: str, name: str) -> Group:
    """Below the root where that is ours, else below our own group when it has been handed to us."""
    for parent in (mount, mount + own.rstrip("/")):
        if _hand_down(parent):
            base = _make(parent, name)
            if base and _hand_down(base):
                return dict.fromkeys((*CONTROLLERS, "unified"), base)
    return {}


def _hand_down(folder: str) -> bool:
    """Gives the controllers to groups below; False where we may not, or where processes stand in the way."""
    try:
        _write(folder, "cgroup.subtree_control", "+cpu +memory +pids")
    except OSError:
        return False
    return True


def _make(parent: str, name: str) -> str:
    base = f"{parent}/{name}"
    try:
        os.makedirs(base, exist_ok=True)
        os.rmdir(_probe(base))
    except OSError:
        return ""
    return base


def _probe(base: str) -> str:
    folder = f"{base}/probe-{os.getpid()}"
    os.makedirs(folder, exist_ok=True)
    return folder


def _write(folder: str, name: str, value: str) -> None:
    handle = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)


def _number(folder: str, name: str, unit: float) -> "float | None":
    try:
        with open(f"{folder}/{name}") as file:
            return float(file.read()) / unit
    except OSError:
        return None


def _pairs(folder: str, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    with contextlib.suppress(OSError), open(f"{folder}/{name}") as file:
        for line in file:
            key, _, value = line.partition(" ")
            if value.strip().isdigit():
                found[key] = int(value)
    return found
