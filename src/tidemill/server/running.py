"""Several origins served from one process and one event loop, stopped together by one signal."""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
import uvloop
from starlette.types import ASGIApp

from tidemill.kernel.settings import Settings
from tidemill.server.cannot_start import CannotStart
from tidemill.server.doors import BACKLOG

log = logging.getLogger("tidemill.up")

ANSWERS_MAY_TAKE_S = 3
"""How long answers under way may go on after we are told to stop."""
STOP_AT_MOST_S = 8.0
"""Then we go, whatever still holds on: every acknowledged thing is on disk already."""
SAME_SIGNAL_S = 0.5
"""A signal to a group of processes may reach us twice, from the sender and from `make`."""
KEEP_ALIVE_S = 75
WEBSOCKET_MESSAGE_BYTES = 64 * 1024 * 1024
"""A notebook with pictures in it is one message."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An application and the sockets it answers on."""

    app: ASGIApp
    listeners: Sequence[socket.socket]


def run_until_stopped(
    origins: Sequence[Origin], settings: Settings, *, on_ready: Callable[[], None], on_stop: Callable[[], None]
) -> None:
    """Serves all origins until SIGINT or SIGTERM. Ctrl-C once more does not wait for answers under way."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(origins, settings, on_ready, on_stop))


async def _run(
    origins: Sequence[Origin], settings: Settings, on_ready: Callable[[], None], on_stop: Callable[[], None]
) -> None:
    servers = [_Server(_config(origin.app, settings)) for origin in origins]

    loop = asyncio.get_running_loop()
    told_at: float | None = None

    def stop(number: signal.Signals) -> None:
        nonlocal told_at
        if told_at is None:
            told_at = loop.time()
            _leave_after(STOP_AT_MOST_S)
            on_stop()
            for server in servers:
                server.should_exit = True
        elif number == signal.SIGINT and loop.time() > told_at + SAME_SIGNAL_S:
            _leave()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    serving = [
        asyncio.create_task(server.serve(list(origin.listeners)))
        for server, origin in zip(servers, origins, strict=True)
    ]
    ready = asyncio.create_task(_all_started(servers))
    await asyncio.wait([ready, *serving], return_when=asyncio.FIRST_COMPLETED)
    if ready.done():
        on_ready()
        await asyncio.wait(serving, return_when=asyncio.FIRST_COMPLETED)
    for server in servers:
        server.should_exit = True
    await asyncio.gather(*serving)


async def _all_started(servers: "Sequence[_Server]") -> None:
    for server in servers:
        await server.has_started.wait()


class _Server(uvicorn.Server):
    """Uvicorn's server, told to stop by us instead of by signals of its own."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:
            # Uvicorn has logged why the application did not start.
            raise CannotStart from None
        self.has_started.set()


def _config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="none",
        http="httptools",
        ws="websockets-sansio",
        ws_max_size=WEBSOCKET_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=ANSWERS_MAY_TAKE_S,
    )


def _leave_after(seconds: float) -> None:
    """A thread stuck in the network or on a disk must not keep the process alive after it was told to stop."""
    timer = threading.Timer(seconds, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    log.warning("leaving while something is still busy; it is taken up again at the next start")
    logging.shutdown()
    os._exit(0)
