"""What is measured, each a function of a filled dataset."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bench.data import filling
from bench.data.calls import Calls

PAGE = 100


@dataclass
class Times:
    """Seconds that calls took."""

    seconds: list[float] = field(default_factory=list)

    def measure(self, call: Callable[[], object]) -> None:
        began = time.perf_counter()
        call()
        self.seconds.append(time.perf_counter() - began)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    def __str__(self) -> str:
        return f"p50 {self.percentile(0.5) * 1000:7.1f} ms   p95 {self.percentile(0.95) * 1000:7.1f} ms"


def fill(calls: Calls, bodies: Iterable[bytes], into: Times | None = None) -> float:
    """Sends items in bulk; seconds spent in requests."""
    times = into or Times()
    for body in bodies:
        times.measure(lambda body=body: calls("POST", calls.version(1, "/items/bulk"), body))  # type: ignore[misc]
    return sum(times.seconds)


def pages(calls: Calls, items: int, annotator: str, rounds: int) -> dict[str, Times]:
    """A page of a hundred: plain, by state, class and annotator; at the beginning, in the middle and at the end."""
    wishes = {
        "all": {},
        "by state": {"state": "labelled"},
        "by class": {"label": 3},
        "by annotator": {"annotator": annotator},
        "by class and state": {"label": 3, "state": "labelled"},
        "by class, state and annotator": {"label": 3, "state": "labelled", "annotator": annotator},
        "with annotations": {"with": "annotations"},
    }
    found: dict[str, Times] = {}
    for name, wish in wishes.items():
        times = found[name] = Times()
        for _ in range(rounds):
            for after in (0, items // 2, items - 150):
                times.measure(
                    lambda wish=wish, after=after: calls(  # type: ignore[misc]
                        "GET", calls.version(1, "/items"), raw=True, limit=PAGE, after=after, **wish
                    )
                )
    return found


def statistics(calls: Calls, rounds: int) -> Times:
    times = Times()
    for _ in range(rounds):
        times.measure(lambda: calls("GET", calls.version(1, "/statistics"), raw=True))
    return times


def next_items(calls: Calls, items: int, rounds: int) -> Times:
    """The next item to be annotated, from anywhere."""
    times, rng = Times(), random.Random(2)
    address = calls.version(1, "/items/next")
    for _ in range(rounds):
        after = rng.randint(0, items)
        times.measure(lambda after=after: calls("GET", address, raw=True, state="unlabelled", after=after))  # type: ignore[misc]
    return times


class Annotator:
    """Somebody who saves again and again, each time another item."""

    def __init__(self, calls: Calls, first: int, count: int) -> None:
        self._calls = calls
        self._rng = random.Random(first)
        self._seqs = range(first, first + count)
        self._revisions = {seq: calls("GET", calls.version(1, f"/items/{seq}"))["revision"] for seq in self._seqs}
        self.times = Times()

    def save(self, number: int) -> None:
        seq = self._seqs[number % len(self._seqs)]
        body = json.dumps({"base": self._revisions[seq], "annotations": filling.boxes(self._rng)}).encode()
        address = self._calls.version(1, f"/items/{seq}/annotations")
        began = time.perf_counter()
        saved = self._calls("PUT", address, body)
        self.times.seconds.append(time.perf_counter() - began)
        self._revisions[seq] = saved["revision"]


def save_together(annotators: list[Annotator], count: int, *, until: threading.Event | None = None) -> Times:
    """All of them at once, `count` saves each, or until the event."""

    def work(annotator: Annotator) -> None:
        number = 0
        while (number < count) if until is None else not until.is_set():
            annotator.save(number)
            number += 1

    threads = [threading.Thread(target=work, args=(annotator,)) for annotator in annotators]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Times([second for annotator in annotators for second in annotator.times.seconds])
