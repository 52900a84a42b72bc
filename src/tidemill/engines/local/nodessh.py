"""The SSH server of one node: `python -m tidemill.engines.local.nodessh <node folder> <runner>`.

Started by the node's runner, on the node's own loopback address. It lets in who holds the launch's key, and runs what
they ask for inside the node.
"""

import asyncio
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncssh

from tidemill.engines.base import EngineError, Shell
from tidemill.engines.local.nodes import Node
from tidemill.engines.local.shells import open_shell
from tidemill.engines.runner.files import read_record, write_record
from tidemill.engines.runner.gang import node_of, read_launch

START_S = 60.0
LOOK_EVERY_S = 1.0
BLOCK_BYTES = 65536


def main(folder: Path, runner: int) -> None:
    """Serves until it is ended with its node, or the node's runner was killed and nobody is left to end it."""
    asyncio.run(_serve(folder, runner))


async def _serve(folder: Path, runner: int) -> None:
    launch = read_launch(str(folder.parent.parent))
    record = node_of(launch, int(folder.name))
    key = Path(launch["folder"]) / "shared" / "ssh" / "key"
    server = await asyncssh.listen(
        record["address"],
        0,
        server_host_keys=[str(key)],
        authorized_client_keys=str(key.with_suffix(".pub")),
        process_factory=lambda process: _handle(process, launch, record, folder),
        encoding=None,
        password_auth=False,
        kbdint_auth=False,
        line_editor=False,
    )
    write_record(str(folder / "ssh.json"), {"port": server.get_port()})
    while os.getppid() == runner:
        await asyncio.sleep(LOOK_EVERY_S)
    server.close()


async def _handle(
    process: "asyncssh.SSHServerProcess[bytes]", launch: dict[str, Any], record: dict[str, Any], folder: Path
) -> None:
    try:
        shell = await asyncio.to_thread(_open, process, launch, record, folder)
    except EngineError as error:
        process.stderr.write(f"{error}\n".encode())
        process.exit(255)
        return
    try:
        process.exit(await _connect(process, shell))
    finally:
        await asyncio.to_thread(shell.close)


def _open(
    process: "asyncssh.SSHServerProcess[bytes]", launch: dict[str, Any], record: dict[str, Any], folder: Path
) -> Shell:
    started = _wait_for_start(folder)
    node = Node(launch, record, started, folder, folder.parents[3] / "workspaces" / launch["workspace_name"])
    argv = ["/bin/sh", "-c", process.command] if process.command is not None else ["/bin/sh", "-l"]
    size = process.get_terminal_size()[:2] if process.get_terminal_type() is not None else None
    return open_shell(node, argv, environment={}, terminal=size)


def _wait_for_start(folder: Path) -> dict[str, Any]:
    """Nodes start together, but not at once: who comes early waits."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        started = read_record(str(folder / "started.json"))
        if started is not None:
            return started
        time.sleep(0.02)
    raise EngineError("the node has not started")


async def _connect(process: "asyncssh.SSHServerProcess[bytes]", shell: Shell) -> int:
    """Carries bytes both ways until the program has ended and all it wrote is on its way."""
    into = asyncio.create_task(_feed(process, shell.stdin, has_terminal=shell.stderr is None))
    outputs = [_carry(shell.stdout, process.stdout)]
    if shell.stderr is not None:
        outputs.append(_carry(shell.stderr, process.stderr))
    gone = asyncio.create_task(process.wait_closed())
    done = asyncio.create_task(_gather(outputs))
    await asyncio.wait({gone, done}, return_when=asyncio.FIRST_COMPLETED)
    into.cancel()
    if not done.done():
        await asyncio.to_thread(shell.close)
        await done
        return 255
    gone.cancel()
    return await asyncio.to_thread(shell.wait)


async def _gather(tasks: list[Any]) -> None:
    await asyncio.gather(*tasks)


async def _feed(process: "asyncssh.SSHServerProcess[bytes]", into: int, *, has_terminal: bool) -> None:
    while True:
        try:
            data = await process.stdin.read(BLOCK_BYTES)
        except asyncssh.TerminalSizeChanged:
            continue
        except asyncssh.BreakReceived:
            continue
        if not data:
            break
        with suppress(BrokenPipeError, OSError):
            await asyncio.to_thread(_write_all, into, data)
    if not has_terminal:
        os.close(into)


def _write_all(into: int, data: bytes) -> None:
    while data:
        data = data[os.write(into, data) :]


async def _carry(source: int, target: Any) -> None:
    while True:
        try:
            data = await asyncio.to_thread(os.read, source, BLOCK_BYTES)
        except OSError:
            return  # a terminal whose program has ended
        if not data:
            return
        try:
            target.write(data)
            await target.drain()
        except (BrokenPipeError, ConnectionError):
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
