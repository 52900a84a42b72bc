"""`python -m bench.data`: prints the measurements and fails when a bar is missed. See README.md beside this file."""

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.data import filling, measuring
from bench.data.calls import Calls
from bench.data.measuring import Annotator, Times
from bench.store.server import Server, running_server

PAGE_P95_S = 0.1
STATISTICS_S = 0.3
NEW_VERSION_S = 30.0
PUBLISH_S = 30.0
SAVE_ALONE_S = 0.005
SAVE_TEN_S = 0.035
SAVE_BESIDE_IMPORT_P95_S = 0.15
BULK_PER_S = 3_300
"""Eight times what Label Studio takes in on two cores."""
ANNOTATORS = 10


def main() -> int:
    options = _options()
    os.environ.setdefault("TIDEMILL_SSH_ENABLED", "false")
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder) as place:
        folder = Path(place)
        with running_server(folder) as server:
            bench = Bench(server, folder / "home", options)
            bench.fill()
            bench.save()
            bench.read()
            bench.save_beside_import()
            bench.publish()
            bench.new_version()
            print(f"server's memory at most: {server.peak_rss_bytes / 1e6:.0f} MB")
    for line in bench.missed:
        print(f"missed: {line}")
    return 1 if bench.missed else 0


class Bench:
    """One dataset, measured from its first item on."""

    def __init__(self, server: Server, home: Path, options: argparse.Namespace) -> None:
        self.missed: list[str] = []
        self._server, self._home, self._options = server, home, options
        self._token = server.client.tokens.create("bench-data").token
        self._calls = self._new_calls()
        self._project = self._calls("GET", self._calls.project)["id"]

    def fill(self) -> None:
        count = self._options.items
        filling.begin(self._calls, "boats")
        filling.keep_contents(self._home, self._project, 0, count)
        times = Times()
        seconds = measuring.fill(self._calls, filling.batches(0, count), times)
        print(f"{count} items with {filling.AT_ONCE} at once: {count / seconds:.0f} items/s, {times}")
        if count / seconds < BULK_PER_S:
            self.missed.append(f"items come in at {count / seconds:.0f}/s, not {BULK_PER_S}")

    def save(self) -> None:
        saves = self._options.saves
        alone = Annotator(self._calls, 1, saves)
        measuring.save_together([alone], saves)
        self._report("saving alone", alone.times, SAVE_ALONE_S, 0.5)
        measuring.save_together(self._annotators(saves), saves)
        together = measuring.save_together(self._annotators(saves), saves)
        self._report(f"saving, {ANNOTATORS} annotators", together, SAVE_TEN_S, 0.5)

    def read(self) -> None:
        rounds = self._options.rounds
        for name, times in measuring.pages(self._calls, self._options.items, "admin", rounds).items():
            self._report(f"page of {measuring.PAGE} {name}", times, PAGE_P95_S, 0.95)
        self._report("statistics", measuring.statistics(self._calls, rounds), STATISTICS_S, 0.95)
        self._report("next item", measuring.next_items(self._calls, self._options.items, 20), PAGE_P95_S, 0.95)

    def save_beside_import(self) -> None:
        first, count = self._options.items, self._options.beside
        filling.keep_contents(self._home, self._project, first, count)
        bodies = list(filling.batches(first, count))
        annotators = self._annotators(50)
        done = threading.Event()

        def bring_in() -> None:
            try:
                measuring.fill(self._new_calls(), bodies)
            finally:
                done.set()

        importing = threading.Thread(target=bring_in)
        importing.start()
        times = measuring.save_together(annotators, 0, until=done)
        importing.join()
        name = f"saving, {ANNOTATORS} annotators, while {count} items come in ({len(times.seconds)} saves)"
        self._report(name, times, SAVE_BESIDE_IMPORT_P95_S, 0.95)

    def publish(self) -> None:
        began = time.monotonic()
        self._calls.finish(self._calls("POST", self._calls.version(1, "/publish"), {}))
        self._report_once("publishing", time.monotonic() - began, PUBLISH_S)

    def new_version(self) -> None:
        began = time.monotonic()
        self._calls.finish(self._calls("POST", self._calls.version(1, "/copy"), {}))
        self._report_once("a new version from it", time.monotonic() - began, NEW_VERSION_S)

    def _annotators(self, each: int) -> list[Annotator]:
        return [Annotator(self._new_calls(), 1000 + number * each, each) for number in range(ANNOTATORS)]

    def _new_calls(self) -> Calls:
        return Calls(self._server.url, self._token, "bench", "boats")

    def _report(self, name: str, times: Times, bar_s: float, share: float) -> None:
        print(f"{name:50} {times}   (bar: p{share * 100:.0f} {bar_s * 1000:.0f} ms)", flush=True)
        if times.percentile(share) > bar_s:
            self.missed.append(f"{name}: {times.percentile(share) * 1000:.1f} ms, not {bar_s * 1000:.0f}")

    def _report_once(self, name: str, took_s: float, bar_s: float) -> None:
        print(f"{name:50} {took_s:7.1f} s   (bar: {bar_s:.0f} s)", flush=True)
        if took_s > bar_s:
            self.missed.append(f"{name}: {took_s:.1f} s, not {bar_s:.0f}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000, help="the bars are meant for 1,000,000")
    parser.add_argument("--beside", type=int, default=100_000, help="items that come in while others save")
    parser.add_argument("--saves", type=int, default=100, help="of each annotator")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where scratch files go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
