"""Speaking to a running HAProxy over its socket: what it knows, and telling it otherwise."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path

from tidemill.gateway.haproxy.calls import Totals
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

    async def totals(self, backends: Iterable[str]) -> dict[str, Totals]:
        """What the servers of these backends have, and had."""
        found: dict[str, Totals] = {}
        names: list[str] = []
        for asked in _lines(f"show stat {backend} 4 -1" for backend in backends):
            for line in (await self.ask(asked)).splitlines():
                if line.startswith("#"):
                    names = line.removeprefix("# ").split(",")
                elif line:
                    row = dict(zip(names, line.split(","), strict=False))
                    found[row["svname"]] = _totals(row)
        return found

    async def map_keys(self, name: str) -> list[str]:
        """The keys of a map."""
        rows = (line.split(" ") for line in (await self.ask(f"show map {name}")).splitlines())
        return [row[1] for row in rows if len(row) > 2]

    async def open_by_server(self) -> dict[str, int]:
        """How many calls each server has that has any."""
        found = {}
        for line in (await self.ask("show stat -1 4 -1")).splitlines():
            fields = line.split(",", 5)
            if len(fields) == 6 and fields[0] != INNER and fields[4].isdigit() and int(fields[4]):
                found[fields[1]] = int(fields[4])
        return found


def _totals(row: Mapping[str, str]) -> Totals:
    def number(name: str) -> int:
        return int(row.get(name) or 0)

    return Totals(
        open=number("scur"),
        answers=tuple(number(f"hrsp_{one}") for one in ("other", "1xx", "2xx", "3xx", "4xx", "5xx")),
        bytes_in=number("bin"),
        bytes_out=number("bout"),
        usual_s=number("ttime") / 1000,
    )


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
