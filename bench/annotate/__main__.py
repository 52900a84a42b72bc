"""`python -m bench.annotate` prints the measurements and fails when a bar is missed. See README.md beside this file."""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from bench.annotate import stage
from bench.annotate.browser import open_page
from bench.annotate.datasets import make_large_picture, make_many_items, make_person
from bench.store.server import running_server

FRAMES_PER_S = 30.0
OPEN_MS = 300.0
NEXT_MS = 100.0


def main() -> int:
    options = _options()
    missed: list[str] = []
    folder = tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder)
    with folder as place, running_server(Path(place)) as server:
        password = make_person(server.client)
        large = make_large_picture(server.client, shapes=options.shapes)
        many = make_many_items(server.client, count=options.items)
        with open_page(server.url, "ann", password) as page:
            _report_drawing(stage.Drawing(page, server.url + large), options, missed)
            _report_moving(stage.Moving(page, server.url + many, options.items), options, missed)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", type=int, default=5000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each movement")
    parser.add_argument("--steps", type=int, default=20, help="items opened and gone on to")
    parser.add_argument("--folder", help="where scratch files go")
    return parser.parse_args()


def _report_drawing(drawing: "stage.Drawing", options: argparse.Namespace, missed: list[str]) -> None:
    for name in ("pan", "zoom", "both"):
        rate, middle_ms, slowest_ms = drawing.rate(name, options.seconds)
        frames = f"p50 {middle_ms:.0f} ms, p99 {slowest_ms:.0f} ms"
        print(f"{name:>5}: {rate:5.1f} frames/s, {frames} (bar {FRAMES_PER_S:.0f} frames/s)")
        if rate < FRAMES_PER_S:
            missed.append(f"{name}: {rate:.1f} frames/s")
    edit_ms = statistics.median(drawing.edit_ms() for _ in range(5))
    print(f" edit: {edit_ms:5.1f} ms from the release to the frame after the one that shows it")


def _report_moving(moving: "stage.Moving", options: argparse.Namespace, missed: list[str]) -> None:
    for name, measure, bar in (("open", moving.open_ms, OPEN_MS), ("next", moving.next_ms, NEXT_MS)):
        took = sorted(measure(step) for step in range(options.steps))
        p50, p95 = statistics.median(took), took[int(len(took) * 0.95) - 1]
        print(f"{name:>5}: p50 {p50:5.1f} ms, p95 {p95:5.1f} ms (bar {bar:.0f} ms)")
        if p50 > bar:
            missed.append(f"{name}: {p50:.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
