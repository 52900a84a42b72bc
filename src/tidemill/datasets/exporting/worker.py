"""The program of an export's workload."""

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Opener, Sample
from tidemill.datasets.formats.targets import ZipTarget
from tidemill.datasets.formats.training_files import write_training_files
from tidemill.datasets.notes import Note
from tidemill.datasets.works.labelling import Names
from tidemill.datasets.works.office import Office, digest_file, plain
from tidemill.datasets.works.program import run
from tidemill.datasets.works.registry import TRAINING, needs_files

DONE_STATES = ("labelled", "reviewed")
"""What is trained on."""
NOTES_MAX = 5000
TELL_EVERY = 1000


def export_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Writes the archive, and has it kept."""
    asked = task["asked"]
    reading = _Reading(office, task)
    office.progress("writing", total=task["items"])
    file = scratch / "export.zip"
    file.unlink(missing_ok=True)
    with_files = needs_files(asked["format"], task["annotation_type"], with_data=asked["with_data"])
    with ZipTarget(file) as target:
        write = _write_training if asked["format"] == TRAINING else _write_format
        notes = write(reading, task, target, _opener(scratch.parent / "source") if with_files else None, scratch)
    if task["done"] < reading.count:
        step = {"at": task["done"], "done": reading.count, "notes": [plain(note) for note in notes][:NOTES_MAX]}
        office.step(step | {"stage": "sending", "total": reading.count, "counts": reading.counts})
    office.progress("sending")
    digest = digest_file(file)
    office.send_file(file, digest)
    name = f"{task['dataset']}-v{task['version']}-{asked['format']}{'' if with_files else '-annotations'}.zip"
    office.finish(sha256=digest, size_bytes=file.stat().st_size, file_name=name)
    file.unlink()


def _write_format(
    reading: "_Reading", task: dict[str, Any], target: ZipTarget, files: Opener | None, scratch: Path
) -> list[Note]:
    del scratch
    options = {"annotation_type": task["annotation_type"], "data_type": task["data_type"], **task["asked"]["options"]}
    writer = formats.writer(task["asked"]["format"])
    return writer.write(reading.names.labels(), reading.samples(), target, options, files)


def _write_training(
    reading: "_Reading", task: dict[str, Any], target: ZipTarget, files: Opener | None, scratch: Path
) -> list[Note]:
    """The items are gone through twice: they wait in a file meanwhile, for a draft may change."""
    kept = scratch / "items"
    with kept.open("wb") as out:
        for sample in reading.samples():
            pickle.dump(sample, out, pickle.HIGHEST_PROTOCOL)
    options = task["asked"]["options"]
    notes = write_training_files(
        task["annotation_type"],
        reading.names.labels(),
        lambda: _kept_samples(kept),
        target,
        test_ratio=options.get("test_ratio", 0.2),
        seed=options.get("seed", 0),
        files=files,
    )
    kept.unlink()
    return notes


def _kept_samples(file: Path) -> Iterator[Sample]:
    with file.open("rb") as kept:
        while True:
            try:
                # Written by this very process a moment ago.
                yield pickle.load(kept)  # noqa: S301
            except EOFError:
                return


class _Reading:
    """The version's items as samples, those in the wanted states."""

    def __init__(self, office: Office, task: dict[str, Any]) -> None:
        self._office = office
        self.names = Names(task["labels"])
        wanted = task["asked"]["states"] or (DONE_STATES if task["asked"]["format"] == TRAINING else None)
        self._states = frozenset(wanted) if wanted else None
        self.count = 0
        self.counts = {"items": 0, "annotations": 0}

    def samples(self) -> Iterator[Sample]:
        for item in self._office.items():
            self.count += 1
            if self.count % TELL_EVERY == 0:
                self._office.progress("writing", now=False)
            if item["state"] == "aside" if self._states is None else item["state"] not in self._states:
                continue
            annotations = [self.names.named(one) for one in item["annotations"]]
            self.counts["items"] += 1
            self.counts["annotations"] += len(annotations)
            info = item["info"]
            yield Sample(
                item["path"],
                item["path"],
                annotations,
                item["width"],
                item["height"],
                item["duration"],
                info,
                info.get("split"),
                item["state"],
            )


def _opener(folder: Path) -> Opener:
    def open_file(sample: Sample) -> BinaryIO:
        return (folder / sample.path).open("rb")

    return open_file


if __name__ == "__main__":
    sys.exit(run(export_all))
