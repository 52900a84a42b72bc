"""The gateway's sockets: where callers come in, where the control plane asks; and how one gateway follows another.

The next one takes the very sockets that callers connect to, so that nobody who is just coming in is lost between them.
"""

import errno
import os
import socket
from pathlib import Path

HANDOVER = "handover.sock"
BACKLOG = 2048
_HANDED_MAX = 16


class PortTaken(Exception):
    """Somebody else listens there."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets for every address the host name stands for; raises `PortTaken`, or OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    addresses = list(dict.fromkeys((family, address) for family, _, _, _, address in found))
    sockets: list[socket.socket] = []
    try:
        for family, address in addresses:
            sockets += _listen(family, address)
    except BaseException:
        for one in sockets:
            one.close()
        raise
    if not sockets:
        raise OSError(errno.EADDRNOTAVAIL, f"this machine is not {host}")
    return sockets


def check_free(host: str, port: int) -> None:
    """Raises `PortTaken` where somebody listens: a port that may be shared would not say so."""
    for one in listen(host, port):
        one.close()


def take_over(folder: Path) -> list[socket.socket] | None:
    """The sockets of the gateway that runs in this folder; None where none hands any over."""
    asking = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    asking.settimeout(5.0)
    try:
        with asking:
            with in_folder(folder, HANDOVER) as path:
                asking.connect(path)
            _, handles, _, _ = socket.recv_fds(asking, 16, _HANDED_MAX)
    except OSError:
        return None
    sockets = [socket.socket(fileno=handle) for handle in handles]
    for one in sockets:
        one.setblocking(False)
    return sockets or None


def hand_over(listener: socket.socket, sockets: list[socket.socket]) -> None:
    """Gives our sockets to whoever asks; they are ours still, until we close them."""
    asking, _ = listener.accept()
    with asking:
        asking.setblocking(True)
        asking.settimeout(1.0)
        socket.send_fds(asking, [b"sockets"], [one.fileno() for one in sockets])


def listen_in(folder: Path, name: str) -> socket.socket:
    """A socket in a folder, in the place of whichever was there."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    beside = f"{name}.{os.getpid()}"
    (folder / beside).unlink(missing_ok=True)
    with in_folder(folder, beside) as path:
        listener.bind(path)
    (folder / beside).chmod(0o600)
    listener.listen(64)
    listener.setblocking(False)
    (folder / beside).replace(folder / name)
    return listener


class in_folder:  # noqa: N801 — read as a sentence
    """A path to a socket by way of a descriptor: a socket's address may be 107 characters only."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def __enter__(self) -> str:
        self._handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._handle}/{self._name}"

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _listen(family: int, address: object) -> list[socket.socket]:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)  # type: ignore[arg-type]
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"{address} is in use") from None
        if error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
            return []
        raise
    return [listener]
