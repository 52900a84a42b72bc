"""A server that does nothing: it answers MLflow's client with prepared words, so that what is measured is the client.

`python -m bench.tracking.nothing PORT` serves until it is ended.
"""

import asyncio
import json
import random
import sys

import uvloop

RUNS_A_PAGE = 100
METRICS = 20
HISTORY = 10_000


def main() -> None:
    uvloop.run(serve(int(sys.argv[1])))


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", port)
    await server.serve_forever()


def run(number: int) -> dict[str, object]:
    info = {
        "run_id": f"{number:032x}", "run_uuid": f"{number:032x}", "experiment_id": "1", "status": "FINISHED",
        "start_time": 1, "artifact_uri": "mlflow-artifacts:/1/2/artifacts", "lifecycle_stage": "active",
        "run_name": "r", "user_id": "somebody",
    }  # fmt: skip
    metrics = [{"key": f"m{k}", "value": random.random(), "timestamp": 1, "step": 0} for k in range(METRICS)]
    words = [{"key": "lr", "value": "0.1"}, {"key": "depth", "value": "1"}]
    data = {"metrics": metrics, "params": words, "tags": [{"key": "mlflow.runName", "value": "r"}]}
    return {"info": info, "data": data}


def _prepared() -> dict[str, bytes]:
    points = [{"key": "curve", "value": random.random(), "timestamp": 1, "step": n} for n in range(HISTORY)]
    bare = {**run(1), "data": {"metrics": [], "params": [], "tags": [{"key": "mlflow.runName", "value": "r"}]}}
    answers = {
        "experiments/create": {"experiment_id": "1"},
        "runs/create": {"run": bare},
        "runs/update": {"run_info": run(1)["info"]},
        "runs/get": {"run": bare},
        "runs/search": {"runs": [run(n) for n in range(RUNS_A_PAGE)], "next_page_token": "x"},
        "metrics/get-history": {"metrics": points},
    }
    return {path: json.dumps(answer).encode() for path, answer in answers.items()}


ANSWERS = _prepared()


class Answering(asyncio.Protocol):
    """One connection, kept open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._given = b""

    def data_received(self, data: bytes) -> None:
        self._given += data
        head, found, rest = self._given.partition(b"\r\n\r\n")
        if not found:
            return
        if len(rest) < _length(head):
            return
        self._given = rest[_length(head) :]
        path = head.split(b" ", 2)[1].decode().partition("?")[0].rpartition("/mlflow/")[2]
        body = ANSWERS.get(path, b"{}")
        start = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(start.encode() + body)  # type: ignore[attr-defined]


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


if __name__ == "__main__":
    main()
