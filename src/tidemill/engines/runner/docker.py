"""As much of the Docker Engine API as a runner needs, over its unix socket."""

import http.client
import json
import socket
from urllib.parse import quote

VERSION = "/v1.40"


class ApiError(Exception):
    """The engine refused; the text is its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Docker:
    """A client; every call has its own connection."""

    def __init__(self, path: str, *, timeout_s: "float | None" = 60) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def get(self, path: str) -> bytes:
        """A resource, as bytes."""
        return self.call("GET", path).read()

    def json(self, method: str, path: str, body: object = None) -> "Any":
        """Calls, and reads the answer as JSON."""
        data = self.call(method, path, body).read()
        return json.loads(data) if data else None

    def call(self, method: str, path: str, body: object = None) -> http.client.HTTPResponse:
        """Calls; the answer is to be read by the caller. Raises ApiError unless it is good."""
        connection = _Connection(self._path, self._timeout_s)
        headers = {"Host": "docker", "Connection": "close"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection.request(method, VERSION + path, data, headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            raise ApiError(answer.status, _message(answer.read()))
        return answer

    def send(self, path: str, blocks: "Iterable[bytes]", size_bytes: int) -> bytes:
        """Posts a stream of known length, such as an image; the answer, as bytes."""
        return self.post(path, blocks, size_bytes).read()

    def post(self, path: str, blocks: "Iterable[bytes]", size_bytes: int) -> http.client.HTTPResponse:
        """`send` whose answer is to be read by the caller, as it comes."""
        connection = _Connection(self._path, self._timeout_s)
        headers = {"Host": "docker", "Connection": "close", "Content-Type": "application/x-tar"}
        headers["Content-Length"] = str(size_bytes)
        connection.request("POST", VERSION + path, blocks, headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            raise ApiError(answer.status, _message(answer.read()))
        return answer

    def is_podman(self) -> bool:
        """Whether it is Podman that answers as Docker would."""
        try:
            components = self.json("GET", "/version").get("Components") or []
        except (ApiError, OSError):
            return False
        return any("podman" in str(component.get("Name", "")).lower() for component in components)


def container_path(name: str, verb: str = "") -> str:
    """The address of a container."""
    return f"/containers/{quote(name, safe='')}{verb}"


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout_s: "float | None") -> None:
        super().__init__("docker")
        self._path = path
        self._timeout_s = timeout_s

    def connect(self) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(self._timeout_s)
        try:
            sock.connect(self._path)
        except OSError:
            sock.close()
            raise
        self.sock = sock


def _message(data: bytes) -> str:
    try:
        return str(json.loads(data)["message"])
    except (ValueError, KeyError, TypeError):
        return data.decode(errors="replace").strip()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any
