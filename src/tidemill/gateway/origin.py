"""Who calls: the address of a connection, what replicas are told of it, and whom of those before it we believe."""

import ipaddress

from tidemill.gateway.core import Core
from tidemill.gateway.headers import Asked

_LINE_BYTES = 107


class Origin:
    """Where a connection comes from. Proxies are believed only where they are known."""

    __slots__ = ("_address", "_core", "_forwarded", "_is_trusted")

    def __init__(self, core: Core, address: str) -> None:
        self._core = core
        self._address = address
        self._is_trusted = core.is_trusted(address)
        self._forwarded = b"X-Forwarded-For: %b\r\nX-Forwarded-Proto: http\r\n" % address.encode()

    def forwarded(self, asked: Asked) -> bytes:
        """What replicas are told of where the request came from."""
        if not self._is_trusted:
            return self._forwarded
        before, own = asked.forwarded_for, self._address.encode()
        chain = own if before is None else before + b", " + own
        scheme = b"https" if asked.forwarded_proto == b"https" else b"http"
        return b"X-Forwarded-For: %b\r\nX-Forwarded-Proto: %b\r\n" % (chain, scheme)

    def address_of(self, asked: Asked) -> str:
        """Who calls, by address: the last one before the proxies that we know."""
        if not self._is_trusted or asked.forwarded_for is None:
            return self._address
        for part in reversed(asked.forwarded_for.decode("latin-1").split(",")):
            address = part.strip()
            if not is_address(address):
                break
            if not self._core.is_trusted(address):
                return address
        return self._address


class NoProxyLine(ValueError):
    """The connection begins otherwise."""


class ProxyLine:
    """The line that a proxy of ours begins a connection with: who calls (PROXY protocol, version 1)."""

    __slots__ = ("_begun", "address", "is_read")

    def __init__(self) -> None:
        self._begun = b""
        self.is_read = False
        self.address: str | None = None
        """None also where the line does not say."""

    def take(self, data: bytes) -> bytes:
        """What came after the line. Raises `NoProxyLine`."""
        line, mark, rest = (self._begun + data).partition(b"\r\n")
        if not mark and len(line) <= _LINE_BYTES:
            self._begun = line
            return b""
        fields = line.split(b" ")
        if not mark or fields[0] != b"PROXY" or len(fields) < 2:
            raise NoProxyLine
        self.is_read = True
        if len(fields) == 6 and is_address(address := fields[2].decode("latin-1")):
            self.address = address
        return rest


def is_address(text: str) -> bool:
    """Whether it is one of the Internet protocol, and no name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
