"""What only a real connection shows: broken off, refused in the middle, two at once."""

import hashlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn

from tests.conftest import Api
from tidemill.store.batches import MEDIA_TYPE

PATIENCE_S = 30


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Wire:
    """A caller with a token, on a connection of their own for each call."""

    port: int
    token: str

    def call(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, f"/api/v1{path}", body, {**self._headers(), **headers})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    def json(self, method: str, path: str, **fields: Any) -> Any:
        body = json.dumps(fields).encode() if fields else None
        status, answer = self.call(method, path, body, **{"Content-Type": "application/json"})
        assert status < 300, answer
        return answer

    def half(self, method: str, path: str, body: bytes, announced: int, **headers: str) -> socket.socket:
        """Sends a request whose body is not all there, and leaves the connection open."""
        opened = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)
        lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: x", f"Content-Length: {announced}"]
        lines += [f"{name}: {value}" for name, value in {**self._headers(), **headers}.items()]
        opened.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return opened

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def wire(api: Api) -> Iterator[Wire]:
    api.project("tides")
    token = api.admin.ok("post", "/me/tokens", json={"name": "live"})["token"]
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(api.app, log_level="error", lifespan="off", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield Wire(listener.getsockname()[1], token)
    server.should_exit = True
    thread.join()
    listener.close()


def begin(wire: Wire, data: bytes) -> str:
    upload = wire.json("POST", "/projects/tides/uploads", sha256=sha(data), size_bytes=len(data))
    return f"/projects/tides/uploads/{upload['id']}"


def wait_for_offset(wire: Wire, path: str, offset: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while wire.json("GET", path)["offset"] != offset:
        assert time.monotonic() < deadline, "the bytes did not arrive"


def test_what_came_before_the_connection_broke_is_kept(wire: Wire) -> None:
    data = bytes(range(256)) * 10_000
    path = begin(wire, data)
    wire.half("PUT", f"{path}/chunk?offset=0", data[:1_500_000], len(data)).close()
    wait_for_offset(wire, path, 1_500_000)
    status, answer = wire.call("PUT", f"{path}/chunk?offset=1500000", data[1_500_000:])
    assert (status, answer["state"]) == (200, "complete")


def test_a_second_writer_is_told_to_wait(wire: Wire) -> None:
    data = b"x" * 3_000_000
    path = begin(wire, data)
    first = wire.half("PUT", f"{path}/chunk?offset=0", data[:2_000_000], len(data))
    deadline = time.monotonic() + PATIENCE_S
    while wire.json("GET", path)["offset"] == 0:
        assert time.monotonic() < deadline, "the first writer did not begin"
    status, answer = wire.call("PUT", f"{path}/chunk?offset=0", data[:10])
    assert (status, answer["error"]["code"]) == (409, "upload_busy")
    first.sendall(data[2_000_000:])
    assert first.recv(12) == b"HTTP/1.1 200"
    first.close()
    assert wire.json("GET", path)["state"] == "complete"


def test_a_batch_refused_in_the_middle_is_answered_all_the_same(api: Api, wire: Wire) -> None:
    api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 1_000_000})
    body = b"".join(f"{sha(d)} {len(d)}\n".encode() + d for d in (bytes([n]) * 400_000 for n in range(40)))
    for _ in range(3):
        status, answer = wire.call("POST", "/projects/tides/blobs/batch", body, **{"Content-Type": MEDIA_TYPE})
        assert (status, answer["error"]["code"]) == (413, "storage_limit")
    assert list(api.app.state.store.temporary.iterdir()) == []


def test_a_batch_broken_off_leaves_nothing(api: Api, wire: Wire) -> None:
    data = b"w" * 2_000_000  # more than a block, so that some of it is on the disk before all is there
    body = f"{sha(data)} {len(data)}\n".encode() + data
    opened = wire.half("POST", "/projects/tides/blobs/batch", body, len(body) + 100, **{"Content-Type": MEDIA_TYPE})
    deadline = time.monotonic() + PATIENCE_S
    while not list(api.app.state.store.temporary.iterdir()):
        assert time.monotonic() < deadline, "the batch did not begin"
    opened.close()
    while list(api.app.state.store.temporary.iterdir()):
        assert time.monotonic() < deadline, "the batch was not cleared away"
    asked = {"blobs": [{"sha256": sha(data), "size_bytes": len(data)}]}
    assert wire.json("POST", "/projects/tides/blobs/missing", **asked) == {"missing": [sha(data)]}
