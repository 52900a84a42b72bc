"""Asking replicas over HTTP whether they are well."""

import http.client
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tidemill.engines.base import Engine, EngineError

TIMEOUT_S = 3.0
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Question:
    """A replica to be asked. Without a host its node is asked where it listens, first."""

    replica_id: str
    launch_id: str
    port: int
    grpc_port: int | None
    path: str
    is_inference: bool
    """Only 200 will do; of other applications anything below 500."""
    host: str | None = None
    reached_port: int | None = None
    reached_grpc_port: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How a replica is, and where it is reached."""

    is_well: bool
    host: str | None = None
    port: int | None = None
    grpc_port: int | None = None


class Prober:
    """Asks many at once; nobody waits longer than for the slowest."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="replica-health")

    def ask(self, engine: Engine, questions: Sequence[Question]) -> dict[str, Answer]:
        answers = self._pool.map(lambda question: _ask(engine, question), questions)
        return {question.replica_id: answer for question, answer in zip(questions, answers, strict=True)}

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _ask(engine: Engine, question: Question) -> Answer:
    host, port, grpc_port = question.host, question.reached_port, question.reached_grpc_port
    try:
        if host is None or port is None:
            host, port = engine.address(question.launch_id, 0, question.port)
            if question.grpc_port is not None:
                _, grpc_port = engine.address(question.launch_id, 0, question.grpc_port)
    except EngineError:
        return Answer(False)
    status = _status(host, port, question.path)
    is_well = status is not None and (status == 200 if question.is_inference else status < 500)
    return Answer(is_well, host, port, grpc_port)


def _status(host: str, port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
