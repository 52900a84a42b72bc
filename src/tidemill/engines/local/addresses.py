"""Where ports of a node are reached: only those its own processes listen on."""

import os
from collections.abc import Iterator
from contextlib import suppress

from tidemill.engines.base import EngineError
from tidemill.engines.local.nodes import Node
from tidemill.engines.runner.cgroups import members
from tidemill.engines.runner.processes import descendants, marked

LISTENING = "0A"


def find_address(node: Node, port: int) -> tuple[str, int]:
    """The address to connect to; raises EngineError when no process of the node listens on the port."""
    listeners = dict(_listeners(port))
    for pid in processes_of(node):
        for inode in _sockets(pid):
            if inode in listeners:
                return _reachable(listeners[inode]), port
    raise EngineError(f"nothing in the node listens on port {port}")


def processes_of(node: Node) -> list[int]:
    """The node's processes, whichever way they are held together here."""
    if node.record["group"]:
        return members(node.record["group"])
    inner = node.inner_pid
    return sorted({inner, *descendants(inner), *marked(node.mark)})


def _listeners(port: int) -> Iterator[tuple[str, str]]:
    """Sockets listening on the port: their number in the system, and their address as the kernel writes it."""
    for table in ("tcp", "tcp6"):
        with suppress(FileNotFoundError), open(f"/proc/net/{table}") as file:
            next(file, None)
            for line in file:
                fields = line.split()
                address, _, at = fields[1].partition(":")
                if fields[3] == LISTENING and int(at, 16) == port:
                    yield fields[9], address


def _sockets(pid: int) -> Iterator[str]:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith("socket:["):
                    yield target[8:-1]


def _reachable(address: str) -> str:
    """An address as it is written in /proc/net, or loopback for those that listen everywhere."""
    if not address.strip("0"):
        return "127.0.0.1"
    if len(address) == 8:
        return ".".join(str(byte) for byte in reversed(bytes.fromhex(address)))
    return "::1" if address == "00000000000000000000000001000000" else "127.0.0.1"
