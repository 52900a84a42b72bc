"""`python -m bench.serving --contestants …` prints all figures and fails when a bar is missed. See README.md."""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from bench.serving.contestants import HERE, Contestant, choose
from bench.serving.network import make

MLSERVER_TIMES, P99_MS, RSS_MB = 3.0, 30.0, 120.0
START_S = 120

Figures = dict[str, float]


class NotStarted(Exception):
    """A contestant gave no answer; the end of its log."""


def main() -> int:
    options = _options()
    if shutil.which("wrk") is None:
        raise SystemExit("the load comes from wrk: apt-get install wrk")
    contestants = choose(options.contestants)
    levels = [int(one) for one in options.concurrency.split(",")]
    rounds: dict[str, list[Figures]] = {one.name: [] for one in contestants}
    print(f"load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-") as place:
        request = make(Path(place))
        for number in range(options.rounds):
            for contestant in contestants:
                try:
                    found = _round(contestant, Path(place), request, levels, options.seconds)
                except NotStarted as error:
                    print(f"{contestant.name} did not start and is left out: {error}", file=sys.stderr, flush=True)
                    continue
                rounds[contestant.name].append(found)
                print(f"round {number + 1} of {contestant.name}: {found}", file=sys.stderr, flush=True)
    figures = {
        name: {what: median(one[what] for one in found) for what in found[0]} for name, found in rounds.items() if found
    }
    return _report(figures, levels)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contestants", default="fastapi")
    parser.add_argument("--concurrency", default="16,64")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def _round(contestant: Contestant, folder: Path, request: Path, levels: list[int], seconds: int) -> Figures:
    found: Figures = {}
    with _started(contestant, folder, request) as (url, process, started_s):
        found["start_s"] = started_s
        _load(url, request, 4, 1)
        found["rss_mb"] = _memory_mb(process)
        for level in levels:
            used_s = _processor_s(process)
            loaded = _load(url, request, level, seconds)
            loaded["per_cpu_s"] = loaded["per_s"] * seconds / max(_processor_s(process) - used_s, 0.01)
            found |= {f"{what}@{level}": value for what, value in loaded.items()}
        found["rss_loaded_mb"] = _memory_mb(process)
    return found


@contextmanager
def _started(contestant: Contestant, folder: Path, request: Path) -> Iterator[tuple[str, psutil.Process, float]]:
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-") as scratch, (Path(scratch) / "log").open("ab") as log:
        fill = {"model": folder / "mlp" / "model.onnx", "folder": folder, "port": port, "scratch": scratch}
        command = [_filled(one, fill) for one in contestant.command]
        environment = {
            **os.environ,
            "BENCH_PORT": str(port),
            "BENCH_MODELS": str(folder / "mlp"),
            **contestant.environment,
        }
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True, cwd=HERE)
        base = f"http://127.0.0.1:{port}"
        try:
            while not _answers(base + contestant.path, request):
                if process.poll() is not None or time.perf_counter() > began + START_S:
                    raise NotStarted((Path(scratch) / "log").read_text()[-1000:])
                time.sleep(0.05)
            yield base + contestant.path, psutil.Process(process.pid), time.perf_counter() - began
        finally:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _filled(text: str, fill: dict[str, Any]) -> str:
    for name, value in fill.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _answers(url: str, request: Path) -> bool:
    asked = urllib.request.Request(url, request.read_bytes(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=5) as answer:
            return b"outputs" in answer.read()
    except OSError:
        return False


def _load(url: str, request: Path, concurrency: int, seconds: int) -> Figures:
    command = ["wrk", "-t1", f"-c{concurrency}", f"-d{seconds}s", "-s", str(HERE / "load.lua"), url]
    ended = subprocess.run(
        command, env={**os.environ, "REQUEST": str(request)}, capture_output=True, text=True, timeout=seconds + 60
    )
    line = next((one for one in ended.stdout.splitlines() if one.startswith("FOUND ")), None)
    if line is None:
        raise SystemExit(f"wrk said {ended.stdout} {ended.stderr}")
    found: Figures = json.loads(line.removeprefix("FOUND "))
    return found


def _memory_mb(process: psutil.Process) -> float:
    """Of the process and what it started."""
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / (1 << 20)


def _processor_s(process: psutil.Process) -> float:
    """Processor time of the process and what it started: a busy machine changes it little."""
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _report(figures: dict[str, Figures], levels: list[int]) -> int:
    columns = [f"{what}@{level}" for level in levels for what in ("per_s", "p50_ms", "p99_ms", "failed", "per_cpu_s")]
    columns += ["start_s", "rss_mb", "rss_loaded_mb"]
    print(f"{'':>16} " + " ".join(f"{one:>13}" for one in columns))
    for name, found in figures.items():
        print(f"{name:>16} " + " ".join(f"{found[one]:>13.1f}" for one in columns))
    missed = _missed(figures, levels)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _missed(figures: dict[str, Figures], levels: list[int]) -> list[str]:
    own, missed = figures["tidemill"], []
    for name, found in figures.items():
        bar = MLSERVER_TIMES if name.startswith("mlserver") else 1.0 if name.startswith("fastapi") else 0.0
        for level in levels:
            times = own[f"per_s@{level}"] / found[f"per_s@{level}"]
            if name != "tidemill" and times <= bar:
                missed.append(f"{times:.1f} times {name} at {level}, bar {bar}")
    if 64 in levels and own["p99_ms@64"] > P99_MS:
        missed.append(f"p99 at 64 is {own['p99_ms@64']:.1f} ms, bar {P99_MS}")
    if own["rss_loaded_mb"] > RSS_MB:
        missed.append(f"{own['rss_loaded_mb']:.0f} MB, bar {RSS_MB}")
    if any(own[f"failed@{level}"] for level in levels):
        missed.append("requests failed")
    return missed


if __name__ == "__main__":
    sys.exit(main())
