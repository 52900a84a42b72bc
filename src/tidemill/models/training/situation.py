"""What there is to train with: a version's labels, and the machine it would run on."""

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets import counting, labels
from tidemill.datasets.lookup import Opened
from tidemill.datasets.states import DONE, SCENES
from tidemill.datasets.tables import DatasetRow
from tidemill.workloads.specs import get_wanted_spec

TASKS = frozenset(
    {
        "image-classification", "object-detection", "segmentation", "keypoints", "ocr", "text-classification",
        "audio-classification", "tabular",
    }
)  # fmt: skip
CLASSIFYING = frozenset({"image-classification", "text-classification", "audio-classification"})


@dataclass(frozen=True, slots=True)
class Situation:
    """Numbers that choices are made by."""

    task: str
    items: int
    labelled: int
    classes: int
    """Labels that are in use."""
    smallest_class: int
    largest_class: int
    cpus: float
    accelerators: float
    accelerator: str | None

    def facts(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "task"}


def task_of(session: Session, opened: Opened) -> str:
    """What can be learnt from the dataset: as the built-in algorithms are called."""
    dataset = session.scalars(sa.select(DatasetRow).where(DatasetRow.did == opened.did)).one()
    return SCENES.get(dataset.annotation_type, dataset.annotation_type)


def measure(session: Session, opened: Opened, *, spec: str | None) -> Situation:
    """From the counters; nothing is counted."""
    counts = counting.get_counts(session, opened.vid)
    states = counts.get(counting.STATE, {})
    used = counts.get(counting.LABEL, {})
    sizes = [n for row in labels.load(session, opened.vid) if (n := used.get(str(row.number), 0))]
    place = get_wanted_spec(session, spec)
    return Situation(
        task=task_of(session, opened),
        items=sum(states.values()),
        labelled=sum(states.get(str(code), 0) for code in DONE),
        classes=len(sizes),
        smallest_class=min(sizes, default=0),
        largest_class=max(sizes, default=0),
        cpus=place.cpus,
        accelerators=place.accelerators,
        accelerator=place.accelerator,
    )
