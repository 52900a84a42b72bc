"""The import itself: records in, batches out; one batch is read while the one before it is sent."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.importing.feeds import Feed, Record
from tidemill.datasets.importing.taking import Taken, Taker
from tidemill.datasets.notes import Note
from tidemill.datasets.works.labelling import Numbers
from tidemill.datasets.works.office import BATCH_BYTES, SMALL_BYTES, Office, Refusal, plain
from tidemill.kernel.i18n import LANGUAGES

RECORDS = 500
"""Records of one batch: annotators wait no longer than one takes to be written."""
BODY_BYTES = 12 << 20
THREADS = 16
_MALFORMED = frozenset({400, 413, 422})


@dataclass(slots=True)
class Batch:
    """Records that are sent together. `at` and `done` say which."""

    at: int
    done: int
    notes: list[dict[str, Any]] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    content_bytes: int = 0
    body_bytes: int = 0

    @property
    def is_full(self) -> bool:
        is_large = self.content_bytes >= BATCH_BYTES or self.body_bytes >= BODY_BYTES
        return is_large or self.done - self.at >= RECORDS

    def count(self, name: str, value: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + value


class Importer:
    """Carries a feed's records to the server."""

    def __init__(self, office: Office, task: dict[str, Any], feed: Feed, scratch: Path) -> None:
        self._office = office
        self._feed = feed
        self._start: int = task["done"]
        self._is_dry = bool(task["dry_run"])
        self._numbers = Numbers(task["target_labels"])
        self._taker = Taker(feed, scratch, task["asked"].get("folder"), data_type=task["data_type"])
        self._new_labels: set[str] = set()

    def run(self, records: Iterator[Record]) -> None:
        """All records from where an earlier attempt ended."""
        with (
            ThreadPoolExecutor(1, thread_name_prefix="send") as sender,
            ThreadPoolExecutor(THREADS, thread_name_prefix="take") as takers,
        ):
            sending: Future[None] | None = None
            for batch, samples in self._batches(records):
                self._take(batch, samples, takers if self._feed.is_parallel else None)
                if sending is not None:
                    sending.result()
                sending = sender.submit(self._send, batch)
            if sending is not None:
                sending.result()

    def _batches(self, records: Iterator[Record]) -> Iterator[tuple[Batch, list[Sample]]]:
        """Records by hundreds, each sample still unread; large ones make a batch shorter."""
        batch, samples = Batch(self._start, self._start), list[Sample]()
        guess = 0
        for number, record in enumerate(records):
            if isinstance(record, Label):
                self._numbers.declare(record)
            if number < self._start:
                continue
            batch.done = number + 1
            if isinstance(record, Note):
                batch.notes.append(plain(record))
                batch.count(record.level)
            elif isinstance(record, Sample):
                samples.append(record)
                guess += self._size_of(record)
            if batch.is_full or guess >= BATCH_BYTES:
                yield batch, samples
                batch, samples, guess = Batch(number + 1, number + 1), [], 0
        yield batch, samples

    def _size_of(self, sample: Sample) -> int:
        if isinstance(sample.file, bytes):
            return len(sample.file)
        entry = self._feed.source.find(sample.file) if sample.file else None
        return 1000 * len(sample.annotations) // 8 + (entry.size_bytes if entry else 0)

    def _take(self, batch: Batch, samples: Sequence[Sample], pool: ThreadPoolExecutor | None) -> None:
        results = pool.map(self._taker.take, samples) if pool else map(self._taker.take, samples)
        for sample, found in zip(samples, results, strict=True):
            if isinstance(found, Note):
                batch.notes.append(plain(found))
                batch.count(found.level)
                continue
            batch.notes += [plain(note) for note in found.notes]
            batch.taken.append(found)
            batch.count("read")
            if sample.annotations:
                batch.count("annotations", len(sample.annotations))

    def _send(self, batch: Batch) -> None:
        if not self._is_dry:
            self._send_content(batch.taken)
        self._number_labels(batch)
        self._step(batch, self._items(batch))

    def _send_content(self, taken: Sequence[Taken]) -> None:
        self._office.send({one.digest: one.data for one in taken if one.digest and one.data is not None})
        for one in taken:
            if one.file is not None and one.digest is not None:
                self._office.send_file(one.file, one.digest)
                one.file.unlink()
        known = {one.digest: one for one in taken if one.place is not None and one.digest}
        if known:
            self._send_missing(known)

    def _send_missing(self, known: dict[str, Taken]) -> None:
        missing = self._office.missing({digest: one.item["size_bytes"] for digest, one in known.items()})
        batch: dict[str, bytes] = {}
        size = 0
        for digest in missing:
            place = known[digest].place
            assert place is not None
            if known[digest].item["size_bytes"] > SMALL_BYTES:
                self._office.send_file(place, digest)
                continue
            batch[digest] = place.read_bytes()
            size += len(batch[digest])
            if size >= BATCH_BYTES:
                self._office.send(batch)
                batch, size = {}, 0
        self._office.send(batch)

    def _number_labels(self, batch: Batch) -> None:
        """Makes labels that are not there yet; a dry run only counts them."""
        names = (str(one["label"]) for t in batch.taken for one in t.annotations if one.get("label") is not None)
        wishes = self._numbers.wishes(self._numbers.unknown(names))
        if not wishes:
            return
        if not self._is_dry:
            self._numbers.learn(self._office.labels(wishes))
            batch.count("labels", len(wishes))
            return
        fresh = {wish["name"] for wish in wishes} - self._new_labels
        self._new_labels |= fresh
        if fresh:
            batch.count("labels", len(fresh))
            batch.notes.append(plain(Note("labels_new", level="info", params={"labels": ", ".join(sorted(fresh))})))

    def _items(self, batch: Batch) -> list[Any]:
        items = []
        for taken in batch.taken:
            item = taken.item
            if not self._is_dry and (taken.annotations or item.get("state")):
                item["annotations"] = [self._numbered(one) for one in taken.annotations]
            items.append(orjson.Fragment(orjson.dumps(item, default=str)))
        return items

    def _numbered(self, annotation: dict[str, Any]) -> dict[str, Any]:
        name = annotation.get("label")
        return annotation if name is None else {**annotation, "label": self._numbers.find(str(name))}

    def _step(self, batch: Batch, items: list[Any]) -> None:
        """Sends a batch. Where something in it is malformed, it is found by halves and put into the report."""
        try:
            self._office.step(self._body(batch, items))
        except Refusal as refusal:
            if refusal.status not in _MALFORMED or not batch.taken:
                raise
            self._step_by_halves(batch, items, refusal)

    def _body(self, batch: Batch, items: list[Any]) -> dict[str, Any]:
        return {
            "at": batch.at,
            "done": batch.done,
            "total": max(self._feed.total, batch.done) if self._feed.total else None,
            "stage": "importing",
            "format": self._feed.format,
            "items": items,
            "notes": batch.notes,
            "counts": batch.counts,
        }

    def _step_by_halves(self, batch: Batch, items: list[Any], refusal: Refusal) -> None:
        if len(batch.taken) == 1:
            path = batch.taken[0].item["path"]
            note = Note("item_refused", path, params={"reason": self._words_of(refusal, self._body(batch, items))})
            alone = Batch(batch.at, batch.done, [*batch.notes, plain(note)], [], {**batch.counts, "refused": 1})
            self._step(alone, [])
            return
        middle = len(batch.taken) // 2
        # The cursor moves with the second half only; both are sent again as a whole when that is lost.
        first = Batch(batch.at, batch.at, [], batch.taken[:middle])
        self._step(first, items[:middle])
        second = Batch(batch.at, batch.done, batch.notes, batch.taken[middle:], batch.counts)
        self._step(second, items[middle:])

    def _words_of(self, refusal: Refusal, body: dict[str, Any]) -> dict[str, str]:
        """Why the server took no item, in every language: asked once more for each but the first."""
        words = {"en": refusal.message}
        for language in LANGUAGES:
            if language in words:
                continue
            try:
                self._office.step(body, language=language)
            except Refusal as again:
                words[language] = again.message
        return words
