"""The program of an export's workload."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Opener, Sample
from tidemill.datasets.formats.targets import ZipTarget
from tidemill.datasets.works import registry
from tidemill.datasets.works.labelling import Names
from tidemill.datasets.works.office import Office, digest_file, plain
from tidemill.datasets.works.program import run

NOTES_MAX = 5000
TELL_EVERY = 1000


def export_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Writes the archive, and has it kept."""
    asked = task["asked"]
    names = Names(task["labels"])
    writer = formats.writer(asked["format"])
    reading = _Reading(office, task, names)
    office.progress("writing", total=task["items"])
    file = scratch / "export.zip"
    file.unlink(missing_ok=True)
    opener = _opener(scratch.parent / "source") if asked["with_data"] or registry.needs_data(writer) else None
    options = {"annotation_type": task["annotation_type"], "data_type": task["data_type"], **asked["options"]}
    with ZipTarget(file) as target:
        notes = writer.write(names.labels(), reading.samples(), target, options, opener)
    if task["done"] < reading.count:
        step = {"at": task["done"], "done": reading.count, "notes": [plain(note) for note in notes][:NOTES_MAX]}
        office.step(step | {"stage": "sending", "total": reading.count, "counts": reading.counts})
    office.progress("sending")
    digest = digest_file(file)
    office.send_file(file, digest)
    name = f"{task['dataset']}-v{task['version']}-{asked['format']}{'' if opener else '-annotations'}.zip"
    office.finish(sha256=digest, size_bytes=file.stat().st_size, file_name=name)
    file.unlink()


class _Reading:
    """The version's items as samples, those in the wanted states."""

    def __init__(self, office: Office, task: dict[str, Any], names: Names) -> None:
        self._office = office
        self._names = names
        self._states = frozenset(task["asked"]["states"] or ()) or None
        self.count = 0
        self.counts = {"items": 0, "annotations": 0}

    def samples(self) -> Iterator[Sample]:
        for item in self._office.items():
            self.count += 1
            if self.count % TELL_EVERY == 0:
                self._office.progress("writing", now=False)
            if item["state"] == "aside" if self._states is None else item["state"] not in self._states:
                continue
            annotations = [self._names.named(one) for one in item["annotations"]]
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
