"""Real data as published versions: read by the importers' own readers, written as publishing writes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.formats.tidemill import label_rows, number_labels
from tidemill.datasets.formats.writing import label_keys
from tidemill.datasets.media import pictures, sounds
from tidemill.datasets.sources.folder import FolderSource
from tidemill.datasets.sources.limits import Budget, Limits


def publish(
    source: Path,
    target: Path,
    *,
    data_type: str,
    annotation_type: str,
    format: str | None = None,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
) -> Path:
    """A folder as a run finds its dataset: `dataset.json`, `annotations.jsonl`, the items."""
    folder = FolderSource(source, Budget(Limits()))
    name = format or formats.recognise(folder)[0][0]
    labels: list[Label] = []
    samples: list[Sample] = []
    wanted = {"data_type": data_type, "annotation_type": annotation_type, **(options or {})}
    for found in formats.reader(name).read(folder, wanted):
        if isinstance(found, Label) and found.name not in {label.name for label in labels}:
            labels.append(found)
        elif isinstance(found, Sample) and found.file is not None and (limit is None or len(samples) < limit):
            samples.append(found)
    numbered = number_labels(labels)
    numbers = dict(zip(label_keys(numbered), (label.number for label in numbered), strict=True))
    target.mkdir(parents=True, exist_ok=True)
    with (target / "annotations.jsonl").open("w", encoding="utf-8") as lines:
        for seq, sample in enumerate(samples, 1):
            lines.write(json.dumps(_line(seq, sample, numbers, folder, target, data_type), ensure_ascii=False) + "\n")
    about = {
        "format": "tidemill",
        "version": 1,
        "dataset": target.name,
        "dataset_version": 1,
        "data_type": data_type,
        "annotation_type": annotation_type,
        "labels": label_rows(numbered),
    }
    (target / "dataset.json").write_text(json.dumps(about, ensure_ascii=False))
    return target


def _line(
    seq: int, sample: Sample, numbers: dict[str, int | None], folder: FolderSource, target: Path, data_type: str
) -> dict[str, Any]:
    place = target / sample.path
    place.parent.mkdir(parents=True, exist_ok=True)
    assert sample.file is not None
    if isinstance(sample.file, bytes):
        place.write_bytes(sample.file)
    else:
        with folder.open(sample.file) as file:
            place.write_bytes(file.read())
    row: dict[str, Any] = {"path": sample.path, "size_bytes": place.stat().st_size}
    if data_type == "image":
        with place.open("rb") as file:
            found = pictures.probe(file)
        row |= {"width": found.width, "height": found.height}
    if data_type == "audio":
        with place.open("rb") as file:
            row["duration"] = sounds.probe(file).duration
    if sample.info:
        row["info"] = sample.info
    row["state"] = sample.state or ("labelled" if sample.annotations else "unlabelled")
    row["seq"] = seq
    row["annotations"] = [
        one | ({"label": numbers[one["label"]]} if "label" in one else {}) for one in sample.annotations
    ]
    return row
