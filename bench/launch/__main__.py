"""`python -m bench.launch`: prints the measurements and fails when a bar is missed. See README.md beside this file."""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil

from bench.launch import admission, overhead
from bench.launch.launchers import Bare, Launcher, RayJobs, RayJobsElsewhere, Slurm, Tidemill
from bench.launch.ray_head import ray_head
from bench.store.server import running_server
from tidemill.sdk import Client

LATENCY_S = 0.2
TIMES_FASTER = 5.0
BURST_PER_S = 10.0
ADMISSION_S = 0.1
OVERHEAD = 0.02
SETTLED_PERCENT = 15.0
SETTLED_WITHIN_S = 60.0


def main() -> int:
    options = _options()
    # What was started is ended too when this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ.setdefault("TIDEMILL_ENGINE_RUNTIME", "process")
    os.environ.setdefault("TIDEMILL_SSH_ENABLED", "false")
    os.environ.setdefault("TIDEMILL_ENGINE_CPUS", "16")
    missed: list[str] = []
    if options.folder:
        Path(options.folder).mkdir(parents=True, exist_ok=True)
    if not options.overhead:
        _report_admission(missed)
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder) as place:
        folder = Path(place)
        with running_server(folder) as server, ray_head(options.ray, folder / "ray") as head:
            if not options.overhead:
                _report_launches(Tidemill(server.client), _peers(options, head), options, missed)
            _report_overhead(server.client, folder, options, missed)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=int, default=10, help="single launches in a round")
    parser.add_argument("--burst", type=int, default=200)
    parser.add_argument("--steps", type=int, default=600, help="of the training whose overhead is measured")
    parser.add_argument("--pairs", type=int, default=15, help="of trainings, on the platform and bare")
    parser.add_argument("--overhead", action="store_true", help="measure that alone")
    parser.add_argument("--folder", help="where scratch files go; Ray wants a short path")
    parser.add_argument("--ray", metavar="PYTHON", help="a Python that has ray[default]; a private head is started")
    parser.add_argument("--ray-dashboard", metavar="URL", help="or the dashboard of a Ray that runs already")
    parser.add_argument("--slurm", action="store_true", help="sbatch and squeue of this machine are a peer too")
    return parser.parse_args()


def _peers(options: argparse.Namespace, head: str | None) -> list[Launcher]:
    peers: list[Launcher] = [Bare()]
    if head is not None:
        peers.append(RayJobsElsewhere(options.ray, head))
    elif options.ray_dashboard:
        peers.append(RayJobs(options.ray_dashboard))
    if options.slurm:
        peers.append(Slurm())
    return peers


def _report_admission(missed: list[str]) -> None:
    took_s = admission.measure()
    print(f"admission: 1,000 waiting, 100 machines: {took_s * 1000:.1f} ms a round (bar {ADMISSION_S * 1000:.0f} ms)")
    if took_s > ADMISSION_S:
        missed.append(f"admission takes {took_s:.3f} s")


def _report_launches(ours: Launcher, peers: list[Launcher], options: argparse.Namespace, missed: list[str]) -> None:
    single: dict[str, list[float]] = {one.name: [] for one in (ours, *peers)}
    burst: dict[str, list[float]] = {one.name: [] for one in (ours, *peers)}
    _settle((ours, *peers))
    for number in range(options.rounds):
        for one in (ours, *peers) if number % 2 == 0 else (*reversed(peers), ours):
            single[one.name] += [one.run() for _ in range(options.latency)]
            burst[one.name].append(options.burst / one.burst(options.burst))
            p50_ms = statistics.median(single[one.name]) * 1000
            said = f"{one.name}: p50 {p50_ms:.1f} ms, {burst[one.name][-1]:.1f} jobs/s"
            print(f"round {number + 1} of {options.rounds}: {said}", file=sys.stderr)
    for name in single:
        p50, rate = statistics.median(single[name]), statistics.median(burst[name])
        print(f"{name:12} submit to done p50 {p50 * 1000:8.1f} ms   burst of {options.burst}: {rate:7.1f} jobs/s")
    _check_launches(ours.name, single, burst, missed)


def _settle(launchers: tuple[Launcher, ...]) -> None:
    """Each has run once, and what its servers do when they start is over: nobody is measured beside another's start."""
    for one in launchers:
        one.run()
    deadline = time.monotonic() + SETTLED_WITHIN_S
    while psutil.cpu_percent(interval=2.0) > SETTLED_PERCENT and time.monotonic() < deadline:
        continue


def _check_launches(
    name: str, single: dict[str, list[float]], burst: dict[str, list[float]], missed: list[str]
) -> None:
    p50, rate = statistics.median(single[name]), statistics.median(burst[name])
    if p50 > LATENCY_S:
        missed.append(f"submit to done takes {p50:.3f} s, not {LATENCY_S}")
    if rate < BURST_PER_S:
        missed.append(f"a burst runs at {rate:.1f} jobs/s, not {BURST_PER_S}")
    real = [peer for peer in single if peer not in (name, Bare.name)]
    if not real:
        print("no peer to compare with: see --ray and --slurm")
        return
    if "ray jobs" in real and statistics.median(single["ray jobs"]) < TIMES_FASTER * p50:
        missed.append(f"not {TIMES_FASTER:.0f} times as quick as ray jobs")
    best = max(statistics.median(burst[peer]) for peer in real)
    if rate < TIMES_FASTER * best:
        missed.append(f"a burst is not {TIMES_FASTER:.0f} times the better peer's {best:.1f} jobs/s")


def _report_overhead(client: Client, folder: Path, options: argparse.Namespace, missed: list[str]) -> None:
    pairs = overhead.measure(client, folder, options.steps, options.pairs)
    for what in overhead.Took._fields:
        found = [(getattr(ours, what), getattr(bare, what)) for ours, bare in pairs]
        ours, bare = (statistics.median(times) for times in zip(*found, strict=True))
        low, more, high = statistics.quantiles([ours / bare - 1 for ours, bare in found], n=4)
        spread = f"half of {len(pairs)} pairs from {low:+.1%} to {high:+.1%}"
        print(
            f"training, {what}: {ours:.2f} on the platform, {bare:.2f} bare: {more:+.1%}, {spread} (bar {OVERHEAD:.0%})"
        )
        if more > OVERHEAD:
            missed.append(f"training costs {more:.1%} more {what}")


if __name__ == "__main__":
    sys.exit(main())
