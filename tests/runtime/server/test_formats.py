"""Every kind of model is found, loaded, and answers as its own library does."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runtime.server import models
from tidemill.runtime.model import Unfit
from tidemill.runtime.server.errors import Failed, Malformed
from tidemill.runtime.server.formats.opening import open_model
from tidemill.runtime.server.formats.tables import TableModel
from tidemill.runtime.server.plain import _tensors
from tidemill.runtime.server.served import Served

ROWS = np.random.default_rng(0).normal(size=(60, 3))
TRUTH = (ROWS[:, 0] > 0).astype(int)


def _run(served: Served, **tensors: Any) -> Any:
    served.warm_up()
    return served.run([served.take(tensors, {}).given])[0]


def test_onnx_has_its_own_signature(tmp_path: Path) -> None:
    served = open_model(models.linear(tmp_path / "linear"))
    assert served.joins
    assert [one.view() for one in served.inputs.values()] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    x = np.ones((2, 4), np.float32)
    np.testing.assert_allclose(_run(served, x=x)["y"], x @ models.WEIGHTS)
    one = open_model(models.linear(tmp_path / "one", batch=1) / "model.onnx")
    assert not one.joins


def test_classes_with_their_probabilities_come_as_rows(tmp_path: Path) -> None:
    from onnx import TensorProto, helper

    zipped = helper.make_node("ZipMap", ["x"], ["probabilities"], domain="ai.onnx.ml", classlabels_int64s=[4, 7])
    kind = helper.make_sequence_type_proto(
        helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    )
    graph = helper.make_graph(
        [zipped],
        "zipped",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 2])],
        [helper.make_value_info("probabilities", kind)],
    )
    served = open_model(models.save(tmp_path / "zipped", graph))
    x = np.array([[0.25, 0.75], [1, 0]], np.float32)
    assert _run(served, x=x)["probabilities"].tolist() == x.tolist()
    assert served.about.labels == ("4", "7")
    assert served.joins


def test_rows_that_do_not_come_back_as_rows_are_not_joined_again(tmp_path: Path) -> None:
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("Concat", ["x", "x"], ["y"], axis=0)],
        "twice",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["many", 1])],
    )
    served = open_model(models.save(tmp_path / "twice", graph))
    assert served.joins
    given = [{"x": np.full((1, 1), value, np.float32)} for value in (1, 2)]
    assert [one["y"].tolist() for one in served.run(given)] == [[[1], [1]], [[2], [2]]]
    assert not served.joins


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchscript(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    traced = torch.jit.trace(torch.nn.Linear(3, 2), torch.zeros(1, 3))
    torch.jit.save(traced, str(tmp_path / "model.pt"))
    signature = {
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}],
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}],
    }
    (tmp_path / "model.json").write_text(json.dumps({"signature": signature}))
    x = ROWS.astype(np.float32)
    served = open_model(tmp_path)
    assert served.joins
    expected = traced(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(_run(served, x=x)["y"], expected, rtol=1e-5)
    (tmp_path / "model.json").unlink()
    bare = open_model(tmp_path)
    (name,) = bare.inputs
    np.testing.assert_allclose(_run(bare, **{name: x})["output_0"], expected, rtol=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_weights_alone_are_no_torchscript(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(torch.nn.Linear(3, 2).state_dict(), tmp_path / "model.pt")
    with pytest.raises(Unfit, match="not TorchScript"):
        open_model(tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_lightgbm_in_its_own_file_needs_no_leave(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(ROWS, TRUTH, feature_name=["a", "b", "c"])
    booster = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, data, 3)
    booster.save_model(str(tmp_path / "model.txt"))
    served = open_model(tmp_path)
    assert served.inputs["input"].shape == (-1, 3)
    assert served.about.more == {"columns": ["a", "b", "c"]}
    np.testing.assert_allclose(_run(served, input=ROWS)["predict"], booster.predict(ROWS))


@pytest.mark.parametrize("name", ["model.json", "model.ubj", "flood.json"])
def test_xgboost_in_its_own_file_needs_no_leave(tmp_path: Path, name: str) -> None:
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed: pip install xgboost-cpu")
    data = xgboost.DMatrix(ROWS, ROWS[:, 1], feature_names=["a", "b", "c"])
    booster = xgboost.train({"nthread": 1}, data, 3)
    booster.save_model(str(tmp_path / name))
    served = open_model(tmp_path)
    assert served.inputs["input"].shape == (-1, 3)
    assert served.about.more == {"columns": ["a", "b", "c"]}
    holes = np.where(ROWS > 1, np.nan, ROWS)
    for rows in (ROWS, holes):
        expected = booster.predict(xgboost.DMatrix(rows, feature_names=["a", "b", "c"]))
        found = _run(served, input=rows)
        assert set(found) == {"predict"}
        np.testing.assert_allclose(found["predict"], expected, rtol=1e-5)


def test_xgboost_answers_with_the_rounds_that_were_found_best(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed: pip install xgboost-cpu")
    shuffled = np.random.default_rng(1).permutation(TRUTH[:40])
    fitted = xgboost.XGBClassifier(n_estimators=50, early_stopping_rounds=3, n_jobs=1)
    fitted.fit(ROWS[:40], shuffled, eval_set=[(ROWS[40:], TRUTH[40:])], verbose=False)
    booster = fitted.get_booster()
    assert booster.num_boosted_rounds() > fitted.best_iteration + 1
    fitted.save_model(tmp_path / "model.json")
    found = _run(open_model(tmp_path), input=ROWS)
    np.testing.assert_allclose(found["probabilities"], fitted.predict_proba(ROWS), rtol=1e-5)
    np.testing.assert_allclose(found["predict"], fitted.predict_proba(ROWS)[:, 1], rtol=1e-5)
    assert not np.allclose(found["predict"], booster.predict(xgboost.DMatrix(ROWS)))


def test_xgboost_with_several_classes_has_a_probability_for_each(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed: pip install xgboost-cpu")
    fitted = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(ROWS, TRUTH + (ROWS[:, 1] > 0))
    fitted.save_model(tmp_path / "model.ubj")
    (tmp_path / "model.json").write_text(json.dumps({"labels": [{"name": name} for name in ("low", "mid", "high")]}))
    served = open_model(tmp_path)
    assert served.about.labels == ("low", "mid", "high")
    np.testing.assert_allclose(_run(served, input=ROWS)["probabilities"], fitted.predict_proba(ROWS), rtol=1e-5)


def test_what_a_row_does_not_know_is_null() -> None:
    served = TableModel("any", lambda rows: {"predict": np.nansum(rows, axis=1)}, width=2, columns=("a", "b"))
    for given in ({"a": 1, "b": None}, [1, None], {"inputs": [[1, None]]}):
        assert _run(served, **_tensors(served, given))["predict"].tolist() == [1.0]


def test_what_is_no_model_of_xgboost_is_said(tmp_path: Path) -> None:
    pytest.importorskip("xgboost", reason="XGBoost is not installed: pip install xgboost-cpu")
    for name, data in (("model.ubj", b"rubbish"), ("model.json", b'{"learner": {}}')):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(Unfit, match="cannot be read"):
            open_model(tmp_path / name)


class Trap:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return open, (str(self.trace), "w")


@pytest.mark.parametrize("name", ["model.pkl", "model.pickle", "model.joblib"])
def test_a_pickle_is_not_even_opened_without_leave(tmp_path: Path, name: str) -> None:
    trace = tmp_path / "trace"
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / name).write_bytes(pickle.dumps(Trap(trace)))
    for path in (folder, folder / name):
        with pytest.raises(Unfit, match="allow-pickles"):
            open_model(path)
    assert not trace.exists()


def test_a_pickle_of_scikit_learn_is_served_with_leave(tmp_path: Path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    joblib = pytest.importorskip("joblib")
    fitted = linear_model.LogisticRegression().fit(ROWS, np.array(["no", "yes"])[TRUTH])
    joblib.dump(fitted, tmp_path / "model.joblib")
    served = open_model(tmp_path, allow_pickles=True)
    assert served.about.labels == ("no", "yes")
    found = _run(served, input=ROWS)
    assert found["predict"].tolist() == fitted.predict(ROWS).tolist()
    np.testing.assert_allclose(found["probabilities"], fitted.predict_proba(ROWS))


def test_what_is_in_a_pickle_must_predict(tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(Unfit, match="no predict"):
        open_model(tmp_path, allow_pickles=True)
    (tmp_path / "model.pkl").write_bytes(b"rubbish")
    with pytest.raises(Unfit, match="cannot be read"):
        open_model(tmp_path, allow_pickles=True)


def test_a_model_py_beside_a_model_is_not_run(tmp_path: Path) -> None:
    folder = models.linear(tmp_path / "linear")
    (folder / "model.py").write_text("raise SystemExit('this must not run')")
    assert open_model(folder).about.platform == "onnxruntime_onnx"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x = 1", "one class"),
        ("raise KeyError('a')", "KeyError"),
        ("class A:\n def load(self, folder): 1 / 0\n def predict(self, inputs): pass", "ZeroDivisionError"),
        (
            "class A:\n inputs = [{'name': 'x'}]\n def load(self, folder): pass\n def predict(self, inputs): pass",
            "name, datatype and shape",
        ),
    ],
)
def test_what_is_wrong_with_a_class_is_said(tmp_path: Path, code: str, says: str) -> None:
    (tmp_path / "model.py").write_text(code)
    with pytest.raises(Unfit, match=says):
        open_model(tmp_path, code=tmp_path)


def test_what_a_class_raises_is_the_callers_fault_or_its_own(tmp_path: Path) -> None:
    code, folder = models.slow(tmp_path)
    (folder / "gate").touch()
    served = open_model(folder, code=code)
    for value, kind in ((5000, Malformed), (-1, Failed)):
        assert isinstance(_run(served, x=np.full((1, 1), value, np.float32)), kind)


def test_an_empty_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(Unfit, match="no model that can be served"):
        open_model(tmp_path)
    with pytest.raises(Unfit, match="not there"):
        open_model(tmp_path / "nothing")
