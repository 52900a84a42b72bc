"""From the pipe of a command into its log, no faster than the log takes it."""

import os
import select
import time

from tidemill.engines.runner.logs import LogWriter

READ_BYTES = 256 * 1024
DRAIN_S = 1.0


class Output:
    """The pipe, watched by a poll as long as it is open and the log keeps up."""

    def __init__(self, handle: int, log: LogWriter, poll: "select.poll") -> None:
        self._handle = handle
        self._log = log
        self._poll = poll
        self._is_open = True
        self._is_watched = False

    def throttle(self) -> float:
        """Watches the pipe, or leaves it alone for a while: for so long."""
        pause_s = self._log.pause_s()
        self._watch(self._is_open and pause_s == 0.0)
        return pause_s if self._is_open and pause_s else float("inf")

    def read(self) -> None:
        """What is there now."""
        data = os.read(self._handle, READ_BYTES)
        if data:
            self._log.write(data)
        else:
            self._is_open = False
            self._watch(False)

    def _watch(self, wanted: bool) -> None:
        if wanted and not self._is_watched:
            self._poll.register(self._handle, select.POLLIN)
        elif self._is_watched and not wanted:
            self._poll.unregister(self._handle)
        self._is_watched = wanted


def drain(handle: int, log: LogWriter) -> None:
    """What is left in the pipe. Everybody who wrote to it has been ended; who was not is not waited for."""
    os.set_blocking(handle, False)
    deadline = time.monotonic() + DRAIN_S
    while time.monotonic() < deadline:
        try:
            data = os.read(handle, READ_BYTES)
        except BlockingIOError:
            select.select([handle], [], [], 0.05)
            continue
        if not data:
            return
        log.write(data)
