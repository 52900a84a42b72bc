"""The addresses we listen on, taken before anything else is touched so that a clash is said at once."""

import errno
import ipaddress
import socket
from contextlib import ExitStack

from tidemill.server.cannot_start import CannotStart

BACKLOG = 2048
# A peer that vanished without a word (a laptop closed, a cable pulled) is noticed after about two minutes.
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}


def open_door(host: str, port: int) -> list[socket.socket]:
    """Listening sockets for every address the host name stands for."""
    with ExitStack() as undo:
        sockets = []
        for family, address in _addresses(host, port):
            listener = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
            if _listen(listener, family, address, host=host, port=port):
                sockets.append(listener)
        if not sockets:
            raise CannotStart("up_host_not_here", host=host)
        undo.pop_all()
        return sockets


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    return all(ipaddress.ip_address(address[0].partition("%")[0]).is_loopback for _, address in _addresses(host, 0))


def base_url(host: str, port: int) -> str:
    """What to type into a browser on this machine."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 - asked about, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise CannotStart("up_host_unknown", host=host) from None
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))  # type: ignore[misc]


def _listen(
    listener: socket.socket, family: socket.AddressFamily, address: tuple[str, int], *, host: str, port: int
) -> bool:
    """False where this machine does not have the address (a name may stand for IPv6 where there is none)."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEP_ALIVE.items():
        if hasattr(socket, option):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    if family == socket.AF_INET6:
        # `::` means everyone, IPv4 too; any other IPv6 address means itself.
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if host == "::" else 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotStart("up_port_in_use", host=host, port=port) from None
        if error.errno == errno.EACCES:
            raise CannotStart("up_port_forbidden", port=port) from None
        if error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
            return False
        raise CannotStart("up_port_failed", host=host, port=port, reason=error.strerror or error) from None
    listener.setblocking(False)
    return True
