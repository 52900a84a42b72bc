"""A model behind an address: the Open Inference Protocol over HTTP, with the standard library alone.

`POST /v2/models/<name>/infer` takes the items' bytes as one tensor `content` of BYTES (texts as they are, or everything
in base64 with the parameter `"binary": "base64"`) and answers with `annotations` (for each item a JSON list; labels by
name) and `uncertainty`.
"""

import base64
import binascii
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tidemill.runtime.model import Model

BODY_MAX_BYTES = 256 << 20


class Refusal(ValueError):
    """A request that is not as it should be; says what is wrong."""


def serve(model: Model, name: str, host: str, port: int) -> ThreadingHTTPServer:
    """A server that has the port and answers from `serve_forever` on."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            places: dict[str, dict[str, Any]] = {
                "/v2": {"name": "tidemill", "extensions": []},
                "/v2/health/live": {"live": True},
                "/v2/health/ready": {"ready": True},
                f"/v2/models/{name}": describe(model, name),
                f"/v2/models/{name}/ready": {"ready": True},
            }
            found = places.get(self.path.rstrip("/"))
            self._answer(404 if found is None else 200, found or {"error": f"{self.path} is not here"})

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            if self.path != f"/v2/models/{name}/infer":
                self.close_connection = True
                self._answer(404, {"error": f"{self.path} is not here"})
            elif not 0 < size <= BODY_MAX_BYTES:
                self.close_connection = True
                self._answer(413, {"error": f"a body of 1 to {BODY_MAX_BYTES} bytes is needed, with its length"})
            else:
                self._infer(self.rfile.read(size))

        def _infer(self, body: bytes) -> None:
            try:
                with lock:
                    self._answer(200, infer(model, name, body))
            except Refusal as error:
                self._answer(400, {"error": str(error)})

        def _answer(self, status: int, content: Mapping[str, Any]) -> None:
            data = json.dumps(content, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: one line a request would be most of what a service writes."""

    return ThreadingHTTPServer((host, port), Handler)


def infer(model: Model, name: str, body: bytes) -> dict[str, Any]:
    """The answer to a request. Raises `Refusal`."""
    contents, threshold = _read(body)
    found = model.predict_each(contents, threshold=threshold)
    said = [json.dumps(one.annotations, ensure_ascii=False) for one in found]
    outputs = [
        _tensor("annotations", "BYTES", said),
        _tensor("uncertainty", "FP32", [one.uncertainty for one in found]),
    ]
    if any(one.value is not None for one in found):
        outputs.append(_tensor("value", "FP64", [one.value for one in found]))
    if any(one.error for one in found):
        outputs.append(_tensor("error", "BYTES", [one.error or "" for one in found]))
    return {"model_name": name, "outputs": outputs}


def describe(model: Model, name: str) -> dict[str, Any]:
    """What the model takes and gives."""
    return {
        "name": name,
        "platform": "tidemill",
        "inputs": [{"name": "content", "datatype": "BYTES", "shape": [-1]}],
        "outputs": [
            {"name": "annotations", "datatype": "BYTES", "shape": [-1]},
            {"name": "uncertainty", "datatype": "FP32", "shape": [-1]},
        ],
        "parameters": {"task": model.task, "labels": model.labels},
    }


def _read(body: bytes) -> tuple[list[bytes], float | None]:
    try:
        asked = json.loads(body)
        told = asked.get("parameters") or {}
        tensor = next(one for one in asked["inputs"] if one["name"] == "content")
        is_binary = told.get("binary") == "base64"
        given = [base64.b64decode(one, validate=True) if is_binary else str(one).encode() for one in tensor["data"]]
        threshold = told.get("threshold")
        return given, None if threshold is None else float(threshold)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, binascii.Error) as error:
        raise Refusal(f"inputs must have one tensor `content` of BYTES: {type(error).__name__} {error}") from error


def _tensor(name: str, kind: str, data: list[Any]) -> dict[str, Any]:
    return {"name": name, "datatype": kind, "shape": [len(data)], "data": data}
