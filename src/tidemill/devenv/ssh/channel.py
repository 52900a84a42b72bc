"""One channel of a connection: a shell, a command, or SFTP, running inside the environment's first node."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import asyncssh

from tidemill.devenv import shells
from tidemill.devenv.shells import RunningShell
from tidemill.doors.rights import Running
from tidemill.engines.base import Engine, EngineError

log = logging.getLogger("tidemill.ssh")

QUEUE_BYTES = 256 * 1024
AFTER_THE_END_S = 1.0
"""How long a terminal is still read when its program has ended but something it started holds on to it."""
CANNOT = 255
_LET_THROUGH = ("LANG", "LC_", "TERM", "COLORTERM", "VSCODE_")


class Channel(asyncssh.SSHServerSession[bytes]):
    """Carries bytes between the client and a program in a node; a slow side slows the other down."""

    def __init__(
        self, engine: Engine, place: Callable[[], Running | None], *, not_running: str, on_close: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._place = place
        self._not_running = not_running
        self._on_close = on_close
        self._chan: Any = None
        self._argv: tuple[str, ...] = shells.USERS_SHELL
        self._size: tuple[int, int] | None = None
        self._term = ""
        self._input: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queued = 0
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._shell: RunningShell | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, chan: Any) -> None:
        self._chan = chan

    def pty_requested(self, term_type: str, term_size: Any, term_modes: Any) -> bool:
        del term_modes
        self._term, self._size = term_type, _plausible(term_size[0], term_size[1])
        return True

    def shell_requested(self) -> bool:
        return True

    def exec_requested(self, command: str) -> bool:
        self._argv = shells.run_command(command)
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        self._argv = shells.SFTP_SERVER
        return subsystem == "sftp"

    def session_started(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def data_received(self, data: bytes, datatype: Any) -> None:
        del datatype
        self._input.put_nowait(data)
        self._queued += len(data)
        if self._queued > QUEUE_BYTES:
            self._chan.pause_reading()

    def eof_received(self) -> bool:
        self._input.put_nowait(None)
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        del pixwidth, pixheight
        self._size = _plausible(width, height)
        if self._shell is not None:
            self._shell.resize(*self._size)

    def signal_received(self, signal: str) -> None:
        if signal in {"TERM", "KILL", "HUP", "INT", "QUIT"} and self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._on_close()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            self._finish(await self._until_it_ends())
        except EngineError as error:
            self._say(str(error))
            self._finish(CANNOT)
        except asyncio.CancelledError:
            self._finish(CANNOT)
        except Exception:
            log.exception("an SSH channel broke")
            self._finish(CANNOT)
        finally:
            if self._shell is not None:
                await asyncio.shield(self._shell.close())

    async def _until_it_ends(self) -> int:
        place = await shells.in_thread(self._place)
        if place is None:
            self._say(self._not_running)
            return CANNOT
        shell = self._shell = await shells.open_shell(
            self._engine, place.launch_id, 0, self._argv, environment=self._environment(), terminal=self._size
        )
        feeding = asyncio.create_task(self._feed(shell))
        reading = [asyncio.create_task(self._drain(shell, shell.stdout, self._chan.write))]
        if shell.stderr is not None:
            reading.append(asyncio.create_task(self._drain(shell, shell.stderr, self._chan.write_stderr)))
        try:
            if self._size is None:
                await asyncio.gather(*reading)
                return _exit_code(await shell.wait())
            code = _exit_code(await shell.wait())
            await asyncio.wait(reading, timeout=AFTER_THE_END_S)
            return code
        finally:
            for task in (feeding, *reading):
                task.cancel()
            await asyncio.gather(feeding, *reading, return_exceptions=True)

    async def _feed(self, shell: RunningShell) -> None:
        while (data := await self._input.get()) is not None:
            is_open = await shell.write(data)
            self._queued -= len(data)
            if self._queued <= QUEUE_BYTES:
                self._chan.resume_reading()
            if not is_open:
                return
        shell.end_input()

    async def _drain(self, shell: RunningShell, descriptor: int, write: Callable[[bytes], None]) -> None:
        while data := await shell.read(descriptor):
            await self._may_write.wait()
            write(data)

    def _environment(self) -> dict[str, str]:
        asked = {str(name): str(value) for name, value in self._chan.get_environment().items()}
        let_through = {name: value for name, value in asked.items() if name.startswith(_LET_THROUGH)}
        return let_through | ({"TERM": self._term or "xterm"} if self._size is not None else {})

    def _say(self, words: str) -> None:
        if not self._chan.is_closing():
            self._chan.write_stderr(f"{words}\r\n".encode())

    def _finish(self, code: int) -> None:
        if not self._chan.is_closing():
            self._chan.exit(code)


def _plausible(columns: int, rows: int) -> tuple[int, int]:
    return min(max(columns, 1), 1000) if columns else 80, min(max(rows, 1), 1000) if rows else 24


def _exit_code(code: int) -> int:
    """As a shell says it: ended by a signal is 128 and the signal's number."""
    return 128 - code if code < 0 else code
