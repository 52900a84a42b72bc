"""The program's side of a work: calls to the server, repeated until it answers.

The server may be killed and come back at any moment: a call waits for it. What was acknowledged is kept there, and
everything that is sent may be sent again.
"""

import hashlib
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import httpx2
import orjson

from tidemill.datasets.notes import Note

PATIENCE_S = 600.0
SMALL_BYTES = 8 << 20
"""Larger contents are sent by themselves, in chunks."""
BATCH_FILES, BATCH_BYTES = 1000, 32 << 20
PROGRESS_EVERY_S = 1.0
UNASKED = 9
_AWAY = frozenset({502, 503, 504})
_BLOCK_BYTES = 1 << 20


class Refusal(Exception):
    """The server said no."""

    def __init__(self, status: int, code: str, message: str, details: Any = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message, self.details = status, code, message, details


class Office:
    """The server as a work's program sees it; several threads may call."""

    def __init__(self, http: httpx2.Client, work: str, place: str = "dataset-works") -> None:
        """`http` speaks to the project: its base is `…/api/v1/projects/{project}`; `place` is where works report."""
        self._http = http
        self._work = f"/{place}/{work}"
        self._told_s = 0.0
        self._unasked = 0

    @classmethod
    def from_environment(cls) -> "Office":
        """The one this process was started for."""
        values = os.environ
        http = httpx2.Client(
            base_url=f"{values['TIDEMILL_URL'].rstrip('/')}/api/v1/projects/{quote(values['TIDEMILL_PROJECT'])}",
            headers={"Authorization": f"Bearer {values['TIDEMILL_TOKEN']}", "X-Tidemill": "1"},
            timeout=httpx2.Timeout(120.0, connect=10.0),
            trust_env=False,
        )
        return cls(http, values["TIDEMILL_WORK"], values.get("TIDEMILL_WORK_PLACE", "dataset-works"))

    def begin(self) -> dict[str, Any]:
        """What is to be done."""
        found: dict[str, Any] = self._call("POST", f"{self._work}/begin")
        return found

    def step(self, body: Mapping[str, Any], *, language: str = "en") -> int:
        """Has a step kept; how far the work is. The language is that of a refusal."""
        path = f"{self._work}/step"
        return int(self._call("POST", path, content=orjson.dumps(body), language=language)["done"])

    def post(self, what: str, body: Mapping[str, Any]) -> Any:
        """Something that only some works report."""
        return self._call("POST", f"{self._work}/{what}", content=orjson.dumps(body))

    def findings(self, body: Mapping[str, Any]) -> int:
        return int(self._call("POST", f"{self._work}/findings", content=orjson.dumps(body))["done"])

    def labels(self, labels: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """These labels, found or made."""
        body = orjson.dumps({"labels": list(labels)})
        found: list[dict[str, Any]] = self._call("POST", f"{self._work}/labels", content=body)["items"]
        return found

    def progress(self, stage: str, *, now: bool = True, **fields: Any) -> None:
        """Says what the work is at; with `now` False only when nothing was said for a while."""
        if not now and time.monotonic() - self._told_s < PROGRESS_EVERY_S:
            return
        self._told_s = time.monotonic()
        self._call("POST", f"{self._work}/progress", content=orjson.dumps({"stage": stage, **fields}))

    def finish(self, **fields: Any) -> None:
        self._call("POST", f"{self._work}/finish", content=orjson.dumps(fields))

    def fail(self, note: Note) -> None:
        self._call("POST", f"{self._work}/fail", content=orjson.dumps(plain(note)))

    def items(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """All items of the version that is read after one; goes on after the last one where the stream breaks."""
        waits = _waits()
        while True:
            try:
                with self._stream(f"{self._work}/items", {"after": after}) as response:
                    for line in _lines(response):
                        item = orjson.loads(line)
                        yield item
                        after, waits = item["seq"], _waits()
                return
            except httpx2.TransportError:
                _wait(waits)

    def server_files(self) -> Iterator[dict[str, Any]]:
        with self._stream(f"{self._work}/server-files") as response:
            for line in _lines(response):
                yield orjson.loads(line)

    def read_server_file(self, path: str) -> bytes:
        return self._bytes(f"{self._work}/server-file", {"path": path})

    def fetch_server_file(self, path: str, target: Path) -> None:
        """A file of the server's folder, whole, into a file of ours."""
        waits = _waits()
        while True:
            try:
                with self._stream(f"{self._work}/server-file", {"path": path}) as response, target.open("wb") as out:
                    for block in response.iter_raw():
                        out.write(block)
                return
            except httpx2.TransportError:
                _wait(waits)

    def fetch_input(self, index: int, target: Path, size_bytes: int) -> None:
        """A file that was sent for the work; goes on where an earlier attempt stopped."""
        part = target.with_name(f"{target.name}.part")
        waits = _waits()
        while not target.exists():
            have = part.stat().st_size if part.exists() else 0
            try:
                if have < size_bytes:
                    self._fetch_rest(index, part, have)
                if part.exists() and part.stat().st_size != size_bytes:
                    part.unlink()
                    _wait(waits)
                    continue
                part.touch()
                part.rename(target)
            except httpx2.TransportError:
                _wait(waits)

    def send(self, contents: Mapping[str, bytes]) -> None:
        """Small contents by digest; those the project has are not sent."""
        if not contents:
            return
        missing = self._unsent(contents)
        batch: list[bytes] = []
        size = count = 0
        for digest in missing:
            data = contents[digest]
            if batch and (count >= BATCH_FILES or size + len(data) > BATCH_BYTES):
                self._send_batch(batch)
                batch, size, count = [], 0, 0
            batch += (f"{digest} {len(data)}\n".encode(), data)
            size, count = size + len(data), count + 1
        if batch:
            self._send_batch(batch)

    def _unsent(self, contents: Mapping[str, bytes]) -> Sequence[str]:
        """What to send. After a batch of which nothing was there the next ones are not asked about: most likely all
        is new, and what is there is recognised when it comes."""
        if self._unasked > 0:
            self._unasked -= 1
            return list(contents)
        missing = self.missing({digest: len(data) for digest, data in contents.items()})
        if len(missing) == len(contents):
            self._unasked = UNASKED
        return missing

    def missing(self, sizes: Mapping[str, int]) -> list[str]:
        """Which of these contents must be sent."""
        blobs = [{"sha256": digest, "size_bytes": size} for digest, size in sizes.items()]
        found: list[str] = self._call("POST", "/blobs/missing", content=orjson.dumps({"blobs": blobs}))["missing"]
        return found

    def send_file(self, file: Path, digest: str) -> None:
        """A large content, in chunks, from wherever the server says it is."""
        size = file.stat().st_size
        body = {"sha256": digest, "size_bytes": size, "name": file.name[:200]}
        upload = self._call("POST", "/uploads", content=orjson.dumps(body))
        with file.open("rb") as stream:
            while upload["state"] != "complete":
                upload = self._send_chunk(upload, stream)

    def close(self) -> None:
        self._http.close()

    def _send_chunk(self, upload: dict[str, Any], stream: BinaryIO) -> dict[str, Any]:
        address = f"/uploads/{upload['id']}"
        stream.seek(upload["offset"])
        data = stream.read(upload["chunk_bytes"])
        try:
            answer: dict[str, Any] = self._call(
                "PUT",
                f"{address}/chunk",
                content=data,
                params={"offset": upload["offset"]},
                media="application/octet-stream",
            )
        except Refusal as refusal:
            if refusal.code not in {"wrong_offset", "upload_busy"}:
                raise
            time.sleep(0.1)
            answer = self._call("GET", address)
        return answer

    def _send_batch(self, parts: Sequence[bytes]) -> None:
        self._call("POST", "/blobs/batch", content=b"".join(parts), media="application/x-tidemill-batch")

    def _fetch_rest(self, index: int, part: Path, have: int) -> None:
        headers = {"Range": f"bytes={have}-"} if have else {}
        with self._stream(f"{self._work}/inputs/{index}", headers=headers) as response:
            _write(response, part, is_rest=have > 0 and response.status_code == 206)

    def _bytes(self, path: str, params: Mapping[str, Any]) -> bytes:
        waits = _waits()
        while True:
            try:
                with self._stream(path, params) as response:
                    return b"".join(response.iter_raw())
            except httpx2.TransportError:
                _wait(waits)

    def _call(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        media: str = "application/json",
        language: str = "en",
    ) -> Any:
        waits, headers = _waits(), {"Content-Type": media, "Accept-Language": language}
        while True:
            try:
                response = self._http.request(method, path, content=content, params=dict(params or {}), headers=headers)
            except httpx2.TransportError:
                _wait(waits)
                continue
            if response.status_code in _AWAY:
                _wait(waits)
                continue
            if response.is_error:
                raise _refusal(response)
            return orjson.loads(response.content) if response.content else None

    @contextmanager
    def _stream(
        self, path: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator[httpx2.Response]:
        asked = {"Accept-Encoding": "identity", **(headers or {})}
        with self._http.stream("GET", path, params=dict(params or {}), headers=asked) as response:
            if response.status_code in _AWAY:
                raise httpx2.ReadError("the server is not there")
            if response.is_error:
                response.read()
                raise _refusal(response)
            yield response


def plain(note: Note) -> dict[str, Any]:
    """A note as it is sent."""
    return {
        "code": note.code,
        "path": note.path[:4096],
        "line": note.line,
        "level": note.level,
        "params": {name: _short(value) for name, value in note.params.items()},
    }


def digest_file(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(response: httpx2.Response, file: Path, *, is_rest: bool) -> None:
    with file.open("ab" if is_rest else "wb") as out:
        for block in response.iter_raw():
            out.write(block)


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _short(inner) for name, inner in value.items()}
    return value if isinstance(value, int | float | bool | None) else str(value)[:1000]


def _lines(response: httpx2.Response) -> Iterator[bytes]:
    rest = b""
    for block in response.iter_raw(_BLOCK_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    if rest:
        raise httpx2.ReadError("the answer was cut")


def _refusal(response: httpx2.Response) -> Refusal:
    try:
        error = orjson.loads(response.content)["error"]
        return Refusal(response.status_code, error["code"], error["message"], error.get("details"))
    except (ValueError, KeyError, TypeError):
        return Refusal(response.status_code, "unknown", response.text[:200])


def _waits() -> Iterator[float]:
    spent, wait = 0.0, 0.1
    while spent < PATIENCE_S:
        # A little chance keeps many from coming back in the same instant.
        this = wait * random.uniform(0.8, 1.0)  # noqa: S311
        yield this
        spent += this
        wait = min(wait * 2, 3.0)


def _wait(waits: Iterator[float]) -> None:
    wait = next(waits, None)
    if wait is None:
        raise TimeoutError("the server did not come back")
    time.sleep(wait)
