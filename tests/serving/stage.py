"""A whole Tidemill with its gateway, a small application as a package, and load upon it."""

import http.client
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.gateway.control import Control
from tidemill.sdk import Client

PROJECT = "tides"
APP = Path(__file__).with_name("tiny_app.py")
ENVIRONMENT = {
    "TIDEMILL_ENGINE_RUNTIME": "process",
    "TIDEMILL_ENGINE_CPUS": "64",
    "TIDEMILL_ENGINE_MEMORY_BYTES": str(64 * 2**30),
    "TIDEMILL_STORE_FSYNC": "false",
    "TIDEMILL_CONTAINER_SOCKET": "",
    "TIDEMILL_ENGINE_GRACE_S": "3",
}


class Stage:
    """The server as its administrator sees it."""

    def __init__(self, server: LiveServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.http = self._sign_in()
        self.ok("post", "/projects", json={"name": PROJECT})
        self.control = Control(server.home / "gateway")

    @property
    def gateway(self) -> str:
        return f"http://127.0.0.1:{self.server.port + 80}"

    def client(self) -> Client:
        client = Client(self.server.url, project=PROJECT)
        client.sign_in("admin", ADMIN_PASSWORD)
        return client

    def restart(self) -> None:
        self.http.close()
        self.server.start()
        self.http = self._sign_in()

    def ok(self, verb: str, path: str, **options: Any) -> Any:
        answer = getattr(self.http, verb)(path, **options)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def at(self, rest: str = "") -> str:
        return f"/projects/{PROJECT}/services{rest}"

    def make_app(self, name: str = "app", **recipe: Any) -> str:
        """A package of the small application, built."""
        with self.client() as client:
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            (folder / "app.py").write_bytes(APP.read_bytes())
            client.algorithms.push(folder, name, scene="other")
            client.packages.create(name, scene="other")
            version = client.packages.build(name, algorithm=name, command="python app.py", **recipe)
            client.packages.wait(version)
        return f"{name}@1"

    def deploy(self, name: str, **fields: Any) -> dict[str, Any]:
        body = {"name": name, "package": "app@1", "spec": self.spec(), **fields}
        made: dict[str, Any] = self.ok("post", self.at(), json=body)
        return made

    def spec(self) -> str:
        if "small" not in {one["name"] for one in self.ok("get", "/specs")["items"]}:
            self.ok("post", "/specs", json={"name": "small", "cpus": 0.25, "memory_bytes": 256 * 2**20})
        return "small"

    def show(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("get", self.at(f"/{name}"))
        return found

    def until(self, name: str, is_so: Callable[[dict[str, Any]], Any], within_s: float = 40) -> dict[str, Any]:
        """The service, as soon as it is so."""
        deadline = time.monotonic() + within_s
        while not is_so(seen := self.show(name)):
            assert time.monotonic() < deadline, (seen, self.server.log.read_text()[-3000:])
            time.sleep(0.05)
        return seen

    def until_serving(self, name: str) -> dict[str, Any]:
        return self.until(name, lambda seen: seen["state"] == "serving")

    def key(self, name: str, **fields: Any) -> str:
        body = {"name": f"key-{time.time_ns()}", **fields}
        made: str = self.ok("post", self.at(f"/{name}/keys"), json=body)["key"]
        return made

    def call(self, name: str, path: str = "", *, key: str | None = None, **options: Any) -> httpx2.Response:
        headers = {"X-API-Key": key} if key else {}
        url = f"{self.gateway}/{PROJECT}/{name}/{path}"
        return httpx2.request(
            options.pop("method", "GET"), url, headers=headers, timeout=30, trust_env=False, **options
        )

    def until_open(self, name: str, key: str) -> None:
        """Until the gateway knows the key."""
        deadline = time.monotonic() + 10
        while True:
            with suppress(httpx2.TransportError):
                if self.call(name, key=key).status_code < 400:
                    return
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def end(self) -> None:
        """Nothing goes on after the test: replicas are stopped, and the gateway with the last service."""
        if self.server.process is None or self.server.process.poll() is not None:
            self.restart()
        for one in self.ok("get", self.at("?limit=200"))["items"]:
            self.ok("delete", self.at(f"/{one['id']}"), params={"confirm": one["name"]})
        deadline = time.monotonic() + 40
        while self.control.state() is not None and time.monotonic() < deadline:
            time.sleep(0.05)
        state = self.control.state()
        if state is not None:
            os.kill(state.pid, signal.SIGKILL)
        self.http.close()

    def _sign_in(self) -> httpx2.Client:
        http = httpx2.Client(
            base_url=f"{self.server.url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30, trust_env=False
        )
        http.post("/session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
        return http


@contextmanager
def open_stage(folder: Path, **environment: str) -> Iterator[Stage]:
    with live_server(folder / "home", **(ENVIRONMENT | environment)) as server:
        stage = Stage(server, folder)
        try:
            yield stage
        finally:
            stage.end()


@dataclass
class Load:
    """Steady requests from several callers, each on connections of its own, until told to stop."""

    port: int
    path: str
    key: str
    callers: int = 5
    every_s: float = 0.1
    failures: list[str] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0

    def __enter__(self) -> "Load":
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._call, args=(number,)) for number in range(self.callers)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _call(self, number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        count = number
        next_s = time.monotonic()
        while not self._stop.is_set():
            count += 1
            method, body = ("GET", None) if count % 2 else ("POST", b"x" * 2000)
            if count % 50 == 0:
                connection.close()
            began_s = time.monotonic()
            try:
                connection.request(method, self.path, body=body, headers={"X-API-Key": self.key})
                answer = connection.getresponse()
                content = answer.read()
                if answer.status != 200:
                    self.failures.append(f"{method} {answer.status} {content[:300]!r}")
                else:
                    self.answered[f"{answer.getheader('X-Tidemill-Version')}"] += 1
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{method} {type(error).__name__}: {error}")
                connection.close()
            self.slowest_s = max(self.slowest_s, time.monotonic() - began_s)
            next_s += self.every_s
            self._stop.wait(max(0.0, next_s - time.monotonic()))
        connection.close()
