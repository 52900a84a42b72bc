"""Programs inside nodes, as terminals and SSH use them: started in a thread, read and written by an event loop."""

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tidemill.engines.base import Engine, Shell

PIECE = 64 * 1024
T = TypeVar("T")

_SHELL = 'for s in "$SHELL" bash sh; do command -v "$s" >/dev/null 2>&1 && exec "$s"; done'
_COMMAND = 'for s in "$SHELL" bash sh; do command -v "$s" >/dev/null 2>&1 && exec "$s" -c "$1"; done'
_SFTP = (
    "for s in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/libexec/sftp-server"
    ' /usr/lib/ssh/sftp-server; do [ -x "$s" ] && exec "$s"; done; '
    'echo "this image has no sftp-server: install openssh-sftp-server in it" >&2; exit 127'
)

USERS_SHELL = ("/bin/sh", "-c", _SHELL)
"""Not as a login shell: those begin with the system's own PATH and forget the image's."""
SFTP_SERVER = ("/bin/sh", "-c", _SFTP)
"""It runs inside the node: it sees what a shell there sees, and can reach no more than one."""


def run_command(command: str) -> tuple[str, ...]:
    """The user's shell, running one command."""
    return ("/bin/sh", "-c", _COMMAND, "sh", command)


# One thread for each program that is waited for: the loop's own few would soon all be waiting.
_threads = ThreadPoolExecutor(512, thread_name_prefix="shell")


async def in_thread(call: Callable[..., T], *arguments: object) -> T:
    """Calls what may block, apart from the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_threads, call, *arguments)


async def open_shell(
    engine: Engine,
    launch_id: str,
    node: int,
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    terminal: tuple[int, int] | None,
) -> "RunningShell":
    """Runs a program in a node; raises EngineError when the node cannot."""

    def begin() -> Shell:
        return engine.exec(launch_id, node, argv, environment=environment, terminal=terminal)

    return RunningShell(await in_thread(begin))


class RunningShell:
    """A program in a node, for one event loop. Nothing is buffered: who reads slowly slows the program down."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._loop = asyncio.get_running_loop()
        self.stdout = shell.stdout
        self.stderr = shell.stderr
        self._is_closed = False
        self._descriptors = {shell.stdin, shell.stdout} | ({shell.stderr} if shell.stderr is not None else set())
        for descriptor in self._descriptors:
            os.set_blocking(descriptor, False)

    async def read(self, descriptor: int) -> bytes:
        """What it wrote; nothing when it will not write any more."""
        while not self._is_closed:
            try:
                return os.read(descriptor, PIECE)
            except BlockingIOError:
                await self._ready(self._loop.add_reader, self._loop.remove_reader, descriptor)
            except OSError as error:
                # A terminal whose program has ended says EIO instead of nothing.
                if error.errno in {errno.EIO, errno.EBADF}:
                    return b""
                raise
        return b""

    async def write(self, data: bytes) -> bool:
        """Gives it input; whether it still takes any."""
        left = memoryview(data)
        while left and not self._is_closed:
            try:
                left = left[os.write(self._shell.stdin, left) :]
            except BlockingIOError:
                await self._ready(self._loop.add_writer, self._loop.remove_writer, self._shell.stdin)
            except OSError:
                return False
        return not self._is_closed

    def end_input(self) -> None:
        """There is no more input. The descriptor stays taken, for `close` to close: it leads nowhere."""
        if self._is_closed or self._shell.stdin == self._shell.stdout:
            return
        if stat.S_ISSOCK(os.fstat(self._shell.stdin).st_mode):
            with socket.socket(fileno=os.dup(self._shell.stdin)) as end:
                end.shutdown(socket.SHUT_WR)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._shell.stdin, inheritable=False)
        os.close(nowhere)

    def resize(self, columns: int, rows: int) -> None:
        if not self._is_closed:
            self._shell.resize(columns, rows)

    async def wait(self) -> int:
        """The exit code, when it has ended."""
        return await in_thread(self._shell.wait)

    async def close(self) -> None:
        """Ends it."""
        if not self._is_closed:
            self._is_closed = True
            for descriptor in self._descriptors:
                self._loop.remove_reader(descriptor)
                self._loop.remove_writer(descriptor)
            await in_thread(self._shell.close)

    async def _ready(self, watch: Callable[..., object], unwatch: Callable[[int], object], descriptor: int) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()
        watch(descriptor, _settle, ready)
        try:
            await ready
        finally:
            if not self._is_closed:
                unwatch(descriptor)


def _settle(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
