"""Hearing of changes: runners send a datagram, listeners are called; sometimes without one, as one may be lost."""

import logging
import os
import select
import socket
import threading
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger(__name__)

TICK_S = 1.0


class Wake:
    """A thread that calls `on_wake` on every datagram and every tick, as long as somebody keeps it."""

    def __init__(self, folder: Path, on_wake: Callable[[], None]) -> None:
        self._on_wake = on_wake
        self._is_closed = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(TICK_S)
        path = folder / "wake.sock"
        path.unlink(missing_ok=True)
        # By descriptor: a socket's address may be 107 characters only.
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._socket.bind(f"/proc/self/fd/{handle}/{path.name}")
        finally:
            os.close(handle)
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._thread = threading.Thread(target=self._run, name="engine-wake", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._is_closed = True
        self._ours.send(b"!")
        self._thread.join()
        for one in (self._socket, self._ours, self._theirs):
            one.close()

    def _run(self) -> None:
        while not self._is_closed:
            ready, _, _ = select.select([self._socket, self._theirs], [], [], TICK_S)
            if self._socket in ready:
                self._drain()
            if not self._is_closed:
                self._wake()

    def _wake(self) -> None:
        try:
            self._on_wake()
        except Exception:  # the next time may be better; without this thread nobody would hear of anything
            log.exception("looking after launches failed")

    def _drain(self) -> None:
        """Many datagrams at once are one wake-up."""
        self._socket.setblocking(False)
        try:
            while self._socket.recv(16):
                continue
        except BlockingIOError:
            return
