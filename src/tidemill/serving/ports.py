"""Ports for replicas: they share their machine's network, so each gets ports of its own."""

import secrets
import socket
from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import Unavailable
from tidemill.serving.tables import ReplicaRow

_TRIES = 200


def parse_range(text: str) -> range:
    """`30000-31999`"""
    first, _, last = text.partition("-")
    found = range(int(first), int(last) + 1)
    if not 1 <= found.start < found.stop <= 65536:
        raise ValueError(text)
    return found


def free_ports(session: Session, ports: range, count: int) -> Iterator[int]:
    """Ports that no live replica has and nothing listens on now. Who is still unlucky is started again elsewhere."""
    live = sa.select(ReplicaRow.port, ReplicaRow.grpc_port).where(ReplicaRow.ended_at.is_(None))
    taken = {port for pair in session.execute(live) for port in pair if port}
    for _ in range(_TRIES):
        if not count:
            return
        port = secrets.choice(ports)
        if port not in taken and _is_free(port):
            taken.add(port)
            count -= 1
            yield port
    if count:
        raise Unavailable("service_no_ports")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
