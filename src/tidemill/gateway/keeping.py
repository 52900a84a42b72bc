"""Keeping the gateway's process: started when needed, found again, replaced when the program changed, ended."""

from pathlib import Path

from tidemill.gateway.control import Control
from tidemill.gateway.schemas import GatewayState
from tidemill.kernel.settings import Settings


class GatewayFailed(Exception):
    """The gateway could not be started; it says why."""


class Keeper:
    """Keeps one gateway for a home. It is a process of its own session, and outlives us."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder: Path = settings.home / "gateway"
        self.control = Control(self.folder)

    def ensure(self) -> GatewayState:
        """The gateway that runs; started where none does, and replaced, without dropping a request, where it is of
        another program version. Raises `GatewayFailed` when it cannot be started. Blocks until it serves."""
        raise NotImplementedError

    def end(self) -> None:
        """Ends the gateway after what it has begun; nothing where none runs."""
        raise NotImplementedError
