"""The server's addresses: a plain ASGI application."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import orjson

from tidemill import __version__
from tidemill.runtime.server import metrics, plain, protocol
from tidemill.runtime.server.errors import Failed, Malformed, NotReady, Refusal, Unknown
from tidemill.runtime.server.http import BINARY, CLOSE, JSON, Gone, Receive, Scope, Send, answer, read_body, refuse
from tidemill.runtime.server.repository import Entry, Repository

log = logging.getLogger("tidemill.serve")

NAME = "tidemill"
EXTENSIONS = ("binary_tensor_data", "model_repository(index)", "parameters")
LARGE_BYTES = 128 << 10
"""Bodies and answers of more than this are read and written in a thread, so that others need not wait."""

Headers = list[tuple[bytes, bytes]]
Answer = tuple[bytes, Headers]


class App:
    """Answers over HTTP from the models of a repository."""

    def __init__(self, repository: Repository) -> None:
        self._models = repository
        self._limit = repository.options.max_body_bytes
        self._infer_paths: dict[str, Entry] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        entry = self._infer_paths.get(scope["path"])
        if entry is not None and scope["method"] == "POST":
            await self._ask(entry, "http", self._infer, scope, receive, send)
            return
        try:
            await self._route(scope, receive, send)
        except Refusal as error:
            await refuse(send, error, close=self._models.is_draining or scope["method"] == "POST")

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, parts = scope["method"], [part for part in scope["path"].split("/") if part]
        if method == "POST":
            await self._post(parts, scope, receive, send)
        elif method in ("GET", "HEAD"):
            status, body, headers = self._get(parts)
            await answer(send, status, b"" if method == "HEAD" else body, headers, close=self._models.is_draining)
        else:
            raise Unknown(f"{method} {scope['path']} is not here")

    async def _post(self, parts: list[str], scope: Scope, receive: Receive, send: Send) -> None:
        match parts:
            case ["v2", "models", name, "infer"]:
                entry = self._models.get(name)
            case ["v2", "models", name, "versions", version, "infer"]:
                entry = self._models.get(name, version)
            case ["predict"]:
                await self._ask(self._models.only(), "predict", self._predict, scope, receive, send)
                return
            case ["predict", name]:
                await self._ask(self._models.get(name), "predict", self._predict, scope, receive, send)
                return
            case ["v2", "repository", "index"]:
                await read_body(scope, receive, self._limit)
                await answer(send, 200, orjson.dumps(self._index()))
                return
            case _:
                raise Unknown(f"POST {scope['path']} is not here")
        if scope["path"] == f"/{'/'.join(parts)}":  # of many ways to write it, only this one is kept
            self._infer_paths[scope["path"]] = entry
        await self._ask(entry, "http", self._infer, scope, receive, send)

    def _get(self, parts: list[str]) -> tuple[int, bytes, Headers | None]:
        match parts:
            case ["v2"]:
                return 200, orjson.dumps({"name": NAME, "version": __version__, "extensions": EXTENSIONS}), None
            case ["v2", "health", "live"]:
                return 200, b'{"live":true}', None
            case ["v2", "health", "ready"] | ["health"]:
                return (200, b'{"ready":true}', None) if self._models.is_ready else (503, b'{"ready":false}', None)
            case ["v2", "models", name] | ["v2", "models", name, "versions", _]:
                entry = self._models.get(name, parts[4] if len(parts) == 5 else None)
                return 200, orjson.dumps(entry.view()), None
            case ["v2", "models", name, "ready"] | ["v2", "models", name, "versions", _, "ready"]:
                self._models.get(name, parts[4] if len(parts) == 6 else None)
                if not self._models.is_ready:
                    return 503, b'{"ready":false}', None
                return 200, orjson.dumps({"name": name, "ready": True}), None
            case ["metrics"]:
                known = {name: entry.metrics for name, entry in self._models.entries.items()}
                text = metrics.text(known, is_ready=self._models.is_ready)
                return 200, text.encode(), [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
            case []:
                models = list(self._models.options.models)
                return 200, orjson.dumps({"name": NAME, "version": __version__, "models": models}), None
        raise Unknown(f"GET /{'/'.join(parts)} is not here")

    def _index(self) -> list[dict[str, Any]]:
        state = "READY" if self._models.is_ready else "UNAVAILABLE"
        return [
            {"name": entry.name, "version": entry.version, "state": state, "reason": ""}
            for entry in self._models.entries.values()
        ]

    async def _ask(
        self,
        entry: Entry,
        protocol: str,
        work: Callable[[Entry, Scope, Receive], Awaitable[Answer]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Counts and answers a request to a model, whatever comes of it."""
        started = perf_counter()
        counted = entry.metrics
        counted.in_flight += 1
        refusal: Refusal | None = None
        body = b""
        headers: Headers = []
        try:
            if not self._models.is_loaded:
                raise NotReady("models are being loaded")
            body, headers = await work(entry, scope, receive)
        except Refusal as error:
            refusal = error
        except Gone:
            counted.in_flight -= 1
            return
        except Exception:
            log.exception("a request to model %s failed", entry.name)
            refusal = Failed("the server failed; its log says more")
        counted.in_flight -= 1
        counted.request(protocol, 200 if refusal is None else refusal.status, perf_counter() - started)
        if refusal is not None:
            await refuse(send, refusal, close=self._models.is_draining)
            return
        if self._models.is_draining:
            headers.append(CLOSE)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _infer(self, entry: Entry, scope: Scope, receive: Receive) -> Answer:
        body = await read_body(scope, receive, self._limit)
        length = _header_length(scope)
        served = entry.served
        if len(body) < LARGE_BYTES:
            asked = protocol.read(served, body, length)
        else:
            asked = await asyncio.to_thread(protocol.read, served, body, length)
        found = served.give(await entry.batcher.submit(asked.work))
        size = sum([array.nbytes for array in found.values()])
        if size < LARGE_BYTES:
            made, head = protocol.write(entry.name, entry.version, asked, found)
        else:
            made, head = await asyncio.to_thread(protocol.write, entry.name, entry.version, asked, found)
        headers = [JSON if head is None else BINARY, (b"content-length", b"%d" % len(made))]
        if head is not None:
            headers.append((b"inference-header-content-length", b"%d" % head))
        return made, headers

    async def _predict(self, entry: Entry, scope: Scope, receive: Receive) -> Answer:
        started = perf_counter()
        body = await read_body(scope, receive, self._limit)
        kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"").decode("latin-1")
        wishes = plain.Wishes.read(dict(parse_qsl(scope["query_string"].decode("latin-1"))))
        found = await plain.predict(entry, body, kind, wishes)
        found["latency_ms"] = round((perf_counter() - started) * 1000, 3)
        try:
            made = orjson.dumps(found, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS, default=_plain)
        except TypeError as error:
            raise Failed(f"the model's answer is no JSON: {error}") from error
        return made, [JSON, (b"content-length", b"%d" % len(made))]


def _header_length(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"inference-header-content-length":
            try:
                return int(value)
            except ValueError as error:
                raise Malformed("Inference-Header-Content-Length must be a whole number") from error
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(type(value).__name__)
