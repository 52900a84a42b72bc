"""Algorithms for things in pictures learn from drawn ones, and what they leave works: in seconds, so only a little."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.algorithms import drawn
from tests.algorithms.running import Workspace
from tidemill import runtime
from tidemill.runtime import Prediction

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
pytestmark = [
    pytest.mark.slow,
    # What torch and its exporter say of themselves is not ours.
    pytest.mark.filterwarnings("ignore"),
]

TWO = [{"name": "square"}, {"name": "disc"}]
ARROW = [{"name": "arrow", "skeleton": {"points": ["tail", "head"], "edges": [[0, 1]]}}]
QUICK = {"image_size": 64, "model_size": "tiny", "batch_size": 4, "augmentation": "none", "average": 0.5}
Train = Callable[..., Workspace]


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    """Trains once in a workspace of its own, from a model if one is given."""
    torch.set_num_threads(1)

    def made(task: str, dataset: Path, start: Path | None = None, **parameters: Any) -> Workspace:
        space = Workspace(tmp_path / f"{task}{'-further' if start else ''}", task)
        space.dataset.parent.mkdir(parents=True)
        space.dataset.symlink_to(dataset)
        if start is not None:
            (space.folder / "model").mkdir()
            (space.folder / "model" / "start").symlink_to(start)
        space.train(monkeypatch, **QUICK | parameters)
        return space

    return made


def said(space: Workspace) -> Prediction:
    """What the model that was left says of the first picture, of which nobody tells it anything."""
    (prediction,) = runtime.load(space.out).predict([space.dataset / "001.png"], threshold=0.02)
    return prediction


def test_a_detector_learns_to_find_things(tmp_path: Path, train: Train) -> None:
    dataset = drawn.publish(tmp_path / "shapes", "detection", TWO, 16, drawn.boxes)
    space = train("object-detection", dataset, epochs=8, learning_rate=0.005)
    assert space.evaluation["metrics"]["map_50"] > 0.1
    assert space.evaluation["confusion"]["labels"] == ["square", "disc", "background"]
    assert {one["type"] for one in said(space).annotations} == {"box"}
    model = json.loads((space.out / "model.json").read_bytes())
    assert 0.1 <= model["input"]["threshold"] <= 0.9
    assert model["signature"]["outputs"][0]["shape"][:2] == [-1, 64 + 16 + 4]


def test_a_segmenter_learns_from_polygons_and_draws_them(tmp_path: Path, train: Train) -> None:
    dataset = drawn.publish(tmp_path / "shapes", "segmentation", TWO, 12, drawn.polygons)
    space = train("segmentation", dataset, epochs=3, learning_rate=0.005, shape="polygon")
    metrics = space.evaluation["metrics"]
    assert metrics["mean_iou"] > metrics["majority_mean_iou"]
    assert {one["type"] for one in said(space).annotations} <= {"polygon"}


def test_keypoints_are_learnt_and_a_model_is_a_start_for_the_next(
    tmp_path: Path, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = drawn.publish(tmp_path / "arrows", "keypoints", ARROW, 16, drawn.arrows)
    first = train("keypoints", dataset, epochs=3, learning_rate=0.005)
    assert first.evaluation["metrics"]["pck"] > 0
    further = train("keypoints", dataset, first.out, epochs=1, learning_rate=0.001)
    assert "starts from start: 100% of the weights" in capsys.readouterr().err
    assert further.evaluation["metrics"]["distance"] < 1
    arrow = said(further).annotations[0]
    assert len(arrow["points"]) == 2
    assert {"x", "y", "w", "h", "score"} <= arrow.keys()


def test_a_reader_learns_letters(tmp_path: Path, train: Train) -> None:
    dataset = drawn.publish(tmp_path / "digits", "ocr", [{"name": "text"}], 24, drawn.words)
    space = train("ocr", dataset, epochs=10, image_size=32, batch_size=8, learning_rate=0.004, find_lines=False)
    assert space.evaluation["metrics"]["cer"] < 0.95
    assert json.loads((space.out / "model.json").read_bytes())["input"]["letters"] == list("0123")
    assert not (space.out / "detector.onnx").exists()


def test_a_reader_brings_what_finds_its_lines(tmp_path: Path, train: Train) -> None:
    dataset = drawn.publish(tmp_path / "digits", "ocr", [{"name": "text"}], 12, drawn.words)
    space = train("ocr", dataset, epochs=1, image_size=32, learning_rate=0.003)
    assert json.loads((space.out / "model.json").read_bytes())["input"]["finder"]["long_side"] >= 640
    assert (space.out / "detector.onnx").is_file()
    assert 0 <= said(space).uncertainty <= 1
