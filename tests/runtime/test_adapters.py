"""Models of others say of real pictures what they are known to say."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tidemill.evaluation import reading
from tidemill.evaluation.overlaps import of_boxes
from tidemill.geometry import rle
from tidemill.runtime import Model, Unfit, load
from tidemill.runtime.text_regions import grown, pieces, smallest_rectangle

pytest.importorskip("onnxruntime")


@pytest.fixture
def models(real_data: Path) -> Path:
    return real_data / "models"


def opened(tmp_path: Path, folder: Path, adapter: str, task: str, **more: Any) -> Model:
    """The model of a folder as the catalogue installs it: its files, and what runs them."""
    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    first = next((file.name for file in sorted(folder.glob("*.onnx"))), "")
    (tmp_path / "model.json").write_text(json.dumps({"task": task, "adapter": adapter, "file": first, **more}))
    return load(tmp_path)


def test_yolox_finds_most_of_what_people_marked_in_photographs(tmp_path: Path, models: Path, real_data: Path) -> None:
    """Fewer pictures than the published count (128 of 179 right) was made from."""
    model = opened(tmp_path, models / "detect-yolox-nano", "yolox", "object-detection")
    found = right = 0
    for picture, truth in _coco_pictures(real_data / "coco-tiny", 12):
        (said,) = model.predict([picture])
        assert all(one["score"] >= 0.35 for one in said.annotations)
        found += len(said.annotations)
        right += sum(_is_right(one, truth) for one in said.annotations)
    assert found > 20
    assert right / found > 0.55


def _coco_pictures(folder: Path, most: int) -> list[tuple[Path, list[tuple[str, list[float]]]]]:
    file = next(iter(sorted((folder / "annotations").glob("instances*.json"))))
    content = json.loads(file.read_text())
    names = {one["id"]: one["name"] for one in content["categories"]}
    truths: dict[int, list[tuple[str, list[float]]]] = {}
    for one in content["annotations"]:
        truths.setdefault(one["image_id"], []).append((names[one["category_id"]], one["bbox"]))
    pictures = [(folder / "train2017" / one["file_name"], truths.get(one["id"], [])) for one in content["images"]]
    return [one for one in pictures if one[0].is_file()][:most]


def _is_right(found: dict[str, Any], truth: list[tuple[str, list[float]]]) -> bool:
    there = np.array([box for name, box in truth if name == found["label"]], dtype=np.float64).reshape(-1, 4)
    return bool((of_boxes(np.array([[found[side] for side in "xywh"]]), there) >= 0.5).any())


@pytest.mark.parametrize(
    ("picture", "name", "score"), [("cat.png", "Egyptian cat", 215), ("bird.png", "chickadee", 254)]
)
def test_mobilenet_knows_the_cat_and_the_bird(
    tmp_path: Path, models: Path, picture: str, name: str, score: int
) -> None:
    model = opened(tmp_path, models / "classify-mobilenetv2-int8", "mobilenet", "image-classification")
    (said,) = model.predict([models / "sample-inputs" / picture])
    assert said.annotations[0]["label"] == name
    assert said.annotations[0]["score"] == pytest.approx(score / 255, abs=0.1)
    assert "background" not in model.labels


@pytest.mark.parametrize(("picture", "name", "share"), [("cat.png", "cat", 0.364), ("squat.png", "person", 0.159)])
def test_deeplab_covers_the_cat_and_the_person(
    tmp_path: Path, models: Path, picture: str, name: str, share: float
) -> None:
    model = opened(tmp_path, models / "segment-deeplabv3-mnv2", "deeplab", "segmentation")
    (said,) = model.predict([models / "sample-inputs" / picture])
    areas = {one["label"]: _mask_share(one) for one in said.annotations}
    assert max(areas, key=lambda label: areas[label]) == name
    assert areas[name] == pytest.approx(share, abs=0.01)


def _mask_share(mask: dict[str, Any]) -> float:
    return rle.area(rle.counts_of(mask["rle"])) / (mask["size"][0] * mask["size"][1])


def test_movenet_is_near_its_reference(tmp_path: Path, models: Path) -> None:
    model = opened(tmp_path, models / "pose-movenet-lightning", "movenet", "keypoints")
    file = models / "sample-inputs" / "squat.png"
    (said,) = model.predict([file])
    (person,) = said.annotations
    with (models / "sample-inputs" / "squat_movenet_reference.csv").open() as lines:
        wanted = [(float(row["keypoint_x"]), float(row["keypoint_y"])) for row in csv.DictReader(lines)]
    with Image.open(file) as picture:
        size = picture.size
    got = np.array([[x / size[0], y / size[1]] for x, y, _ in person["points"]])
    assert np.hypot(*(got - wanted).T).mean() < 0.03
    assert person["label"] == "person"


@pytest.mark.parametrize("task", ["object-detection", "keypoints"])
def test_yunet_finds_a_face(tmp_path: Path, models: Path, real_data: Path, task: str) -> None:
    model = opened(tmp_path, models / "face-yunet", "yunet", task)
    (file,) = list((real_data / "keypoints-mix" / "300w").glob("*.*g"))[:1]
    (said,) = model.predict([file])
    best = said.annotations[0]
    assert best["label"] == "face"
    assert best["score"] > 0.8
    assert ("points" in best) == (task == "keypoints")


def test_ppocr_reads_chinese(tmp_path: Path, models: Path, real_data: Path) -> None:
    model = opened(tmp_path, models / "ocr-ppocrv4", "ppocr", "ocr")
    (said,) = model.predict([real_data / "ocr-chinese-lines" / "20457890_2399557098.jpg"])
    wanted = _transcription(real_data / "ocr-chinese-lines" / "transcriptions.tsv", "20457890_2399557098.jpg")
    got = "".join(one["text"] for one in said.annotations).replace(" ", "")
    assert reading.character_error_rate([(wanted, got)]) < 0.1
    assert all(one["label"] == "text" for one in said.annotations)


def _transcription(file: Path, picture: str) -> str:
    """All lines of a picture; blanks do not count."""
    with file.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["file"] == picture]
    return "".join(row["text"] for row in rows).replace(" ", "")


def test_a_model_whose_labels_do_not_fit_is_refused(tmp_path: Path, models: Path) -> None:
    with pytest.raises(Unfit, match="80 outputs, but 1 labels"):
        opened(tmp_path, models / "detect-yolox-nano", "yolox", "object-detection", labels=[{"name": "boat"}])


def test_rapidocr_says_what_to_install_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.runtime.adapters.rapidocr.find_spec", lambda _: None)
    (tmp_path / "model.json").write_text(json.dumps({"task": "ocr", "adapter": "rapidocr"}))
    with pytest.raises(Unfit, match="not installed"):
        load(tmp_path)


def test_pieces_hang_together_by_their_corners() -> None:
    mask = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]], dtype=bool)
    assert sorted(len(rows) for rows, _ in pieces(mask)) == [1, 1, 2, 2]
    around = np.ones((5, 5), dtype=bool)
    around[1:4, 1:4] = False
    around[2, 2] = True
    assert [len(rows) for rows, _ in pieces(around)] == [16, 1]


def test_the_smallest_rectangle_is_turned_with_its_points() -> None:
    turn = np.radians(30)
    across, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    points = np.array([100 + across * a + down * b for a in range(0, 81, 4) for b in range(0, 21, 4)])
    corners = smallest_rectangle(points)
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    assert sorted(sides) == pytest.approx([20, 20, 80, 80])
    assert np.linalg.norm(np.roll(grown(corners), -1, axis=0) - grown(corners), axis=1).min() > 20
