"""A plain client: one connection, no more work than there must be, so that the server is what is measured."""

import http.client
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

_JSON = "application/json"


class Calls:
    """One caller's connection to one version of the benchmark's dataset."""

    def __init__(self, url: str, token: str, project: str, dataset: str) -> None:
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=600)
        self._headers = {"Authorization": f"Bearer {token}"}
        self.project = f"/api/v1/projects/{project}"
        self.dataset = f"{self.project}/datasets/{dataset}"

    def __call__(
        self, method: str, path: str, body: Any = None, *, raw: bool = False, kind: str = _JSON, **query: Any
    ) -> Any:
        status, content = self._send(method, f"{path}?{urlencode(query)}" if query else path, body, kind)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {content[:500]!r}")
        return content if raw else orjson.loads(content) if content else None

    def try_call(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Status and answer, whatever they are."""
        status, content = self._send(method, path, body, _JSON)
        return status, orjson.loads(content)

    def _send(self, method: str, address: str, body: Any, kind: str) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) else None if body is None else orjson.dumps(body)
        headers = {**self._headers, "Content-Type": kind}
        try:
            self._connection.request(method, address, data, headers)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # The server ends connections that rest for long; a new one is as good.
            self._connection.close()
            self._connection.request(method, address, data, headers)
            answer = self._connection.getresponse()
        return answer.status, answer.read()

    def version(self, number: int, path: str = "") -> str:
        return f"{self.dataset}/versions/{number}{path}"

    def finish(self, job: dict[str, Any]) -> float:
        """Waits for background work; how long it ran, in seconds."""
        began = time.monotonic()
        while True:
            found = self("GET", f"/api/v1/me/jobs/{job['id']}")
            if found["state"] == "completed":
                return time.monotonic() - began
            if found["state"] in ("failed", "cancelled"):
                raise RuntimeError(f"{found}")
            time.sleep(0.05)
