"""`python -m bench.tracking --mlflow /path/to/bin/mlflow` prints both and fails when a bar is missed. See README.md."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import psutil

from bench.store.server import running_server
from bench.tracking.work import Contestant, Sizes, Took, fill, one_round

BARS = {
    "create_run": 3.0, "log_metric": 3.0, "log_param": 3.0, "log_batch": 4.0, "fill": 5.0,
    "sorted_page": 5.0, "filtered_page": 3.0, "history": 2.5,
}  # fmt: skip
START_S = 300


def main() -> int:
    options = _options()
    sizes = Sizes(options.singles, options.batches, 1000, options.runs, 10_000, options.reads)
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder) as place, ExitStack() as open_ones:
        folder = Path(place)
        contestants = [
            Contestant("client", *open_ones.enter_context(_nothing())),
            Contestant("mlflow", *open_ones.enter_context(_mlflow(options.mlflow, folder, options.workers))),
            _tidemill(open_ones, folder),
        ]
        figures = {server.name: _measure_fill(server, sizes) for server in contestants}
        rounds: dict[str, list[dict[str, Took]]] = {server.name: [] for server in contestants}
        for number in range(options.rounds):
            for server in contestants:
                rounds[server.name].append(one_round(server, sizes))
                print(f"round {number + 1} of {server.name} done", file=sys.stderr, flush=True)
        for name, found in rounds.items():
            figures[name] |= {what: _middle([each[what] for each in found]) for what in found[0]}
    return _report(figures)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlflow", default="mlflow", help="the `mlflow` command of an environment that has uvloop")
    parser.add_argument("--workers", type=int, help="of `mlflow server`; its own default when not given")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--singles", type=int, default=200)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--reads", type=int, default=10)
    parser.add_argument("--folder", help="where scratch files go")
    return parser.parse_args()


def _middle(rounds: list[Took]) -> Took:
    return Took(median(took.clock_s for took in rounds), median(took.processor_s for took in rounds))


def _measure_fill(server: Contestant, sizes: Sizes) -> dict[str, Took]:
    took = fill(server, sizes)
    print(f"{server.name} filled", file=sys.stderr, flush=True)
    return {"fill": took}


def _report(figures: dict[str, dict[str, Took]]) -> int:
    """A call's time less what the client takes by itself; the ratio of both. Beside it the servers' processor time."""
    columns = f"{'client':>8} {'mlflow':>9} {'tidemill':>9} {'ratio':>7} {'less client':>12} {'bar':>5}"
    print(f"{'ms a call':>14} {columns} | {'mlflow':>9} {'tidemill':>9} {'ratio':>7}  of the processor")
    missed: list[str] = []
    for what, bar in BARS.items():
        own, theirs, ours = (figures[name][what].clock_s * 1000 for name in ("client", "mlflow", "tidemill"))
        used = [figures[name][what].processor_s * 1000 for name in ("mlflow", "tidemill")]
        plain, net = theirs / ours, (theirs - own) / max(ours - own, 0.01)
        print(f"{what:>14} {own:8.2f} {theirs:9.2f} {ours:9.2f} {plain:6.1f}x {net:11.1f}x {bar:4.1f}x", end="")
        print(f" | {used[0]:9.2f} {used[1]:9.2f} {used[0] / max(used[1], 0.01):6.1f}x")
        if net < bar:
            missed.append(f"{what}: {net:.1f}x, bar {bar}x")
    batch, filled = figures["tidemill"]["log_batch"].clock_s, figures["tidemill"]["fill"].clock_s
    print(f"tidemill: {1000 / batch:.0f} metrics/s in batches, {1 / filled:.0f} runs/s filling")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _tidemill(open_ones: ExitStack, folder: Path) -> Contestant:
    server = open_ones.enter_context(running_server(folder))
    token = server.client.tokens.create("tracking", project="bench")
    return Contestant("tidemill", server.url, server.process, token.token)


@contextmanager
def _mlflow(command: str, folder: Path, workers: int | None) -> Iterator[tuple[str, psutil.Process]]:
    port = _free_port()
    store = f"sqlite:///{folder / 'mlflow.db'}"
    given = [command, "server", "--port", str(port), "--backend-store-uri", store]
    given += ["--artifacts-destination", str(folder / "mlflow-files")]
    if workers is not None:
        given += ["--workers", str(workers)]
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    with _process(given, folder / "mlflow.log", f"http://127.0.0.1:{port}/health", environment) as process:
        yield f"http://127.0.0.1:{port}", process


@contextmanager
def _nothing() -> Iterator[tuple[str, psutil.Process]]:
    port = _free_port()
    command = [sys.executable, "-m", "bench.tracking.nothing", str(port)]
    with _process(command, Path(os.devnull), f"http://127.0.0.1:{port}/", dict(os.environ)) as process:
        yield f"http://127.0.0.1:{port}", process


@contextmanager
def _process(command: list[str], log: Path, url: str, environment: dict[str, str]) -> Iterator[psutil.Process]:
    with log.open("ab") as out:
        started = subprocess.Popen(command, stdout=out, stderr=out, env=environment, start_new_session=True)
    try:
        deadline = time.monotonic() + START_S
        while not _answers(url):
            if started.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} did not start; see {log}")
            time.sleep(0.1)
        yield psutil.Process(started.pid)
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        try:
            started.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(15)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
