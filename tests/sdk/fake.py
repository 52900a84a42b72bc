"""A server that says whatever the test wants: honest or not, present or not."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2

from tidemill.sdk import Client, Patience

Answer = httpx2.Response | Exception


class Recorder:
    """Answers calls from a list, the last one for ever; remembers what was asked."""

    def __init__(self, *answers: Answer | Callable[[httpx2.Request], Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.slept: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer: Any = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, httpx2.Response | Exception):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options: Any) -> Client:
        options = {"patience": Patience(total_s=5), **options}
        return Client(
            "http://fake.test",
            "tm_token",
            "tides",
            backend=httpx2.MockTransport(self),
            sleep=self.slept.append,
            **options,
        )


def ok(document: Any, status: int = 200) -> httpx2.Response:
    return httpx2.Response(status, json=document)


def refusal(status: int, code: str, **more: Any) -> httpx2.Response:
    headers = more.pop("headers", {})
    error = {"code": code, "message": f"said {code}", "request_id": "req-1", **more}
    return httpx2.Response(status, json={"error": error}, headers=headers)


class Whole(httpx2.SyncByteStream):
    """A body that is read as it comes, as from a socket."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self.data


class FakeVersion:
    """One version of the model `thing`, whose manifest and bytes the test sets as it likes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.manifest = [
            {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
            for path, data in files.items()
        ]
        self.fetched: list[tuple[str, str | None]] = []
        self.change: Callable[[httpx2.Request], Answer | None] = lambda _: None

    def recorder(self) -> Recorder:
        return Recorder(self._answer)

    def _answer(self, request: httpx2.Request) -> Answer:
        changed = self.change(request)
        if changed is not None:
            return changed
        base = "/api/v1/projects/tides/models/thing/versions"
        path = request.url.path
        if path in {f"{base}/3", base}:
            version = {"id": "ver_3", "name": "thing@3", "number": 3, "state": "committed", "files": len(self.manifest)}
            return ok(version if path != base else {"items": [version], "next": None, "total": 1})
        if path == f"{base}/3/manifest":
            return httpx2.Response(200, text="".join(json.dumps(line) + "\n" for line in self.manifest))
        if path.startswith(f"{base}/3/files/"):
            return self._file(request, path.removeprefix(f"{base}/3/files/"))
        return refusal(404, "not_found")

    def _file(self, request: httpx2.Request, path: str) -> httpx2.Response:
        wanted = request.headers.get("Range")
        self.fetched.append((path, wanted))
        data = self.files[path]
        if wanted is None:
            return httpx2.Response(200, stream=Whole(data))
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        headers = {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"}
        return httpx2.Response(206, stream=Whole(data[start:]), headers=headers)
