"""Files to train with, made from labelled items: a training and a test part, in the layout each task expects.

    detection, ocr, keypoints    train.json, test.json                        COCO
    segmentation                 trainval.json, test.json                     COCO
    classification               train_label_file.txt, test_label_file.txt    `file,label` a line
                                 classes.txt, train/*.tfrecord, evaluate/*.tfrecord

Pictures are in `images/`. With fewer than ten labelled items there is no test part.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

from tidemill.datasets.formats.base import Label, Opener, Sample, Target
from tidemill.datasets.formats.coco_writing import CocoFile
from tidemill.datasets.formats.finding import PICTURES, suffix_of
from tidemill.datasets.formats.tfrecords import Feature, RecordFiles
from tidemill.datasets.formats.writing import Classes, Tally, put_data
from tidemill.datasets.notes import Note
from tidemill.kernel.splitting import LEAST_FOR_TEST, choose_test

Samples = Callable[[], Iterable[Sample]]
"""Gives the labelled items, the same ones each time: they are gone through twice."""

_COCO = {"detection": "train", "ocr": "train", "keypoints": "train", "segmentation": "trainval", "video": "train"}
_CLASSES = {"classification", "multi-classification", "text-classification", "audio-classification"}
KINDS = frozenset({*_COCO, *_CLASSES})


def write_training_files(
    annotation_type: str,
    labels: Sequence[Label],
    samples: Samples,
    target: Target,
    *,
    test_ratio: float = 0.2,
    seed: int = 0,
    files: Opener | None = None,
) -> list[Note]:
    """Writes them all. Raises KeyError for a type of annotation nothing is trained on.

    TFRecords hold the items themselves, so that they are written only when `files` gives those.
    """
    if annotation_type not in KINDS:
        raise KeyError(annotation_type)
    strata = [(sample.path, _names(sample)) for sample in samples()]
    tested = choose_test(strata, test_ratio, seed)
    tally = Tally("training")
    if annotation_type in _COCO:
        _write_coco(_COCO[annotation_type], labels, samples(), target, tested, tally, files)
    else:
        _write_classes(labels, samples(), target, tested, tally, files)
    few = len(strata) < LEAST_FOR_TEST
    notes = [Note("split_without_test", level="info", params={"count": len(strata)})] if few else []
    return notes + tally.notes()


def _names(sample: Sample) -> Iterator[str]:
    return (str(annotation["label"]) for annotation in sample.annotations if annotation.get("label") is not None)


def _write_coco(
    train: str,
    labels: Sequence[Label],
    samples: Iterable[Sample],
    target: Target,
    tested: set[str],
    tally: Tally,
    files: Opener | None,
) -> None:
    classes = Classes(labels)
    parts = {False: CocoFile(target.open(f"{train}.json"), classes, tally)}
    if tested:
        parts[True] = CocoFile(target.open("test.json"), classes, tally)
    for sample in samples:
        parts[sample.path in tested].add(sample, f"images/{sample.path}")
        put_data(target, f"images/{sample.path}", sample, files)
    for part in parts.values():
        part.close(labels)


def _write_classes(
    labels: Sequence[Label],
    samples: Iterable[Sample],
    target: Target,
    tested: set[str],
    tally: Tally,
    files: Opener | None,
) -> None:
    classes = Classes(labels)
    lists = {False: target.open("train_label_file.txt")}
    records = {False: RecordFiles(target, "train")}
    if tested:
        lists[True] = target.open("test_label_file.txt")
        records[True] = RecordFiles(target, "evaluate")
    for sample in samples:
        names = [str(a["label"]) for a in sample.annotations if a["type"] == "class"]
        if not names:
            tally.count("annotation_not_carried", "", "skipped")
            continue
        place = f"images/{sample.path}"
        is_test = sample.path in tested
        _write_lines(lists[is_test], place, names)
        if files is not None:
            with files(sample) as file:
                data = file.read()
            target.add(place, data)
            records[is_test].add(_features(sample, place, data, [classes.place(name) for name in names], names))
    for is_test, out in lists.items():
        out.close()
        records[is_test].close()
    target.add("classes.txt", "".join(f"{name}\n" for name in classes.names()).encode())


def _write_lines(out: BinaryIO, place: str, names: list[str]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows((place, name) for name in names)
    out.write(text.getvalue().encode())


def _features(sample: Sample, place: str, data: bytes, numbers: list[int], names: list[str]) -> dict[str, Feature]:
    """The names everybody's image pipelines know; `item/…` for texts and sounds."""
    kind = "image" if suffix_of(sample.path) in PICTURES else "item"
    features: dict[str, Feature] = {
        f"{kind}/encoded": data,
        f"{kind}/filename": place,
        f"{kind}/format": suffix_of(sample.path)[1:].replace("jpg", "jpeg"),
        f"{kind}/class/label": numbers,
        f"{kind}/class/text": [name.encode() for name in names],
    }
    if sample.width and sample.height:
        features |= {"image/width": sample.width, "image/height": sample.height}
    return features
