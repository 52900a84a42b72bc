"""Broken files of every format: notes, never an exception."""

import random
import re
from collections.abc import Iterator

import pytest

from tests.datasets.formats import sets
from tidemill.datasets import formats
from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import find_words
from tidemill.datasets.sources import MemorySource

_INTERNALS = re.compile(r"[{}<>]|Error|Errno|object at|Traceback|NoneType|__|\bint\b|\bstr\b|\bdict\b|\blist\b\W")
_MEDIA = (".png", ".wav")
PATHS = ["a.json", "a.xml", "a.txt", "a.csv", "labels/a.txt", "annotations.jsonl", "gt_a.txt", "data.yaml"]
_COCO = (
    b'{"images":[{"id":1,"file_name":"a.png"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3]},'
    b'{"image_id":1,"category_id":1,"segmentation":{"size":[99999999,99999999],"counts":"00"}},'
    b'{"image_id":1,"category_id":1,"segmentation":[[1,2]],"keypoints":[1,2]},{"image_id":1,"category_id":{}}],'
    b'"categories":[{"id":1,"name":"a","keypoints":5,"skeleton":[[1]]}]}'
)
_HOSTILE = [
    b"",
    b"\0" * 50,
    b"{",
    b"[[[[[[",
    b'{"shapes": 5}',
    b'{"images": {}, "annotations": [1, null, "x", {"image_id": []}], "categories": [7]}',
    b'{"shapes": [null, 1, {"label": null, "points": [[1]]}], "imagePath": 7, "imageData": 9, "flags": []}',
    b"<annotation>",
    b"<annotation><object><name>a</name><bndbox><xmin>NaN</xmin></bndbox></object></annotation>",
    b'<!DOCTYPE a [<!ENTITY b "bbbb">]><annotation>&b;</annotation>',
    b"0 nan 0 0 0\n1 2\n-1 0.5 0.5 0.1 0.1\n9999999999999 .5 .5 .1 .1\n",
    b"a,b\n" + b'"' * 99,
    b"\xff\xfe" + "a\tb\n".encode("utf-16-le"),
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b"1e999,1e999,1,1,1,1,1,1,x\n",
    b'{"path": 5, "annotations": [{"type": "box"}]}\n{"path": "a", "annotations": 7}\nnull\n',
    b"images/a.png\t[{}]\nimages/a.png\t[1]\n",
    _COCO,
]


def damaged(data: bytes, seed: int) -> Iterator[bytes]:
    """Cut, with bytes changed, with pieces moved and doubled, with other words for numbers."""
    chance = random.Random(seed)
    yield data[: chance.randrange(len(data) + 1)]
    for _ in range(3):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            if changed:
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        yield bytes(changed)
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    yield data[:a] + data[b:]
    yield data[:b] + data[a:]
    digits = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    for word in (b"null", b'"x"', b"-1e400", b"[]", b"{}"):
        at = chance.choice(digits) if digits else 0
        yield data[:at] + word + data[at + 1 :]


def check_words(note: Note) -> None:
    """A line of a report is for people: nothing of Python's or a library's shines through, and no gap is left open."""
    for language in ("en", "zh-CN"):
        told = note.words(language)
        for value in note.params.values():
            told = told.replace(str(value), "") if value != "" else told
        assert not _INTERNALS.search(told), told
    reason = note.params.get("reason")
    assert reason is None or find_words(str(reason), "en") is not None, note


def read_all(name: str, files: dict[str, bytes]) -> None:
    for found in formats.reader(name).read(MemorySource(files), {}):
        if isinstance(found, Note):
            check_words(found)
        else:
            assert isinstance(found, Label | Sample)


@pytest.mark.parametrize("name", sorted({*formats.READERS, *formats.WRITERS}))
def test_damaged_files_make_notes(name: str) -> None:
    whole = formats.sample(name)
    for path, data in whole.items():
        for seed in range(1 if path.endswith(_MEDIA) else 6):
            for broken in damaged(data, seed):
                read_all(name, whole | {path: broken})
        formats.recognise(MemorySource(whole | {path: next(damaged(data, 7))}))


@pytest.mark.parametrize("name", formats.READERS)
def test_hostile_files_make_notes(name: str) -> None:
    whole = formats.sample("files" if name == "files" else name)
    beside = sets.picture()
    for path in [*whole, *PATHS]:
        if path.endswith(_MEDIA):
            continue
        for data in _HOSTILE:
            read_all(name, whole | {"a.png": beside, path: data})


@pytest.mark.parametrize("path", PATHS)
def test_hostile_files_can_be_judged(path: str) -> None:
    for data in _HOSTILE:
        formats.recognise(MemorySource({"a.png": sets.picture(), path: data}))


@pytest.mark.parametrize("name", ["yolo", "masks", "ocr", "labelme", "folders"])
def test_damaged_pictures_make_notes(name: str) -> None:
    whole = formats.sample(name)
    for path, data in whole.items():
        if path.endswith(".png"):
            for broken in (b"", data[:20], data[:60], data[:-30], b"\xff\xd8\xff\xe0", b"GIF89a"):
                read_all(name, whole | {path: broken})
