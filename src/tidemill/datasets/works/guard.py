"""Keeps a program that connects on somebody's behalf away from the platform's own network.

Names are looked up in one place of a process. From here on that place answers with nothing but addresses that may be
reached, whoever asks: an HTTP client following a redirect, a bucket's client, a database's driver.
"""

import ipaddress
import os
import socket
from typing import Any
from urllib.parse import urlsplit

from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import check_url

_look_up = socket.getaddrinfo


class Unreachable(OSError):
    """The address must not be reached."""


def install() -> None:
    """Guards this process; the platform itself, and its gateway where it is told of one, stay within reach."""
    own = [urlsplit(os.environ.get(name, "")) for name in ("TIDEMILL_URL", "TIDEMILL_GATEWAY_URL")]
    allow = [entry for entry in os.environ.get("TIDEMILL_OUTBOUND_ALLOW", "").split(",") if entry]

    def guarded(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        found = _look_up(host, port, *args, **options)
        is_own = name is None or any(name == one.hostname and str(port) == str(one.port) for one in own)
        if not is_own:
            check_addresses(name, [str(entry[4][0]) for entry in found], allow)
        return found

    socket.getaddrinfo = guarded


def check_addresses(host: str, addresses: list[str], allow: list[str]) -> None:
    """Raises when one of a host's addresses is out of bounds."""
    shown = f"[{host}]" if ":" in host else host
    try:
        check_url(f"http://{shown}/", allow, resolve=lambda _host, _port: addresses)
    except Invalid as refused:
        raise Unreachable(f"{host} is in a network that must not be reached") from refused


def resolve(host: str, port: int) -> str:
    """One address of the host that may be reached, for drivers that look names up themselves."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return str(ipaddress.ip_address(str(found[0][4][0]).partition("%")[0]))
