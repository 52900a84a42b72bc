"""The server as a process: listening at once, ready when all models are warm, gone when all is answered."""

import asyncio
import gc
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
import uvloop

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.app import App
from tidemill.runtime.server.options import ServerOptions
from tidemill.runtime.server.repository import Repository

log = logging.getLogger("tidemill.serve")

BACKLOG = 2048
KEEP_ALIVE_S = 75
SWITCH_EVERY_S = 0.001
"""Threads take turns often: a model that is done does not wait while the event loop reads requests."""

Say = Callable[[dict[str, Any]], None]


def run(options: ServerOptions, say: Say) -> int:
    """Serves until SIGTERM or SIGINT; 0 after a clean end. Raises `Unfit` and OSError where it cannot begin."""
    sys.setswitchinterval(SWITCH_EVERY_S)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    if not options.models:
        raise Unfit("there is no model to serve: --model FOLDER, or --models-folder FOLDER")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(options, say))
    return 0


async def _serve(options: ServerOptions, say: Say) -> None:
    repository = Repository(options)
    listener = _listen(options.host, options.port)
    server = _Server(_config(App(repository), options))
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    grpc_server, where = None, {"host": options.host, "port": listener.getsockname()[1]}
    if options.grpc_port is not None:
        from tidemill.runtime.server import rpc

        grpc_server, where["grpc_port"] = await rpc.start(repository, options.host, options.grpc_port)
    serving = asyncio.create_task(server.serve([listener]))
    loading = asyncio.create_task(repository.load())
    told_to_stop = asyncio.create_task(stopping.wait())
    try:
        say(where)
        await asyncio.wait([loading, told_to_stop, serving], return_when=asyncio.FIRST_COMPLETED)
        if loading.done():
            await loading
            _settle()
            say({"ready": True, "models": list(repository.entries)})
            await asyncio.wait([told_to_stop, serving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        repository.is_draining = True
        loading.cancel()
        await _drain(repository, server, serving, grpc_server)


async def _drain(repository: Repository, server: "_Server", serving: "asyncio.Task[None]", grpc_server: Any) -> None:
    """Not ready any more, but still here for a moment; then nothing new, and what was taken is answered."""
    options = repository.options
    if repository.is_loaded:
        await asyncio.sleep(options.linger_s)
    server.should_exit = True
    if grpc_server is not None:
        await asyncio.gather(serving, grpc_server.stop(options.drain_s))
    await serving
    repository.close()


def _settle() -> None:
    """What is loaded by now stays: there is no need to look through it for rubbish again and again."""
    gc.collect()
    gc.freeze()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise OSError(f"{host}:{port} cannot be listened at: {error.strerror}") from error
    return listener


class _Server(uvicorn.Server):
    """Uvicorn's server, told to stop by us instead of by signals of its own."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: Any, options: ServerOptions) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="none",
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(options.drain_s)),
    )


def say_line(what: dict[str, Any]) -> None:
    print(json.dumps(what, ensure_ascii=False), flush=True)  # noqa: T201 — whoever started us reads it
