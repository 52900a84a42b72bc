"""The program of a run without code: a model or a service looks at a version's items; what it says is kept.

The server knows the last item whose result it has. Items come by their numbers and their results are written in that
order, so that an attempt after a crash goes on after the last line: nothing twice, nothing left out.
"""

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tidemill.datasets.notes import Refused
from tidemill.datasets.works.office import Office
from tidemill.datasets.works.program import run
from tidemill.inference.worker.asking import ask
from tidemill.inference.worker.journal import Journal
from tidemill.inference.worker.lines import Written, write_line
from tidemill.models.auto.predicting import as_item
from tidemill.models.auto.services import Service
from tidemill.models.using import load_model
from tidemill.runtime.looking import Dying, look
from tidemill.sdk.data import Item

AT_ONCE = 32
ASKED_AT_ONCE = 8
"""Items in one request to a service."""
RATED_S = 10.0
"""The rate is that of so many seconds."""


class Stopped(Exception):
    """Somebody asked the process to end."""


def infer_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Looks at everything that is left, and has it kept."""
    rate = Rate()
    journal = Journal(scratch / "results", office, shards=task["shards"], seq=task["seq"], rate=rate.now)
    done = task["done"] + journal.found
    try:
        journal.tell("loading", done)
        for written in _look(office, task, journal, scratch.parent):
            if written:
                journal.add(written)
            done += len(written)
            rate.add(len(written))
            journal.tell("predicting", done)
            journal.check()
    except BaseException:
        journal.abandon()
        raise
    office.finish(seq=journal.finish())


class Rate:
    """Items a second, lately."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])
        self._done = 0

    def add(self, count: int) -> None:
        self._done += count
        now_s = time.monotonic()
        if now_s - self._marks[-1][0] > RATED_S / 20:
            self._marks.append((now_s, self._done))
        while len(self._marks) > 2 and now_s - self._marks[1][0] > RATED_S:
            self._marks.popleft()

    def now(self) -> float:
        since_s, before = self._marks[0]
        spent_s = time.monotonic() - since_s
        return (self._done - before) / spent_s if spent_s > 0 else 0.0


def _look(office: Office, task: dict[str, Any], journal: Journal, workspace: Path) -> Iterator[list[Written]]:
    source, threshold = task["source"], task["threshold"]
    if source["type"] == "service":
        service = Service(
            os.environ["TIDEMILL_SERVICE_URL"], os.environ.get("TIDEMILL_SERVICE_MODEL"), _token(), is_patient=True
        )
        batches = _batches(office, task, journal.seq, workspace, ASKED_AT_ONCE)
        yield from ask(service, batches, threshold=threshold, in_flight=source["in_flight"], finish=write_line)
        return
    model = load_model(workspace / task["model_folder"])
    journal.tell("predicting", task["done"] + journal.found, model.task)
    batches = _batches(office, task, journal.seq, workspace, AT_ONCE)
    left = task["total"] - task["done"] - journal.found
    workers = max(1, min(task["workers"], left // (2 * AT_ONCE)))
    try:
        yield from look(model, batches, threshold=threshold, workers=workers, finish=write_line)
    except Dying as error:
        raise Refused("model_unusable", reason=str(error)) from error


def _batches(office: Office, task: dict[str, Any], after: int, workspace: Path, size: int) -> Iterator[list[Item]]:
    batch: list[Item] = []
    for item in _items(office.items(after), task, workspace / task["dataset_folder"]):
        batch.append(item)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _items(lines: Iterable[dict[str, Any]], task: dict[str, Any], folder: Path) -> Iterator[Item]:
    """Those that are wanted, of those that were there when the run began."""
    wanted = frozenset(task["states"])
    for line in lines:
        if line["seq"] > task["upto"]:
            return
        if wanted and line["state"] not in wanted:
            continue
        item = as_item(line, folder)
        item.info["media"] = line.get("media")
        yield item


def _token() -> str | None:
    """Of the service; our own opens those of the project."""
    own = os.environ.get("TIDEMILL_TOKEN") if "TIDEMILL_GATEWAY_URL" in os.environ else None
    return os.environ.get("TIDEMILL_SERVICE_TOKEN") or own


def _stop(*_: object) -> None:
    raise Stopped


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    try:
        sys.exit(run(infer_all))
    except Stopped:
        # What is written stays in the workspace, where the next attempt finds it.
        os._exit(143)
