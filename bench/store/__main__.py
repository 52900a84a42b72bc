"""`python -m bench.store`: prints the measurements and fails when a bar is missed. See README.md beside this file."""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.store.files import make_large, make_small
from bench.store.server import Server, running_server

LARGE_RATIO = 0.5
SMALL_RATIO = 0.3
SMALL_PER_S = 2000
MEMORY_BYTES = 300 * 1000**2


@dataclass
class Timings:
    """Seconds of each round, for one thing and for its peer."""

    ours: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Our speed as a share of the peer's, round by round; the median of the rounds."""
        return statistics.median(peer / ours for ours, peer in zip(self.ours, self.peer, strict=True))


def main() -> int:
    options = _options()
    results = {name: Timings() for name in ("send large", "fetch large", "send small", "fetch small")}
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder) as place:
        folder = Path(place)
        with running_server(folder) as server:
            for number in range(options.rounds):
                _round(server, folder, options, number, results)
                print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)
            peak = server.peak_rss_bytes
    return _report(results, options, peak)


def _round(server: Server, folder: Path, options: argparse.Namespace, number: int, results: dict[str, Timings]) -> None:
    """Ours first in one round, the peer first in the next, so that neither has the warmer cache."""
    large, small = folder / "large", folder / "small"
    large.mkdir(exist_ok=True)
    make_large(large / "weights.bin", options.large_bytes, number)
    make_small(small, options.small_files, options.small_bytes, number)
    for source, name in ((large, "large"), (small, "small")):
        target = folder / "copy"
        pairs: list[tuple[list[float], Callable[[], object]]] = [
            (results[f"send {name}"].ours, lambda s=source, n=name: server.client.models.push(s, n)),
            (results[f"send {name}"].peer, lambda s=source, t=target: _copy_and_sum(s, t)),
        ]
        for times, work in pairs if number % 2 == 0 else reversed(pairs):
            times.append(_seconds(work))
        shutil.rmtree(target)
        results[f"fetch {name}"].ours.append(_seconds(lambda n=name, t=target: server.client.models.pull(n, t)))
        results[f"fetch {name}"].peer.append(results[f"send {name}"].peer[-1])
        _compare(source, target)
        shutil.rmtree(target)


def _copy_and_sum(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-r", str(source), str(target)], check=True)
    subprocess.run(
        ["find", str(target), "-type", "f", "-exec", "sha256sum", "{}", "+"], check=True, stdout=subprocess.DEVNULL
    )


def _compare(source: Path, target: Path) -> None:
    """What came back is what was sent; a benchmark of wrong answers is worth nothing."""
    subprocess.run(["diff", "-rq", str(source), str(target)], check=True)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _report(results: dict[str, Timings], options: argparse.Namespace, peak: int) -> int:
    per_s = options.small_files / statistics.median(results["send small"].ours)
    for name, timings in results.items():
        ours, peer = statistics.median(timings.ours), statistics.median(timings.peer)
        print(f"{name:12} {ours:7.2f} s   cp + sha256sum {peer:7.2f} s   ratio {timings.ratio:5.2f}")
    print(f"small files  {per_s:7.0f} a second")
    print(f"memory       {peak / 1000**2:7.0f} MB at most")
    bars = {
        f"large file at {LARGE_RATIO} of cp + sha256sum": results["send large"].ratio >= LARGE_RATIO,
        f"small files at {SMALL_PER_S} a second or {SMALL_RATIO} of cp + sha256sum": per_s >= SMALL_PER_S
        or results["send small"].ratio >= SMALL_RATIO,
        f"server under {MEMORY_BYTES // 1000**2} MB": peak < MEMORY_BYTES,
    }
    for bar, is_met in bars.items():
        print(f"{'met   ' if is_met else 'MISSED'} {bar}")
    return 0 if all(bars.values()) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large-bytes", type=int, default=2 * 1000**3)
    parser.add_argument("--small-files", type=int, default=20_000)
    parser.add_argument("--small-bytes", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, default=None, help="where to work; needs room for ten times the files")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
