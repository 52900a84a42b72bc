"""Real sets through their readers, with the counts their READMEs give."""

import contextlib
import io
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pycocotools import mask as mask_tools
from pycocotools.coco import COCO

from tests.datasets.formats import sets
from tidemill.datasets import formats
from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.formats.fitting import fit
from tidemill.datasets.media import pictures
from tidemill.datasets.notes import Note
from tidemill.datasets.sources import open_source
from tidemill.geometry.measure import area, bounds

Read = Callable[..., tuple[list[Label], list[Sample], list[Note]]]


@pytest.fixture
def read_set(real_data: Path, tmp_path: Path) -> Read:
    """Recognises a set, which must come out as the format named, and reads it."""

    def read(folder: str, name: str, **options: Any) -> tuple[list[Label], list[Sample], list[Note]]:
        with open_source(real_data / folder, scratch=tmp_path / folder.replace("/", "-")) as source:
            assert formats.recognise(source)[0][0] == name
            return sets.read(name, source, **options)

    return read


def kinds(samples: list[Sample]) -> dict[str, int]:
    return dict(Counter(a["type"] for s in samples for a in s.annotations))


def names(samples: list[Sample]) -> dict[str, int]:
    return dict(Counter(a["label"] for s in samples for a in s.annotations))


def test_blood_cells_in_pascal_voc(read_set: Read) -> None:
    labels, samples, notes = read_set("voc-bccd", "voc")
    assert len(samples) == 292
    assert all(s.file and s.width == 640 and s.height == 480 for s in samples)
    assert names(samples) == {"RBC": 3348, "Platelets": 292, "WBC": 301}
    # Two boxes of the set have no size.
    assert sorted(note.path for note in notes) == [
        "Annotations/BloodImage_00338.xml", "Annotations/BloodImage_00343.xml"]  # fmt: skip
    assert {s.split for s in samples} == {"train", "val"}
    assert len(labels) == 3


def test_coco_instances_keypoints_and_captions(read_set: Read) -> None:
    labels, samples, notes = read_set("coco-tiny", "coco")
    assert len(samples) == 50
    assert kinds(samples) == {"polygon": 465, "mask": 5, "keypoints": 57}
    used = {a["label"] for s in samples for a in s.annotations}
    assert len(used) == 49
    assert len([label for label in labels if label.parent or label.name == "person"]) == 80
    assert [(note.code, note.params["count"]) for note in notes] == [("coco_captions_ignored", 250)]
    person = next(label for label in labels if label.name == "person")
    assert person.skeleton is not None
    assert len(person.skeleton["points"]) == 17
    assert [1, 2] in person.skeleton["flips"]
    assert max(len(a["rings"]) for s in samples for a in s.annotations if a["type"] == "polygon") == 4
    assert sum(a.get("crowd", False) for s in samples for a in s.annotations) == 5


def test_coco_as_detection_is_boxes_alone(read_set: Read) -> None:
    _, samples, _ = read_set("coco-tiny", "coco", annotation_type="detection")
    assert kinds(samples) == {"box": 470}


def test_coco_agrees_with_pycocotools(real_data: Path, read_set: Read) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        oracle = COCO(str(real_data / "coco-tiny/annotations/instances_train2017.json"))
    _, samples, _ = read_set("coco-tiny", "coco", annotation_type="segmentation")
    found = {a["id"]: a for s in samples for a in s.annotations}
    assert len(found) == len(oracle.anns) == 470
    for identity, row in oracle.anns.items():
        ours = found[str(identity)]
        assert ours["label"] == oracle.cats[row["category_id"]]["name"]
        assert bounds(ours) == pytest.approx(row["bbox"], abs=1.1)
        if ours["type"] == "mask":
            assert area(ours) == mask_tools.area(oracle.annToRLE(row))


def test_coco_written_by_us_is_read_by_pycocotools(read_set: Read, tmp_path: Path) -> None:
    labels, samples, _ = read_set("coco-tiny", "coco")
    for s in samples:
        s.file = sets.picture()
    files, _ = sets.written("coco", samples, labels)
    (tmp_path / "out.json").write_bytes(files["annotations/instances_train.json"])
    with contextlib.redirect_stdout(io.StringIO()):
        oracle = COCO(str(tmp_path / "out.json"))
    assert len(oracle.imgs) == 50
    assert len(oracle.anns) == 470
    assert all(mask_tools.area(oracle.annToRLE(row)) > 0 for row in oracle.anns.values())
    assert sum(row.get("num_keypoints", 0) > 0 for row in oracle.anns.values()) == 57


@pytest.mark.parametrize(
    ("file", "images", "count", "points"),
    [
        ("300w/test_300w.json", 2, 2, 68), ("animalpose/test_animalpose.json", 2, 2, 20),
        ("ap10k/test_ap10k.json", 2, 2, 17), ("coco/test_coco.json", 4, 14, 17),
        ("coco/test_coco_wholebody.json", 4, 14, 17),
        ("coco/test_keypoint_partition_metric.json", 4, 14, 133), ("deepfasion2/deepfasion2.json", 2, 2, 294),
        ("onehand10k/test_onehand10k.json", 4, 4, 21), ("wflw/test_wflw.json", 2, 4, 98),
        ("zebra/test_zebra.json", 2, 2, 9),
    ],
)  # fmt: skip
def test_keypoints_of_many_kinds(read_set: Read, file: str, images: int, count: int, points: int) -> None:
    labels, samples, _ = read_set("keypoints-mix", "coco", files=[file], annotation_type="keypoints")
    annotated = [s for s in samples if s.annotations]
    assert len([s for s in samples if s.annotations or s.width]) == images
    assert sum(len(s.annotations) for s in annotated) == count
    found = [a for s in annotated for a in s.annotations if a["type"] == "keypoints"]
    assert found
    assert {len(a["points"]) for a in found} == {points}
    skeletons = {label.name: label.skeleton for label in labels if label.skeleton}
    assert all(len(skeletons[a["label"]]["points"]) == points for a in found)


def test_labelme_shapes_of_all_kinds(read_set: Read) -> None:
    _, samples, notes = read_set("labelme-examples", "labelme")
    assert notes == []
    assert len(samples) == 18
    assert kinds(samples) == {"polygon": 52, "box": 11, "circle": 1, "polyline": 2, "point": 1, "mask": 1, "class": 2}
    # Some of the 56 polygons are parts of one object.
    assert sum(len(a["rings"]) for s in samples for a in s.annotations if a["type"] == "polygon") == 56


def test_labelme_agrees_with_labelmes_own_conversions(real_data: Path, tmp_path: Path) -> None:
    with open_source(real_data / "labelme-examples/instance_segmentation", scratch=tmp_path) as source:
        _, ours, _ = sets.read("labelme", source)
        _, theirs, _ = sets.read("coco", source, files=["expected_coco/annotations.json"])
    by_name = {s.path.rpartition("/")[2]: s for s in theirs if s.annotations}
    assert len(ours) == 3
    for s in ours:
        expected = sizes(by_name[s.path.rpartition("/")[2]])
        found = sizes(s)
        assert [name for name, _ in found] == [name for name, _ in expected]
        assert [size for _, size in found] == pytest.approx([size for _, size in expected], rel=0.03)


def sizes(s: Sample) -> list[tuple[str, float]]:
    return sorted((a["label"], area(a)) for a in s.annotations if a["label"] != "__ignore__")


def test_yolo_boxes_and_outlines(read_set: Read) -> None:
    labels, samples, notes = read_set("yolo-coco128", "yolo", annotation_type="detection")
    assert len(samples) == 22
    assert kinds(samples) == {"box": 89}
    assert sum(s.state == "labelled" for s in samples) == 20
    assert labels[0].name == "person"
    assert [note.code for note in notes] == ["yolo_several_label_folders"]
    labels, samples, _ = read_set("yolo-coco128", "yolo", labels="labels-segment")
    assert sum(s.state == "labelled" for s in samples) == 22
    assert set(kinds(samples)) == {"polygon"}
    # The numbers of the outlines are COCO's, and so are the names given with them.
    assert "person" in names(samples)
    assert names(samples)["person"] > 10


def test_masks_by_class_number(read_set: Read) -> None:
    labels, samples, notes = read_set("seg-camvid", "masks")
    assert notes == []
    assert Counter(s.split for s in samples) == {"train": 10, "val": 3, "test": 3}
    assert set(kinds(samples)) == {"mask"}
    assert {label.name for label in labels} == {f"class_{i}" for i in range(12)}
    for s in samples:
        assert (s.width, s.height) == (480, 360)
        assert sum(area(a) for a in s.annotations) == 480 * 360


def test_masks_with_names_from_a_yaml(real_data: Path) -> None:
    with open_source(real_data / "yolo-coco128", scratch=real_data / "unused") as source:
        labels, samples, _ = sets.read("masks", source, masks="masks-semantic")
    assert sum(bool(s.annotations) for s in samples) == 22
    assert "person" in {label.name for label in labels}
    assert "unlabeled" not in names(samples)


def test_flowers_in_class_folders(read_set: Read) -> None:
    _, samples, _ = read_set("cls-flowers", "folders")
    assert names(samples) == dict.fromkeys(["daisy", "dandelion", "rose", "sunflower", "tulip"], 100)


def test_spoken_digits_named_by_their_class(real_data: Path) -> None:
    with open_source(real_data / "audio-spoken-digits", scratch=real_data / "unused") as source:
        _, samples, _ = sets.read("folders", source, pattern=r"^(?P<label>\d)_")
    assert names(samples) == {str(digit): 24 for digit in range(10)}


def test_receipts_with_text_and_fields(read_set: Read) -> None:
    _, samples, notes = read_set("ocr-sroie", "ocr")
    assert notes == []
    assert len(samples) == 16
    assert sum(len(s.annotations) for s in samples) == 795
    assert all(a["text"] for s in samples for a in s.annotations)
    assert any("," in a["text"] for s in samples for a in s.annotations)
    assert all("total" in s.info["fields"] for s in samples)


def test_street_texts_words_and_receipts(read_set: Read) -> None:
    _, samples, notes = read_set("ocr-icdar-toy", "ocr")
    folders = Counter(s.path.partition("/")[0] for s in samples)
    assert folders == {"det": 10, "rec": 10, "kie-wildreceipt": 2}
    words = {s.path: s.annotations for s in samples if s.path.startswith("rec/")}
    assert words["rec/imgs/1223731.jpg"][0]["text"] == "GRAND"
    assert any(a["label"] == "Store_name_value" and a["text"] == "SAFEWAY" for s in samples for a in s.annotations)
    # The words are labelled in three files; two of them were passed over.
    assert Counter(note.code for note in notes) == {"annotated_twice": 20}


def test_chinese_lines(read_set: Read) -> None:
    _, samples, _ = read_set("ocr-chinese-lines", "ocr")
    texts = {s.path: [a["text"] for a in s.annotations] for s in samples}
    assert len(texts) == 9
    assert texts["20457890_2399557098.jpg"] == ["就会哈哈大笑。3.0"]
    assert texts["helloworld.jpg"] == ["Hello world!你好世界"]


@pytest.mark.parametrize(
    ("folder", "rows", "classes"),
    [
        ("text-zh-waimai", 11987, {"1": 4000, "0": 7987}),
        ("text-en-movie", 10662, {"pos": 5331, "neg": 5331}),
    ],
)
def test_texts_with_classes(read_set: Read, folder: str, rows: int, classes: dict[str, int]) -> None:
    _, samples, notes = read_set(folder, "table")
    assert notes == []
    assert len(samples) == rows
    assert names(samples) == classes
    assert all(isinstance(s.file, bytes) and s.file for s in samples)


def test_chinese_titles_with_named_classes(read_set: Read) -> None:
    labels, samples, _ = read_set("text-zh-thucnews", "table")
    assert len(samples) == 10000
    assert set(names(samples).values()) == {1000}
    assert samples[0].file == "体验2D巅峰 倚天屠龙记十大创新概览".encode()
    assert samples[0].annotations[0]["label"] == "game"
    assert len(labels) == 10


def test_tables_packed_and_plain(read_set: Read) -> None:
    _, samples, notes = read_set("tabular", "table")
    assert notes == []
    rows = Counter(s.path.partition("/")[0] for s in samples)
    assert rows == {"titanic": 1309, "adult": 32561, "iris": 150, "wine_data": 178, "breast_cancer": 569,
                    "digits": 1797, "diabetes_data_raw": 442, "diabetes_target": 442}  # fmt: skip
    iris = Counter(s.annotations[0]["label"] for s in samples if s.path.startswith("iris/"))
    assert iris == {"setosa": 50, "versicolor": 50, "virginica": 50}


def test_a_chosen_column_is_the_class_of_a_table(real_data: Path, tmp_path: Path) -> None:
    with open_source(real_data / "tabular/titanic.csv", scratch=tmp_path) as source:
        _, samples, _ = sets.read("table", source, data_type="table", label_column="survived")
    assert sum(names(samples).values()) == 1309
    assert b"Allen, Miss. Elisabeth Walton" in samples[0].file  # type: ignore[operator]


LAYOUTS = {
    "voc_dataset/voc_dataset1": ("voc", {"box": 2}), "voc_dataset/voc_dataset2": ("voc", {"box": 4}),
    "voc_dataset/voc_dataset3": ("voc", {"box": 1}), "labelme_dataset": ("voc", {"polygon": 4, "box": 3}),
    "coco_dataset/coco": ("coco", {"keypoints": 3, "mask": 2, "polygon": 1}),
    "coco_dataset/coco_instances": ("coco", {"box": 1, "polygon": 1, "mask": 1}),
    "coco_dataset/coco_roboflow": ("coco", {"box": 1, "polygon": 1, "mask": 1}),
    "coco_dataset/mmdet_coco": ("coco", {"box": 1, "polygon": 1, "mask": 1}),
    "coco_dataset/coco_stuff": ("coco", {"mask": 2}), "coco_dataset/coco_labels": ("coco", {"class": 3}),
    "coco_dataset/coco_image_info": ("coco", {}), "coco_dataset/coco_captions": ("coco", {}),
    "yolo_dataset/labels": ("yolo", {"box": 4}), "yolo_dataset/annotations": ("yolo", {"box": 2}),
    "yolo_dataset/strict": ("yolo", {"box": 2}),
    "icdar_dataset/text_localization": ("ocr", {"polygon": 1, "box": 2}),
    "icdar_dataset/word_recognition": ("ocr", {"box": 2}),
    "camvid_dataset": ("masks", None), "imagenet_dataset": ("folders", {"class": 3}),
    "imagenet_txt_dataset/basic": ("table", {"class": 4}),
    "common_semantic_segmentation_dataset/dataset": ("masks", {"mask": 4}),
    "common_semantic_segmentation_dataset/non_standard_dataset": ("masks", {"mask": 5}),
    "image_dir_dataset": ("files", {}),
}  # fmt: skip


@pytest.mark.parametrize("folder", LAYOUTS)
def test_another_tools_layouts(read_set: Read, folder: str) -> None:
    name, expected = LAYOUTS[folder]
    _, samples, _ = read_set(f"peer-datumaro/{folder}", name)
    assert samples
    if expected is not None:
        assert kinds(samples) == expected


def test_annotations_lie_inside_their_pictures(real_data: Path, tmp_path: Path) -> None:
    for folder, name in (
        ("coco-tiny", "coco"),
        ("yolo-coco128", "yolo"),
        ("labelme-examples", "labelme"),
        ("ocr-sroie", "ocr"),
    ):
        with open_source(real_data / folder, scratch=tmp_path / folder) as source:
            for s in sets.read(name, source)[1]:
                assert isinstance(s.file, str)
                with source.open(s.file) as file:
                    before = len(s.annotations)
                    fit(s, pictures.probe(file))
                assert len(s.annotations) >= before - 1


def test_an_archive_gives_the_same_as_its_folder(real_data: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "set"), "zip", real_data / "voc-bccd")
    shutil.make_archive(str(tmp_path / "set"), "gztar", real_data / "voc-bccd")
    found = []
    for path in (real_data / "voc-bccd", tmp_path / "set.zip", tmp_path / "set.tar.gz"):
        with open_source(path, scratch=tmp_path / f"scratch-{path.name}") as source:
            found.append(sets.read("voc", source)[1])
    assert found[0] == found[1] == found[2]
