"""A model server as a process of its own, on free loopback ports."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Running:
    process: subprocess.Popen[str]
    port: int
    grpc_port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def triton(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def grpc(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    def ask(
        self, path: str, body: Any = None, headers: Mapping[str, str] | None = None, timeout: float = 20
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, JSON (or text) and headers. Without a body it is a GET."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        shown = {"Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(f"{self.url}{path}", data, shown)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, _content(answer.read()), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _content(error.read()), error.headers

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels."""
        lines = str(self.ask("/metrics")[1]).splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((f"{name}{{", f"{name} ")))

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def serving(*arguments: object, wait: bool = True) -> Iterator[Running]:
    """Runs `serve` with the arguments until the end of the block; ready from the beginning on, unless told."""
    command = [sys.executable, "-m", "tidemill.runtime", "serve", "--port", "0", "--grpc-port", "0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMILL_")}
    process = subprocess.Popen(
        [*command, "--linger-s", "0.05", *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    try:
        where = json.loads(process.stdout.readline())
        assert "port" in where, where
        if wait:
            told = json.loads(process.stdout.readline())
            assert told.get("ready"), told
        yield Running(process, where["port"], where["grpc_port"])
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        process.stdout.close()


def _content(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")
