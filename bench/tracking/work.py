"""What is measured: one client call after another, several threads that fill, and reading what was filled."""

import os
import random
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")

import psutil
import requests
from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

PAGE = 100
METRICS = 20


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    singles: int
    batches: int
    batch: int
    runs: int
    history: int
    reads: int
    threads: int = 4


class Contestant:
    """A server, and a client that logs to it."""

    def __init__(self, name: str, url: str, process: psutil.Process, token: str | None = None) -> None:
        self.name = name
        self.url = url
        self.process = process
        self.token = token
        self.client = MlflowClient(tracking_uri=url)
        self.experiment = ""
        self.long_run = ""

    def use(self) -> None:
        """The client takes its token from here at every call."""
        if self.token is None:
            os.environ.pop("MLFLOW_TRACKING_TOKEN", None)
        else:
            os.environ["MLFLOW_TRACKING_TOKEN"] = self.token

    def processor_s(self) -> float:
        """What its processes have used of the processor so far."""
        family = [self.process, *self.process.children(recursive=True)]
        return sum(sum(process.cpu_times()[:2]) for process in family)


@dataclass(frozen=True)
class Took:
    """Seconds a call: on the clock, the median, and of the server's processor time, the mean."""

    clock_s: float
    processor_s: float


def fill(server: Contestant, sizes: Sizes) -> Took:
    """Runs with twenty metrics and two parameters each, from several threads, over bare REST; seconds a run."""
    server.use()
    server.experiment = server.client.create_experiment(f"fill-{uuid.uuid4().hex}")
    local = threading.local()

    def post(path: str, body: dict[str, Any]) -> Any:
        if not hasattr(local, "session"):
            local.session = requests.Session()
            local.session.trust_env = False
            # A connection that rested for a few seconds may be closed at the other end.
            local.session.mount("http://", HTTPAdapter(max_retries=Retry(total=3, allowed_methods=None)))
            if server.token:
                local.session.headers["Authorization"] = f"Bearer {server.token}"
        answer = local.session.post(f"{server.url}/api/2.0/mlflow/{path}", json=body, timeout=120)
        answer.raise_for_status()
        return answer.json()

    def one(number: int) -> None:
        now = int(time.time() * 1000)
        made = post("runs/create", {"experiment_id": server.experiment, "start_time": now, "run_name": f"r{number}"})
        metrics = [{"key": f"m{k}", "value": random.random(), "timestamp": now, "step": 0} for k in range(METRICS)]
        words = [{"key": "lr", "value": str(random.random())}, {"key": "depth", "value": str(number % 7)}]
        post("runs/log-batch", {"run_id": made["run"]["info"]["run_id"], "metrics": metrics, "params": words})

    start, before = time.perf_counter(), server.processor_s()
    with ThreadPoolExecutor(sizes.threads) as pool:
        list(pool.map(one, range(sizes.runs)))
    took, used = time.perf_counter() - start, server.processor_s() - before
    _write_long_curve(server, sizes)
    return Took(took / sizes.runs, used / sizes.runs)


def one_round(server: Contestant, sizes: Sizes) -> dict[str, Took]:
    """What each kind of call takes."""
    server.use()
    client = server.client
    experiment = client.create_experiment(f"bench-{uuid.uuid4().hex}")
    run = client.create_run(experiment).info.run_id
    now = int(time.time() * 1000)

    def batch(number: int) -> None:
        points = [Metric(f"b{i % 10}", random.random(), now, number * sizes.batch + i) for i in range(sizes.batch)]
        client.log_batch(run, metrics=points)

    def page(number: int) -> None:
        found = client.search_runs(
            [server.experiment], max_results=PAGE, order_by=[f"metrics.m{number % METRICS} DESC"]
        )
        assert len(found) == min(PAGE, sizes.runs)

    def filtered(number: int) -> None:
        where = "metrics.m1 > 0.3 and params.lr != 'x'"
        order = [f"metrics.m{number % METRICS} DESC"]
        client.search_runs([server.experiment], where, max_results=PAGE, order_by=order)

    def history(_: int) -> None:
        assert len(client.get_metric_history(server.long_run, "curve")) == sizes.history

    return {
        "create_run": _measure(server, lambda _: client.create_run(experiment), sizes.singles // 2),
        "log_metric": _measure(server, lambda i: client.log_metric(run, "loss", 1 / (i + 1), step=i), sizes.singles),
        "log_param": _measure(server, lambda i: client.log_param(run, f"p{i}", i), sizes.singles // 2),
        "log_batch": _measure(server, batch, sizes.batches),
        "sorted_page": _measure(server, page, sizes.reads),
        "filtered_page": _measure(server, filtered, sizes.reads),
        "history": _measure(server, history, sizes.reads),
    }


def _write_long_curve(server: Contestant, sizes: Sizes) -> None:
    server.long_run = server.client.create_run(server.experiment).info.run_id
    now = int(time.time() * 1000)
    for first in range(0, sizes.history, 1000):
        points = [Metric("curve", random.random(), now, step) for step in range(first, first + 1000)]
        server.client.log_batch(server.long_run, metrics=points, params=[Param("kind", "long")] if not first else [])


def _measure(server: Contestant, call: Callable[[int], Any], count: int) -> Took:
    took: list[float] = []
    before = server.processor_s()
    for number in range(max(1, count)):
        start = time.perf_counter()
        call(number)
        took.append(time.perf_counter() - start)
    return Took(median(took), (server.processor_s() - before) / len(took))
