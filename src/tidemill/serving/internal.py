"""How the platform itself calls a service: with a key that is made from the hour, and good for little more than one."""

import base64
import hashlib
import hmac
from datetime import datetime

from tidemill.gateway.schemas import KeyRoute
from tidemill.serving.keys import hashed

EPOCH_S = 3600
ID = "internal"


class InternalKeys:
    """Nothing of it is kept anywhere: both sides make it from a key that never leaves this server."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def secret(self, service_id: str, now: datetime) -> str:
        """What to call the service with now."""
        return self._make(service_id, _epoch(now))

    def routes(self, service_id: str, now: datetime) -> tuple[KeyRoute, ...]:
        """What the gateway is to accept: of this hour and its neighbours, for no two looks are at one moment."""
        epochs = range(_epoch(now) - 1, _epoch(now) + 2)
        return tuple(KeyRoute(f"{ID}-{epoch}", hashed(self._make(service_id, epoch))) for epoch in epochs)

    def _make(self, service_id: str, epoch: int) -> str:
        mark = hmac.digest(self._key, f"service key\n{service_id}\n{epoch}".encode(), hashlib.sha256)
        return "tms_i" + base64.urlsafe_b64encode(mark).decode().rstrip("=")


def _epoch(now: datetime) -> int:
    return int(now.timestamp()) // EPOCH_S
