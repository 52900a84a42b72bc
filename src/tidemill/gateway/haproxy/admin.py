"""Speaking to a running HAProxy over its socket: what it knows, and telling it otherwise."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from tidemill.gateway.sockets import in_folder

_BYTES_MAX = 16 << 10
"""Of one line of commands."""
_PATIENCE_S = 5.0
INNER = "inner"
_DONE = ("IP changed", "port changed", "no need to change")
"""How it says that an address was set."""


class AdminError(Exception):
    """HAProxy did not answer, or not what was hoped for."""


class Admin:
    """One HAProxy's socket. Each call is a connection of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    async def ask(self, command: str) -> str:
        """The answer to a command (or to several, with `;` between); raises `AdminError`."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                with in_folder(self._folder, self._name) as path:
                    reader, writer = await asyncio.open_unix_connection(path)
                try:
                    writer.write(command.encode() + b"\n")
                    return (await reader.read()).decode("utf-8", "replace")
                finally:
                    writer.close()
        except (OSError, TimeoutError) as error:
            raise AdminError(f"HAProxy does not answer: {error!r}") from error

    async def tell(self, commands: Iterable[str]) -> None:
        """Does them in order, many at a time. Raises `AdminError` when one was refused."""
        for line in _lines(commands):
            said = await self.ask(line)
            if wrong := [word for word in said.splitlines() if word.strip() and not word.startswith(_DONE)]:
                raise AdminError(f"{line[:200]}: {wrong[0]}")

    async def open_by_server(self) -> dict[str, int]:
        """How many calls each server has that has any."""
        found = {}
        for line in (await self.ask("show stat -1 4 -1")).splitlines():
            fields = line.split(",", 5)
            if len(fields) == 6 and fields[0] != INNER and fields[4].isdigit() and int(fields[4]):
                found[fields[1]] = int(fields[4])
        return found


def _lines(commands: Iterable[str]) -> Iterable[str]:
    line: list[str] = []
    size = 0
    for command in commands:
        if line and size + len(command) > _BYTES_MAX:
            yield ";".join(line)
            line, size = [], 0
        line.append(command)
        size += len(command) + 1
    if line:
        yield ";".join(line)
