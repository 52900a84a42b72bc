"""The program of preprocessing: items of one version, worked on, into a new draft."""

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tidemill.datasets.formats.base import Sample
from tidemill.datasets.formats.finding import PICTURES, suffix_of
from tidemill.datasets.importing.feeds import Feed, Known, Record
from tidemill.datasets.importing.from_version import version_records
from tidemill.datasets.importing.importer import Importer
from tidemill.datasets.media.pictures import Unreadable
from tidemill.datasets.notes import Note
from tidemill.datasets.preprocessing.steps import can_encode, encode, flips_of, work_on
from tidemill.datasets.sources import MemorySource
from tidemill.datasets.works.office import Office
from tidemill.datasets.works.program import run

THREADS = 4
AHEAD = 16
"""Pictures that are worked on while earlier ones are sent: few, for they are large."""


def preprocess_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Works on everything and has it kept in the new draft."""
    folder = scratch.parent / "source"
    office.progress("preprocessing", total=task["items"])
    # Those that an earlier attempt did are not worked on again, only counted.
    known = version_records(office.items(), task["labels"], folder, with_annotations=True)
    records = Preprocessor(folder, task).records(known, skip=task["done"])
    feed = Feed(MemorySource({}), lambda: records, "preprocess", task["items"])
    Importer(office, task, feed, scratch).run(records)
    office.finish()


class Preprocessor:
    """Works on records, several at once, in their order."""

    def __init__(self, folder: Path, task: dict[str, Any]) -> None:
        self._folder = folder
        self._steps: dict[str, Any] = task["asked"]["steps"]
        self._flips = flips_of(task["labels"])

    def records(self, known: Iterator[Record], *, skip: int) -> Iterator[Record]:
        """One record for each that comes in, so that they can be counted."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="work") as pool:
            ahead: deque[Future[Record] | Record] = deque()
            for number, record in enumerate(known):
                is_work = isinstance(record, Known) and number >= skip
                ahead.append(pool.submit(self._work, record) if is_work else record)  # type: ignore[arg-type]
                if len(ahead) > AHEAD:
                    yield _settled(ahead.popleft())
            while ahead:
                yield _settled(ahead.popleft())

    def _work(self, known: Known) -> Record:
        """Items that are set aside take no part."""
        if known.state == "aside" or suffix_of(known.path) not in PICTURES:
            return known
        try:
            with (self._folder / known.path).open("rb") as file:
                done = work_on(file, known.annotations, self._steps, self._flips)
        except Unreadable as error:
            return Note(error.code, known.path, params=error.params)
        info = known.info if done.sharpness is None else {**known.info, "sharpness": done.sharpness}
        info = {name: value for name, value in info.items() if name != "phash"}
        if done.is_blurred:
            known.state, known.info = "aside", info
            return known
        if done.is_outside:
            return Note("picture_outside", known.path)
        if done.after is None:
            known.info = info
            return known
        path = known.path if can_encode(known.path) else f"{known.path}.png"
        width, height = done.after.size
        return Sample(path, encode(done.after, path), done.annotations, width, height, None, info, None, known.state)


def _settled(found: "Future[Record] | Record") -> Record:
    return found.result() if isinstance(found, Future) else found


if __name__ == "__main__":
    sys.exit(run(preprocess_all))
