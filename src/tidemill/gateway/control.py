"""Asking a running gateway, over its socket in the home, how it is and what it counted; telling it to look or leave."""

import http.client
import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from tidemill.gateway.schemas import Counter, Difference, GatewayState

SOCKET = "control.sock"
TIMEOUT_S = 5.0


class NoGateway(Exception):
    """No gateway answers."""


class Control:
    """A gateway's control socket in a folder (`home/gateway`). Each call is a connection of its own; thread-safe."""

    def __init__(self, folder: Path, *, timeout_s: float = TIMEOUT_S) -> None:
        self._folder = folder
        self._timeout_s = timeout_s

    def state(self) -> GatewayState | None:
        """How the gateway is; None where none answers."""
        try:
            return GatewayState.from_json(self._ask("GET", "/state"))
        except NoGateway:
            return None

    def counters(self) -> list[Counter]:
        """What was counted since the gateway began, and by the one before it where that ended a moment ago (another
        `epoch`); nothing where none answers."""
        try:
            return [Counter.from_json(one) for one in self._ask("GET", "/counters")["counters"]]
        except NoGateway:
            return []

    def key_days(self) -> dict[str, str]:
        """The day, in UTC, on which each key was used last: of those that were used lately."""
        try:
            days: dict[str, str] = self._ask("GET", "/keys")["days"]
            return days
        except NoGateway:
            return {}

    def differences(self) -> list[Difference]:
        """The newest answers of shadow versions that differed, newest first; a few of each service."""
        try:
            return [Difference.from_json(one) for one in self._ask("GET", "/differences")["differences"]]
        except NoGateway:
            return []

    def prometheus(self) -> str:
        """The counters in Prometheus' text format; empty where no gateway answers."""
        try:
            return self._call("GET", "/metrics").decode()
        except NoGateway:
            return ""

    def nudge(self) -> bool:
        """Has the gateway read the table now; False where none answers. When it returns, the table is applied."""
        with suppress(NoGateway):
            self._ask("POST", "/nudge")
            return True
        return False

    def drain(self) -> bool:
        """Tells it to finish what it has begun, and to end; False where none answers."""
        with suppress(NoGateway):
            self._ask("POST", "/drain")
            return True
        return False

    def _ask(self, method: str, path: str) -> Any:
        return json.loads(self._call(method, path))

    def _call(self, method: str, path: str) -> bytes:
        connection = _Connection(self._folder, self._timeout_s)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoGateway from error
        finally:
            connection.close()
        if answer.status != 200:
            raise NoGateway(f"the gateway answered {answer.status}")
        return content


class _Connection(http.client.HTTPConnection):
    def __init__(self, folder: Path, timeout_s: float) -> None:
        super().__init__("gateway", timeout=timeout_s)
        self._folder = folder

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        # By descriptor: a socket's address may be 107 characters only.
        handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sock.connect(f"/proc/self/fd/{handle}/{SOCKET}")
        finally:
            os.close(handle)
