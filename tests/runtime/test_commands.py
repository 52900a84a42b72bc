"""Models at work on whole datasets, and made smaller."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.algorithms import sets
from tidemill.runtime import Unfit, load, predicting
from tidemill.runtime.__main__ import main
from tidemill.runtime.model import Model
from tidemill.sdk.data import open_folder

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

SPEC = {"kind": "image", "size": [8, 8], "fit": "stretch", "layout": "NCHW", "scale": 255}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Says which colour is the strongest."""
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        [
            helper.make_node("ReduceMean", ["pictures", "axes"], ["means"], keepdims=0),
            helper.make_node("MatMul", ["means", "weights"], ["numbers"]),
            helper.make_node("Softmax", ["numbers"], ["probabilities"], axis=1),
        ],
        "colours",
        [helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["batch", 3, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 3])],
        [
            numpy_helper.from_array(np.array([2, 3], np.int64), "axes"),
            numpy_helper.from_array(np.eye(3, dtype=np.float32) * 9, "weights"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    facts = {"task": "image-classification", "labels": [{"name": name} for name in sets.COLOURS], "input": SPEC}
    onnx.helper.set_model_props(made, {"tidemill": json.dumps(facts)})
    folder = tmp_path / "colours"
    folder.mkdir()
    onnx.save(made, str(folder / "model.onnx"))
    (folder / "model.json").write_text(
        json.dumps({**facts, "made_with": {"parameters": {"test_share": 0.5, "seed": 3}}})
    )
    return folder


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return sets.pictures(tmp_path / "small", 40)


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_evaluating_takes_the_part_the_training_kept_apart(
    model: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["evaluate", "--model", str(model), "--dataset", str(dataset), "--out", str(tmp_path / "out")]
    assert main(told) == 0
    said = _lines(capsys.readouterr().out)
    assert said[0] == {"done": 20, "total": 20}
    assert said[-1]["metrics"]["accuracy"] == 1.0
    found = json.loads((tmp_path / "out" / "evaluation.json").read_bytes())
    assert (found["part"], found["items"], found["model"], found["dataset"]) == ("test", 20, "colours", "small@1")
    _, test = open_folder(dataset).labelled().split(0.5, 3)
    predicted = _lines((tmp_path / "out" / "predictions.jsonl").read_text("utf-8"))
    assert [line["path"] for line in predicted] == [item.path for item in test]
    assert predicted[0]["probabilities"].keys() == sets.COLOURS.keys()


def test_predicting_goes_on_after_the_last_whole_line(model: Path, dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.jsonl"
    loaded, items = load(model), open_folder(dataset)
    predicting.predict(loaded, items, out)
    whole = out.read_text("utf-8")
    lines = whole.splitlines(keepends=True)
    part = tmp_path / "predictions.jsonl.part"
    part.write_text("".join(lines[:7]) + lines[7][:20], "utf-8")
    out.unlink()
    asked: list[int] = []
    counted = _counting(loaded, asked)
    predicting.predict(counted, items, out)
    assert out.read_text("utf-8") == whole
    assert sum(asked) == 33
    assert not part.exists()


def _counting(model: Model, asked: list[int]) -> Model:
    before: Callable[..., Any] = model.predict

    def predict(items: Any, **more: Any) -> Any:
        asked.append(len(items))
        return before(items, **more)

    model.predict = predict  # type: ignore[method-assign]
    return model


def test_an_item_that_cannot_be_read_spoils_nothing_else(model: Path, dataset: Path, tmp_path: Path) -> None:
    broken = next(iter(open_folder(dataset)))
    broken.file.write_bytes(b"no picture")
    predicting.predict(load(model), open_folder(dataset), tmp_path / "out.jsonl")
    lines = _lines((tmp_path / "out.jsonl").read_text("utf-8"))
    assert len(lines) == 40
    assert lines[0]["error"] == "NoPicture: the file is no picture of a known format, or is damaged"
    assert lines[0]["uncertainty"] == 1.0
    assert all("error" not in line and len(line["annotations"]) == 1 for line in lines[1:])


def test_a_file_alone_says_what_it_is_for(model: Path) -> None:
    (model / "model.json").unlink()
    assert load(model).labels == list(sets.COLOURS)


def test_what_cannot_be_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.json").write_text('{"task": "fortune-telling"}')
    with pytest.raises(Unfit, match="fortune-telling"):
        load(tmp_path)
    assert main(["evaluate", "--model", str(tmp_path), "--dataset", str(tmp_path)]) == 1
    assert "fortune-telling" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.filterwarnings("ignore")
def test_a_model_is_made_smaller_and_says_nearly_the_same(model: Path, dataset: Path, tmp_path: Path) -> None:
    assert main(["convert", "--model", str(model), "--out", str(tmp_path / "small8")]) == 0
    small, item = load(tmp_path / "small8"), next(iter(open_folder(dataset)))
    before, after = load(model).predict([item])[0], small.predict([item])[0]
    assert before.annotations[0]["label"] == after.annotations[0]["label"]
    assert math.isclose(before.annotations[0]["score"], after.annotations[0]["score"], abs_tol=0.05)
    assert small.facts.more["converted"]["to"] == "int8"
