"""Processes of this machine, read from /proc, and ways to end many of them."""

import contextlib
import os
import signal
import time

MARK = "TIDEMILL_LAUNCH"
"""The variable by which processes of a node are known, whoever their parent is now."""


def boot_id() -> str:
    """Changes when the machine starts anew; process ids mean nothing across it."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def all_pids() -> list[int]:
    """Every process that is there now."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_of(pid: int) -> list[bytes]:
    """Fields of /proc/<pid>/stat from the state on (parent is 1, session 3, ticks 11 and 12, start 19, pages 21)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """Whether the process is there and not only waiting to be reaped."""
    fields = stat_of(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X")


def start_ticks(pid: int) -> int:
    """When the process began, in ticks since boot: with its id this names it for good. 0: there is none."""
    fields = stat_of(pid)
    return int(fields[19]) if fields else 0


def descendants(root: int) -> list[int]:
    """Children of the process, and theirs."""
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        fields = stat_of(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
    found: list[int] = []
    todo = list(children.get(root, ()))
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo.extend(children.get(pid, ()))
    return found


def children_of(parent: int) -> list[int]:
    """Its children, the oldest first."""
    found = [pid for pid in all_pids() if (fields := stat_of(pid)) and int(fields[1]) == parent]
    return sorted(found, key=start_ticks)


def own_children() -> list[int]:
    """The children of this process, which has one thread."""
    pid = os.getpid()
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:  # a kernel without this list
        return children_of(pid)


def marked(value: str, name: str = MARK) -> list[int]:
    """Processes that carry the mark, or were started by one that does."""
    wanted = f"{name}={value}".encode()
    found = []
    for pid in all_pids():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue  # it ended, or belongs to another user
    return [pid for pid in found if pid != os.getpid()]


def environment_of(pid: int) -> dict[str, str]:
    """The variables the process was started with."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
    except OSError:
        return {}
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def become_program(argv: list[str], environment: dict[str, str]) -> None:
    """Replaces this process. Looks the program up itself: `os.execvpe` loads a module, which may be out of sight."""
    program = argv[0]
    folders = environment.get("PATH", os.defpath).split(":")
    places = [program] if "/" in program else [f"{folder or '.'}/{program}" for folder in folders]
    refused = None
    for place in places:
        try:
            os.execve(place, argv, environment)  # noqa: S606  a program and its arguments, no shell
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            refused = error
    raise refused or FileNotFoundError(2, os.strerror(2), program)


def send(pid: int, number: int) -> None:
    """Sends a signal to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def group_mates(pid: int) -> list[int]:
    """The processes of the process's group."""
    group = stat_of(pid)[2:3]
    return [other for other in all_pids() if group and stat_of(other)[2:3] == group]


def handles(pid: int, number: int) -> bool:
    """Whether the process does something of its own on a signal, or ignores it."""
    masks = 0
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(("SigIgn:", "SigCgt:")):
                masks |= int(line.split()[1], 16)
    return bool(masks >> (number - 1) & 1)


def end_all(find: "Finder", *, within_s: float = 10.0, reaps: bool = False) -> bool:
    """Kills whatever `find` finds until it finds nothing; says whether that came about.

    All are held first: a process that forks as fast as it is killed would otherwise stay ahead. `reaps`: they may be
    children of ours, which nobody else waits for.
    """
    deadline = time.monotonic() + within_s
    pause_s = 0.001
    while True:
        pids = [pid for pid in find() if is_alive(pid)]
        if not pids:
            return True
        if time.monotonic() > deadline:
            return False
        for number in (signal.SIGSTOP, signal.SIGKILL) if len(pids) > 1 else (signal.SIGKILL,):
            for pid in pids:
                send(pid, number)
        if reaps:
            reap()
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.05)


_ended: dict[int, int] = {}


def reap() -> "dict[int, int]":
    """Takes leave of ended children: the wait statuses, by id, of all that have ever ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return _ended
        if pid == 0:
            return _ended
        _ended[pid] = status


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Finder = Callable[[], list[int]]
