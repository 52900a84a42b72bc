"""A Tidemill of the benchmark's own: scratch home, free port, watched from outside."""

import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tidemill.sdk import Client

SAMPLE_EVERY_S = 0.05
START_TIMEOUT_S = 60


@dataclass
class Server:
    """The server's process, and the most memory it was seen to take."""

    url: str
    client: Client
    process: psutil.Process
    peak_rss_bytes: int = 0


@contextmanager
def running_server(folder: Path) -> Iterator[Server]:
    """Starts a server with its defaults, signs in, and samples its memory until the block ends."""
    port, password = _free_ports(), secrets.token_urlsafe(12)
    command = [sys.executable, "-m", "tidemill", "up", "--home", str(folder / "home"), "--port", str(port)]
    environment = {**os.environ, "TIDEMILL_ADMIN_PASSWORD": password}
    with (folder / "server.log").open("wb") as log:
        started = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    stop = threading.Event()
    try:
        client = _sign_in(url, password, started, folder / "server.log")
        server = Server(url, client, psutil.Process(started.pid))
        watcher = threading.Thread(target=_watch, args=(server, stop))
        watcher.start()
        yield server
        stop.set()
        watcher.join()
    finally:
        stop.set()
        started.terminate()
        started.wait(30)


def _watch(server: Server, stop: threading.Event) -> None:
    while not stop.is_set():
        family = [server.process, *server.process.children(recursive=True)]
        server.peak_rss_bytes = max(server.peak_rss_bytes, sum(_rss(process) for process in family))
        stop.wait(SAMPLE_EVERY_S)


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _sign_in(url: str, password: str, started: "subprocess.Popen[bytes]", log: Path) -> Client:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        if started.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not start:\n{log.read_text()}")
        try:
            socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    with Client(url, project="bench") as visitor:
        visitor.sign_in("admin", password)
        visitor.projects.create("bench")
        token = visitor.tokens.create("bench")
    return Client(url, token=token.token, project="bench")


def _free_ports() -> int:
    """A port that is free together with the next one, which is the apps origin's."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
        if port < 65000:
            return port
