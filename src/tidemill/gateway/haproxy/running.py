"""The process of a HAProxy: started, and told to leave. It is its gateway's own, and ends with it."""

import asyncio
import contextlib
import ctypes
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

from tidemill.gateway.following import write_whole
from tidemill.gateway.haproxy import config
from tidemill.gateway.haproxy.admin import Admin, AdminError

OLDEST = (2, 6)
"""The first version that all of the configuration is known to."""
ADMIN = "admin.sock"
_LOG = "haproxy.log"
_STARTS_WITHIN_S = 10.0
_TELLS_WITHIN_S = 5.0
_SET_DEATH_SIGNAL = 1
_DEATH = int(signal.SIGKILL)
_LIBC = ctypes.CDLL(None)
# Giving memory back after each call and asking for it again would cost more than the call.
_SURROUNDINGS = {"PATH": os.defpath, "LANG": "C", "MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_TOP_PAD_": "16777216"}


class Unusable(Exception):
    """HAProxy cannot be used here; it says why."""


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


class Running:
    """A HAProxy that runs in a folder."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self.admin = Admin(folder, ADMIN)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_there(self) -> bool:
        return self._process.poll() is None

    async def retire(self, last: Callable[[], Awaitable[None]]) -> None:
        """Has it leave without dropping anything: from now on it brings all calls to the gateway, takes no new callers
        in, and ends when those it has are gone, or after a minute. `last` reads what it counted. One that cannot be
        told so is ended at once: it would go on by keys and replicas that are gone."""
        try:
            await self.admin.tell([f"clear map {config.map_file(config.ALLOWED)}"])
        except AdminError:
            self.end()
            return
        with contextlib.suppress(AdminError, TimeoutError):
            async with asyncio.timeout(_TELLS_WITHIN_S):
                # Once it leaves it tells of no call any more.
                while await self.admin.open_by_server():
                    await asyncio.sleep(0.02)
                await asyncio.sleep(0.05)
        await last()
        if self.is_there:
            self._process.send_signal(signal.SIGUSR1)

    def end(self) -> None:
        """Ends it at once."""
        if self.is_there:
            self._process.terminate()
            try:
                self._process.wait(2.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


async def start(folder: Path, program: str, listeners: list[socket.socket]) -> Running:
    """Starts one that takes callers in at these sockets, and knows nothing yet. Raises `Unusable`."""
    (folder / ADMIN).unlink(missing_ok=True)
    for name in (*config.MAPS, config.USED):
        write_whole(folder / config.map_file(name), b"")
    write_whole(folder / config.map_file(config.WORDS), config.words().encode())
    handles = [one.fileno() for one in listeners]
    threads = max(1, min(8, (os.cpu_count() or 1) // 2))  # The replicas need processors, too.
    write_whole(folder / "haproxy.cfg", config.configuration(handles, admin=ADMIN, threads=threads).encode())
    with (folder / _LOG).open("wb") as output:
        process = subprocess.Popen(
            [program, "-q", "-db", "-f", "haproxy.cfg"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=_SURROUNDINGS,
            pass_fds=handles,
            start_new_session=True,
            preexec_fn=functools.partial(_end_with, os.getpid()),
        )
    running = Running(folder, process)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_STARTS_WITHIN_S):
            while running.is_there:
                with contextlib.suppress(AdminError):
                    await running.admin.ask("show version")
                    return running
                await asyncio.sleep(0.02)
    running.end()
    said = (folder / _LOG).read_text("utf-8", "replace")[-1000:].strip()
    raise Unusable(f"HAProxy did not start: {said}")


def _end_with(gateway: int) -> None:
    """Between fork and exec: calls of the kernel alone."""
    _LIBC.prctl(_SET_DEATH_SIGNAL, _DEATH, 0, 0, 0)
    if os.getppid() != gateway:
        os._exit(1)
