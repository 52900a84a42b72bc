"""Addresses this server connects to on somebody's behalf: Git imports, webhooks.

A user names the address and the server connects, so the server's own network must stay out of reach: the host is
resolved here, every address it has must be public, and the caller connects to the address checked, not to the name
again (a name can answer differently the second time). Settings may allow hosts, addresses or networks.
"""

import ipaddress
import socket
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from tidemill.kernel.errors import Invalid

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]

URL_MAX = 2000
DEFAULT_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNSPEAKABLE = frozenset(map(chr, range(33))) | {"\x7f", "\\", "`", '"', "<", ">", "^", "{", "}", "|"}


@dataclass(frozen=True, slots=True)
class Target:
    """An address that was checked. Connect to `ip`; speak to `host`."""

    scheme: str
    user: str | None
    host: str
    port: int
    ip: str
    path: str
    """With the query, as it was given."""
    is_listed: bool
    """Settings name it, so that somebody vouches for it."""

    @property
    def url(self) -> str:
        """The address without anything secret."""
        user = f"{self.user}@" if self.user and self.scheme == "ssh" else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{user}{host}{port}{self.path}"


def resolve_host(host: str, port: int) -> list[str]:
    """All addresses of a host, as the system sees them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def check_url(
    url: str,
    allow: Sequence[str],
    *,
    schemes: Collection[str] = ("https", "http"),
    field: str = "url",
    resolve: Resolver = resolve_host,
) -> Target:
    """Where the address leads; raises Invalid when it is malformed, unknown, or in a network we must not reach."""
    parts = _split(url, schemes, field)
    host, port = _host_and_port(parts, field)
    ips = _resolve(host, port, resolve, field)
    is_listed = _is_listed_host(host, allow) or all(_is_listed_address(ip, allow) for ip in ips)
    if not is_listed and not all(is_public(ip) or _is_listed_address(ip, allow) for ip in ips):
        raise Invalid("address_private", field=field, host=host)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.username or None, host, port, str(ips[0]), path, is_listed)


def is_public(ip: Address) -> bool:
    """Whether an address is out in the world: not this machine, its network, its cloud's metadata, or a disguise."""
    inner = _unwrap(ip)
    return inner.is_global and not (inner.is_multicast or inner.is_reserved or inner.is_unspecified)


def _split(url: str, schemes: Collection[str], field: str) -> SplitResult:
    if len(url) > URL_MAX or _UNSPEAKABLE & set(url):
        raise Invalid("address_malformed", field=field)
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Invalid("address_malformed", field=field) from None
    if parts.scheme not in schemes:
        raise Invalid("address_scheme", field=field, allowed=", ".join(sorted(schemes)))
    if parts.password is not None or (parts.username is not None and parts.scheme != "ssh"):
        raise Invalid("address_credentials", field=field)
    return parts


def _host_and_port(parts: SplitResult, field: str) -> tuple[str, int]:
    try:
        host, port = (parts.hostname or "").rstrip("."), parts.port
        ascii_host = host if ":" in host else host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        raise Invalid("address_malformed", field=field) from None
    if not ascii_host or ascii_host.startswith("-") or "%" in ascii_host or port == 0:
        raise Invalid("address_malformed", field=field)
    return ascii_host.lower(), port or DEFAULT_PORTS[parts.scheme]


def _resolve(host: str, port: int, resolve: Resolver, field: str) -> list[Address]:
    try:
        found = [ipaddress.ip_address(text.partition("%")[0]) for text in resolve(host, port)]
    except (OSError, UnicodeError, ValueError):
        found = []
    if not found:
        raise Invalid("address_unresolved", field=field, host=host)
    return found


def _unwrap(ip: Address) -> Address:
    """The IPv4 address inside an IPv6 one that only carries it."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None) or ip


def _is_listed_host(host: str, allow: Sequence[str]) -> bool:
    return any(host == entry.lower().rstrip(".") for entry in allow)


def _is_listed_address(ip: Address, allow: Sequence[str]) -> bool:
    return any(network is not None and ip in network for network in map(_find_network, allow))


def _find_network(entry: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return None
