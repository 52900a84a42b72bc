"""A whole Tidemill with an environment running in it, and a client for each who calls."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.live import ADMIN_PASSWORD, LiveServer, live_server

PROJECT = "tides"
USER_PASSWORD = "stapled-to-the-wall"
OVER = ("stopped", "completed", "failed")


class House:
    """The server as its users see it."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.admin = self.sign_in("admin", ADMIN_PASSWORD)
        self.ok("post", "/projects", json={"name": PROJECT})

    def sign_in(self, user: str, password: str) -> httpx2.Client:
        client = httpx2.Client(
            base_url=f"{self.server.url}/api/v1", headers={"X-Tidemill": "1"}, timeout=60, trust_env=False
        )
        answer = client.post("/session", json={"user": user, "password": password})
        assert answer.status_code == 200, answer.text
        return client

    def user(self, name: str, *, project: str = PROJECT, role: str = "member") -> httpx2.Client:
        body = {"name": name, "password": USER_PASSWORD, "must_change_password": False}
        self.ok("post", "/users", json=body)
        self.ok("post", f"/projects/{project}/members", json={"user": name, "role": role})
        return self.sign_in(name, USER_PASSWORD)

    def ok(self, verb: str, path: str, *, client: httpx2.Client | None = None, **options: Any) -> Any:
        answer = getattr(client or self.admin, verb)(path, **options)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def environments(self, rest: str = "") -> str:
        return f"/projects/{PROJECT}/environments{rest}"

    def started(self, name: str, **fields: Any) -> dict[str, Any]:
        """A new environment that runs."""
        body = {"name": name, "image": "tidemill/python", "start": True, **fields}
        made: dict[str, Any] = self.ok("post", self.environments(), json=body)
        self.wait_for(name, "running")
        return made

    def wait_for(self, name: str, *states: str, within_s: float = 60) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            seen: dict[str, Any] = self.ok("get", self.environments(f"/{name}"))
            assert seen["state"] in states or seen["state"] not in {"failed", "completed"}, seen["workload"]
            return seen if seen["state"] in states else None

        return until(look, within_s)

    def stop(self, name: str) -> None:
        self.ok("post", self.environments(f"/{name}/stop"))
        self.wait_for(name, *OVER)

    def stop_all(self) -> None:
        everything = self.environments("?limit=200")
        for seen in self.ok("get", everything)["items"]:
            if seen["state"] not in OVER:
                self.ok("post", self.environments(f"/{seen['id']}/stop"))
        until(lambda: all(seen["state"] in OVER for seen in self.ok("get", everything)["items"]))


def until(look: Callable[[], Any], within_s: float = 30) -> Any:
    """What the look finds, as soon as it finds something."""
    deadline = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return found


@contextmanager
def open_house(folder: Path, **environment: str) -> Iterator[House]:
    # Room for many at once: this is not about who waits for whom.
    room = {"TIDEMILL_ENGINE_CPUS": "32", "TIDEMILL_ENGINE_MEMORY_BYTES": str(64 * 2**30)}
    with live_server(folder / "home", **room, **environment) as server:
        house = House(server)
        try:
            yield house
        finally:
            house.stop_all()
            house.admin.close()


def run(*argv: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(argv, capture_output=True, timeout=60, check=False, **options)
