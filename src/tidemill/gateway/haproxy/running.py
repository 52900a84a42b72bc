"""The process of a HAProxy: found, started, and told to leave. It outlives the gateway that started it."""

import asyncio
import contextlib
import ctypes
import hashlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tidemill.gateway.following import write_whole
from tidemill.gateway.haproxy import config
from tidemill.gateway.haproxy.admin import Admin, AdminError
from tidemill.gateway.processes import start_of

log = logging.getLogger(__name__)

OLDEST = (2, 6)
"""The first version whose servers can be added while it runs without more ado."""
RECORD = "haproxy.json"
LOG = "haproxy.log"
_STARTS_WITHIN_S = 10.0
_PIDFD_GETFD = 438
"""Linux's number for it on all processors; the C library has no function of that name everywhere."""
_LIBC = ctypes.CDLL(None)
# Giving memory back after each call and asking for it again would cost more than the call.
_SURROUNDINGS = {"PATH": os.defpath, "LANG": "C", "MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_TOP_PAD_": "16777216"}
_children: list["subprocess.Popen[bytes]"] = []


class Unusable(Exception):
    """HAProxy cannot be used here; it says why."""


@dataclass(frozen=True)
class Running:
    """A HAProxy that runs: its process, and by which socket it is spoken to."""

    pid: int
    began: int
    digest: str
    handles: tuple[int, ...]
    """The numbers that the sockets for callers have there."""

    @property
    def admin(self) -> str:
        return admin_name(self.digest)

    @property
    def is_there(self) -> bool:
        _children[:] = [process for process in _children if process.poll() is None]
        return start_of(self.pid) == self.began


def admin_name(digest: str) -> str:
    return f"haproxy-{digest}.sock"


def find_program() -> str:
    """The program's path; raises `Unusable`."""
    path = shutil.which("haproxy", path=os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin")))
    if path is None:
        raise Unusable("HAProxy is not installed")
    try:
        said = subprocess.run([path, "-v"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise Unusable(f"{path} does not run: {error}") from None
    version = re.search(r"version (\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        raise Unusable(f"{path} is older than {'.'.join(map(str, OLDEST))}")
    return path


def find_running(folder: Path) -> Running | None:
    """The HAProxy of this folder; None where none runs."""
    try:
        said = json.loads((folder / RECORD).read_text("utf-8"))
        running = Running(said["pid"], said["began"], said["digest"], tuple(said["handles"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return running if running.is_there else None


def threads() -> int:
    return max(1, min(8, os.cpu_count() or 1))


def digest_of(program: str) -> str:
    """Of the program and what it would be told at its start: another one means another process."""
    told = config.configuration([0], admin="", threads=threads()) + config.words() + program
    return hashlib.sha256(told.encode()).hexdigest()[:12]


async def start(folder: Path, program: str, listeners: list[socket.socket]) -> Running:
    """Starts one that takes callers in at these sockets, and knows nothing yet. Raises `Unusable`."""
    digest = digest_of(program)
    (folder / admin_name(digest)).unlink(missing_ok=True)
    for name in config.MAPS:
        write_whole(folder / config.map_file(name), b"")
    write_whole(folder / config.map_file(config.WORDS), config.words().encode())
    handles = [one.fileno() for one in listeners]
    text = config.configuration(handles, admin=admin_name(digest), threads=threads())
    write_whole(folder / "haproxy.cfg", text.encode())
    with (folder / LOG).open("wb") as output:
        process = subprocess.Popen(
            [program, "-q", "-db", "-f", "haproxy.cfg"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=_SURROUNDINGS,
            pass_fds=handles,
            start_new_session=True,
        )
    _children.append(process)
    running = Running(process.pid, start_of(process.pid) or 0, digest, tuple(handles))
    write_whole(folder / RECORD, json.dumps(asdict(running)).encode())
    await _wait_until_answering(folder, process, running)
    return running


async def _wait_until_answering(folder: Path, process: "subprocess.Popen[bytes]", running: Running) -> None:
    admin = Admin(folder, running.admin)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_STARTS_WITHIN_S):
            while process.poll() is None:
                with contextlib.suppress(AdminError):
                    await admin.ask("show version")
                    return
                await asyncio.sleep(0.02)
    process.kill()
    process.wait()
    said = (folder / LOG).read_text("utf-8", "replace")[-1000:].strip()
    raise Unusable(f"HAProxy did not start: {said}")


async def retire(folder: Path, running: Running) -> None:
    """Has it leave without dropping anything: from now on it brings all calls to the gateway, takes no new callers in,
    and ends when those it has are gone, or after a minute."""
    with contextlib.suppress(AdminError):
        await Admin(folder, running.admin).ask(f"clear map {config.map_file(config.ALLOWED)}")
    with contextlib.suppress(ProcessLookupError):
        if running.is_there:
            os.kill(running.pid, signal.SIGUSR1)


def end(running: Running) -> None:
    """Ends it at once."""
    with contextlib.suppress(ProcessLookupError):
        if running.is_there:
            os.kill(running.pid, signal.SIGTERM)


def inherit(folder: Path, port: int) -> list[socket.socket]:
    """The sockets at that port of a HAProxy whose gateway died; none where there is none. What else such a gateway
    left behind is ended: it would hold the port."""
    orphan = find_running(folder)
    found = [] if orphan is None else _sockets_of(orphan)
    if any(one.getsockname()[1] != port for one in found):
        for one in found:
            one.close()
        found = []
    for pid, began in _strays(folder):
        if not found or orphan is None or pid != orphan.pid:
            _end_and_wait(pid, began)
    return found


def _sockets_of(running: Running) -> list[socket.socket]:
    """The sockets by which its callers come in; none where the machine does not let us have them."""
    found: list[socket.socket] = []
    try:
        process = os.pidfd_open(running.pid)
    except OSError:
        return found
    try:
        for handle in running.handles:
            got = _LIBC.syscall(_PIDFD_GETFD, process, handle, 0)
            if got < 0:
                break
            found.append(socket.socket(fileno=got))
            found[-1].setblocking(False)
    except OSError:
        log.exception("the sockets of HAProxy cannot be had")
    finally:
        os.close(process)
    if len(found) == len(running.handles):
        return found
    for one in found:
        one.close()
    return []


def _strays(folder: Path) -> list[tuple[int, int]]:
    """Processes of HAProxy in this folder, and when they began."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (place / "comm").read_text() == "haproxy\n" and (place / "cwd").resolve() == folder.resolve():
                pid = int(place.name)
                found.append((pid, start_of(pid) or 0))
        except OSError:
            continue
    return found


def _end_and_wait(pid: int, began: int) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + 2.0
        while start_of(pid) == began:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        else:
            return
