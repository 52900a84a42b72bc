"""What a format can carry comes back as it was; what it cannot is counted."""

from typing import Any

import numpy as np
import pytest

from tests.datasets.formats import sets
from tidemill.datasets import formats
from tidemill.datasets.formats.base import Annotation, Label, Sample
from tidemill.datasets.notes import Note
from tidemill.datasets.sources import MemorySource
from tidemill.geometry import polygons, rle

EXTRAS: Annotation = sets.BOX | {
    "truncated": True,
    "occluded": True,
    "difficult": True,
    "attributes": {"colour": "red", "old": True},
}
CARRIED: dict[str, list[Annotation]] = {
    "tidemill": [sets.BOX, sets.TURNED, sets.POLYGON, sets.PARTS, sets.HOLED, sets.MASK, sets.POINTS, sets.LINE,
                 sets.POINT, sets.CIRCLE, sets.CLASS, sets.SEGMENT,
                 EXTRAS | {"score": 0.5, "track": "t1", "group": 4, "crowd": True}],
    "coco": [sets.BOX, sets.TURNED, sets.POLYGON, sets.PARTS, sets.MASK, sets.MASK | {"crowd": True}, sets.POINTS,
             EXTRAS | {"score": 0.5, "track": "t1", "group": 4, "text": "x", "order": 3}],
    "voc": [sets.BOX, sets.TURNED, sets.POLYGON, EXTRAS | {"attributes": {"colour": "red"}}],
    "labelme": [sets.BOX, sets.POLYGON, sets.MASK, sets.LINE, sets.POINT, sets.CIRCLE, sets.CLASS,
                EXTRAS | {"group": 4, "text": "x", "score": 0.5}],
    "yolo": [sets.BOX, sets.POLYGON],
    "paddleocr": [sets.TEXT, sets.WORD, sets.ILLEGIBLE],
    "icdar": [sets.TEXT, sets.WORD, sets.ILLEGIBLE],
    "folders": [sets.CLASS],
    "masks": [sets.MASK, sets.MASK | {"label": "dog"}],
}  # fmt: skip


@pytest.mark.parametrize("name", CARRIED)
def test_a_set_comes_back_as_it_was(name: str) -> None:
    samples = (
        sets.every(*CARRIED[name]) if name != "masks" else [sets.sample(i, a) for i, a in enumerate(CARRIED[name])]
    )
    labels = [Label("text")] if name in {"paddleocr", "icdar"} else sets.LABELS
    if name == "coco":
        samples[0].annotations = [a for a in samples[0].annotations if a["type"] != "keypoints"]
    if name == "folders":
        samples = samples[1:]
    files, notes = sets.written(name, samples, labels)
    assert [note.code for note in notes] == []
    # YOLO has no word for a turned box that is not read as an outline.
    _, found, problems = sets.read(name, files)
    assert problems == []
    if name == "folders":
        found = [s for s in found if "unlabelled" not in s.path]
        samples = samples[:-1]
    assert sets.by_name(found) == sets.by_name(samples)
    if name not in {"folders", "icdar", "paddleocr", "labelme", "masks", "voc"}:
        assert {s.split for s in found} == {
            s.split or {"coco": "default", "yolo": "train"}.get(name) for s in samples
        } or name == "coco"


def test_a_second_round_changes_nothing() -> None:
    for name, carried in CARRIED.items():
        labels = [Label("text")] if name in {"paddleocr", "icdar"} else sets.LABELS
        given = [sets.sample(number, annotation) for number, annotation in enumerate(carried)]
        files, _ = sets.written(name, given, labels)
        found_labels, once, _ = sets.read(name, files)
        for s in once:
            s.file, s.width, s.height = files[s.file] if isinstance(s.file, str) else s.file, sets.W, sets.H
        again, _ = sets.written(name, once, found_labels)
        _, twice, _ = sets.read(name, again)
        assert sets.by_name(twice) == sets.by_name(once), name


def test_tidemill_keeps_labels_states_and_all_that_is_known_of_an_item() -> None:
    labels = [
        Label("animal", number=7, colour="#123456", shortcut="a", attributes=[{"name": "age", "type": "number"}]),
        Label("cat", "animal", number=3),
        Label("person", skeleton=sets.SKELETON, number=9),
    ]
    item = sets.sample(1, sets.BOX, split="test")
    item.info, item.state, item.duration = {"frame": 3, "phash": "00ff"}, "reviewed", 1.5
    files, _ = sets.written("tidemill", [item], labels, about={"annotation_type": "detection"})
    found_labels, found, notes = sets.read("tidemill", files)
    assert notes == []
    assert found_labels == labels
    item.file = item.path
    assert found == [item]
    assert b'"annotation_type"' in files["dataset.json"]


def test_yolo_pose_and_turned_boxes_come_back() -> None:
    files, notes = sets.written("yolo", [sets.sample(1, sets.POINTS)], sets.LABELS, task="pose")
    labels, found, _ = sets.read("yolo", files)
    assert notes == []
    assert sets.plain(found[0].annotations) == sets.plain([sets.POINTS])
    assert labels[2].skeleton == sets.SKELETON
    files, _ = sets.written("yolo", [sets.sample(1, sets.TURNED, sets.TURNED | {"x": 20.0})], sets.LABELS, task="obb")
    _, found, _ = sets.read("yolo", files)
    assert sets.plain(found[0].annotations) == sets.plain([sets.TURNED, sets.TURNED | {"x": 20.0}])


def test_classes_and_stretches_of_sound_come_back_from_csv_and_manifests() -> None:
    several = sets.sample(1, sets.CLASS, sets.OTHER_CLASS)
    sound = sets.sample(
        2, sets.SEGMENT, sets.SEGMENT | {"start": 2.0, "end": 3.0, "text": "wau", "label": "dog"}, suffix=".wav"
    )
    for name in ("csv", "audio-manifest"):
        files, notes = sets.written(name, [several, sound])
        assert notes == []
        _, found, problems = sets.read(name, files)
        assert problems == []
        assert sets.by_name(found) == sets.by_name([several, sound])


def test_texts_come_back_from_csv() -> None:
    texts = [
        Sample(f"r/{i}.txt", text.encode(), [sets.CLASS])
        for i, text in enumerate(["=1+1, really", 'She said "no".\nTwice.', "很好吃，下次再来"])
    ]
    files, _ = sets.written("csv", texts)
    _, found, notes = sets.read("csv", files, data_type="text")
    assert notes == []
    assert [s.file for s in found] == [s.file for s in texts]


@pytest.mark.parametrize(
    ("name", "lost", "reduced"),
    [
        ("voc", {"class", "segment", "point"}, {"mask", "keypoints", "circle", "polyline"}),
        ("coco", {"class", "segment", "point", "polyline"}, {"circle"}),
        ("yolo", {"class", "segment", "point", "polyline"}, {"circle", "mask"}),
        ("labelme", {"segment", "keypoints"}, {"box"}),
        ("masks", {"class", "segment", "point", "polyline", "keypoints"}, set()),
        ("folders", {"box", "polygon", "mask", "keypoints", "polyline", "point", "circle", "segment"}, set()),
        ("paddleocr", {"class", "segment", "point", "polyline", "keypoints", "circle"}, set()),
    ],
)  # fmt: skip
def test_what_a_format_cannot_carry_is_counted(name: str, lost: set[str], reduced: set[str]) -> None:
    annotations = [
        sets.BOX,
        sets.TURNED,
        sets.POLYGON,
        sets.MASK,
        sets.POINTS,
        sets.LINE,
        sets.POINT,
        sets.CIRCLE,
        sets.CLASS,
        sets.SEGMENT,
    ]
    _, notes = sets.written(name, [sets.sample(1, *annotations), sets.sample(2, *annotations)])
    skipped = {note.params["type"]: note.params["count"] for note in notes if note.code == "annotation_not_carried"}
    assert set(skipped) == lost
    assert all(count == (4 if kind == "box" else 2) for kind, count in skipped.items())
    changed = {
        note.params["type"] for note in notes if note.code in {"annotation_reduced_to_box", "annotation_outlined"}
    }
    assert changed == reduced
    for note in notes:
        assert "{" not in note.words("en") + note.words("zh-CN")


@pytest.mark.parametrize("name", ["coco", "labelme"])
def test_a_polygon_with_a_hole_becomes_a_mask_of_the_same_pixels(name: str) -> None:
    files, notes = sets.written(name, [sets.sample(1, sets.HOLED)])
    assert [note.code for note in notes] == ["polygon_with_holes_as_mask"]
    mask = sets.read(name, files)[1][0].annotations[0]
    expected = polygons.fill(sets.HOLED["rings"], [1], sets.H, sets.W)
    assert (rle.decode(rle.counts_of(mask["rle"]), sets.H, sets.W) == expected).all()


def test_labelme_parts_of_one_object_stay_together() -> None:
    files, _ = sets.written("labelme", [sets.sample(1, sets.PARTS, sets.PARTS)])
    found = sets.read("labelme", files)[1][0].annotations
    assert [a["rings"] for a in found] == [sets.PARTS["rings"]] * 2


def test_coco_keypoints_with_an_outline_stay_one_row() -> None:
    outline = sets.POLYGON | {"label": "person", "group": 5}
    files, _ = sets.written("coco", [sets.sample(1, outline, sets.POINTS | {"group": 5})])
    assert files["annotations/instances_default.json"].count(b'"image_id"') == 1
    found = sets.read("coco", files)[1][0].annotations
    assert sets.plain(found) == sets.plain([outline, sets.POINTS | {"group": 5}])


@pytest.mark.parametrize("name", formats.WRITERS)
def test_every_format_writes_a_set_without_items(name: str) -> None:
    files, notes = sets.written(name, [])
    assert notes == []
    assert sets.read(name, files)[1] == []


@pytest.mark.parametrize("name", formats.WRITERS)
def test_without_data_only_annotations_are_written(name: str) -> None:
    from tidemill.datasets.formats.targets import MemoryTarget

    target = MemoryTarget()
    formats.writer(name).write(sets.LABELS, [sets.sample(1, sets.BOX, sets.CLASS)], target, {}, None)
    assert not [path for path in target.files if path.endswith("img1.png") and "masks" not in path]


def test_pictures_of_the_same_name_keep_their_own_annotations() -> None:
    twins: list[Any] = [
        Sample("a/x.png", sets.picture(1), [sets.BOX], sets.W, sets.H),
        Sample("b/x.png", sets.picture(2), [sets.BOX | {"x": 9.0}], sets.W, sets.H),
        Sample("b/x.jpg", sets.picture(3), [sets.BOX | {"x": 11.0}], sets.W, sets.H),
    ]
    for name in ("coco", "voc", "yolo", "tidemill"):
        files, _ = sets.written(name, twins)
        _, found, _ = sets.read(name, files)
        assert sorted(round(s.annotations[0]["x"], 2) for s in found) == [4.5, 9.0, 11.0], name
        assert np.unique([s.file for s in found]).size == 3, name


def codes(notes: list[Note]) -> dict[tuple[str, str], int]:
    return {(note.code, note.params["type"]): note.params["count"] for note in notes}


def test_what_a_format_has_no_place_for_is_counted() -> None:
    crowd = sets.BOX | {"crowd": True, "attributes": {"colour": "red"}}
    samples = [sets.sample(0, crowd, sets.BOX | {"truncated": True})]
    assert codes(sets.written("coco", samples)[1]) == codes(sets.written("labelme", samples)[1]) == {}
    assert codes(sets.written("voc", samples)[1]) == {("field_not_carried", "crowd"): 1}
    lost = {("field_not_carried", name): 1 for name in ("crowd", "attributes", "truncated")}
    assert codes(sets.written("yolo", samples)[1]) == lost
    named = [sets.sample(0, sets.TEXT | {"label": "price"})]
    assert codes(sets.written("icdar", named)[1]) == {("field_not_carried", "label"): 1}


def test_objects_that_become_pixels_are_counted() -> None:
    apart = [sets.sample(0, sets.MASK)]
    assert sets.written("masks", apart)[1] == []
    samples = [sets.sample(0, sets.MASK, sets.MASK, sets.POLYGON)]
    found = codes(sets.written("masks", samples)[1])
    assert found == {("annotation_painted", "mask"): 1, ("annotation_painted", "polygon"): 1}


@pytest.mark.parametrize(("name", "folder"), [("yolo", "labels"), ("masks", "masks")])
def test_items_nobody_looked_at_come_back_as_such(name: str, folder: str) -> None:
    untouched, empty, full = sets.sample(0), sets.sample(1), sets.sample(2, sets.MASK)
    untouched.state = "unlabelled"
    files, _ = sets.written(name, [untouched, empty, full])
    assert sum(path.startswith(f"{folder}/") for path in files) == 2
    states = {s.path[-8:]: s.state for s in sets.read(name, files)[1]}
    assert states == {"img0.png": None, "img1.png": "labelled", "img2.png": "labelled"}


def test_rows_come_back_as_the_tables_they_were() -> None:
    iris = "sepal,petal,species\n" + "".join(f'{n}.5,"{n},2",{"rose" if n % 2 else "lily"}\n' for n in range(12))
    plain = "".join(f"{n} {n + 1} {n * 2}\n" for n in range(9))
    labels, rows, _ = sets.read(
        "table", {"iris.csv": iris.encode(), "sub/plain.txt": plain.encode()}, data_type="table"
    )
    assert len(rows) == 21
    rows[3].annotations.append({"type": "class", "label": "late"})
    rows[4].split = "test"
    files, notes = sets.written("csv", rows, labels, data_type="table")
    assert set(files) == {"iris.csv", "sub/plain.csv"}
    assert codes(notes) == {("annotation_not_carried", "class"): 1}
    rows[3].annotations.pop()
    assert formats.recognise(MemorySource(files))[0][0] == "table"
    _, again, _ = sets.read("table", files, data_type="table")
    assert {s.path: (s.file, sets.plain(s.annotations), s.split) for s in again} == {
        s.path: (s.file, sets.plain(s.annotations), s.split) for s in rows
    }
