"""Algorithms for pictures, texts, sounds and tables learn something small, and what they export says the same."""

import json
import re
import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.algorithms import sets
from tests.algorithms.running import Workspace
from tidemill.runtime import load
from tidemill.sdk.data import open_folder

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    # What torch, its exporter and transformers say of themselves is not ours.
    pytest.mark.filterwarnings("ignore"),
]
DEADLINE_S = 120
TEXTS = {"epochs": 3, "batch_size": 16, "learning_rate": 0.01, "average": 0}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def _weights(out: Path) -> dict[str, "torch.Tensor"]:
    from safetensors.torch import load_file

    found: dict[str, torch.Tensor] = load_file(out / "weights.safetensors")
    return found


def _says_the_same(
    space: Workspace, module: "torch.nn.Module", given: "object", within: "object" = lambda module: module
) -> None:
    """What was exported gives the probabilities that torch gives."""
    from tidemill.learn.classifying import Probabilities

    items = list(open_folder(space.dataset))[:5]
    module.load_state_dict(_weights(space.out))
    with torch.no_grad():
        seen = within(module.eval())  # type: ignore[operator]
        expected = Probabilities(seen, is_several=False)(*given(items)).numpy()  # type: ignore[operator]
    model = load(space.out)
    rows = [list((one.probabilities or {}).values()) for one in model.predict(items)]
    assert np.allclose(rows, expected, atol=1e-5)
    assert json.loads((space.out / "model.json").read_bytes())["signature"]["outputs"][0]["shape"][1] == len(rows[0])


def test_pictures_are_learnt_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(tmp_path, "image-classification")
    sets.pictures(space.dataset)
    space.train(
        monkeypatch, epochs=3, batch_size=8, image_size=32, learning_rate=0.003, augmentation="light", average=0
    )
    # After a few steps probabilities are not yet where they will be, but the right pictures have the higher ones.
    assert space.evaluation["metrics"]["map"] >= 0.9
    assert space.evaluation["part"] == "test"
    with space.importing():
        import mirrored
        import network
        import pictures

        spec = load(space.out).facts.input
        module = network.build(3, "small", None)
        _says_the_same(space, module, lambda items: (pictures.plain(items, spec),), mirrored.BothWays)


def test_pictures_with_several_classes_are_asked_about_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(tmp_path, "image-classification")
    sets.pictures(space.dataset, annotation_type="multi-classification")
    space.train(monkeypatch, epochs=1, batch_size=8, image_size=32)
    assert space.evaluation["primary"] == "f1"
    assert sum((load(space.out).predict([next(iter(open_folder(space.dataset)))])[0].probabilities or {}).values()) != 1


def test_a_catalogue_model_lends_its_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real_data: Path) -> None:
    import shutil

    space = Workspace(tmp_path, "image-classification")
    sets.pictures(space.dataset, 30)
    shutil.copytree(real_data / "models" / "classify-mobilenetv2-int8", space.folder / "model" / "mobilenet")
    space.train(monkeypatch, epochs=20, batch_size=8, augmentation="none", average=0, tune=False)
    assert space.evaluation["metrics"]["accuracy"] >= 0.9
    assert load(space.out).labels == list(sets.COLOURS)


def test_a_quantised_catalogue_model_can_learn_further(tmp_path: Path, real_data: Path) -> None:
    """What is to be learnt further sees what the file sees, and its later layers have gradients."""
    import onnx

    from tidemill.runtime import pictures
    from tidemill.runtime.sessions import Session

    file = real_data / "models" / "classify-mobilenetv2-int8" / "mobilenet_v2_1.0_224_quant.onnx"
    given = onnx.load(str(file))
    with Workspace(tmp_path, "image-classification").importing():
        import graph
        import transfer

        cut, _ = transfer._cut(given)
        module = graph.Graph(given)
    onnx.save(cut, str(tmp_path / "cut.onnx"))
    spec = {"size": [224, 224], "fit": "stretch", "layout": "NHWC", "dtype": "uint8"}
    shown = pictures.prepared(pictures.read(real_data / "models" / "sample-inputs" / "cat.png"), spec)[None]
    (expected,) = Session(tmp_path / "cut.onnx").run_rows(shown)
    module.freeze(0.5)
    found = module(torch.from_numpy(shown.astype(np.float32)))
    assert np.corrcoef(found.detach().numpy().ravel(), expected.ravel())[0, 1] > 0.99
    found.sum().backward()
    has_gradients = [weight.grad is not None for weight in module.parameters()]
    assert not any(has_gradients[:52])
    assert all(has_gradients[52:])


@pytest.mark.parametrize("is_several", [False, True])
def test_the_new_last_layer_is_fitted_before_others_learn(tmp_path: Path, is_several: bool) -> None:
    """To the one answer there is: nothing is left to gain, and chance does not matter."""
    from torch.nn import functional

    targets = torch.eye(3).repeat(20, 1)
    features = 5 + targets @ torch.randn(3, 8) + 0.3 * torch.randn(60, 8)
    with Workspace(tmp_path, "image-classification").importing():
        import tune

        modules = [tune.Tuned(torch.nn.Identity(), features, 3).eval() for _ in range(2)]
    torch.nn.init.normal_(modules[1].last.weight)
    for module in modules:
        module.fit_last(features, targets, is_several=is_several)
    first, second = (module(features).detach() for module in modules)
    assert torch.equal(first.argmax(1), targets.argmax(1))
    assert torch.allclose(first.softmax(1), second.softmax(1), atol=1e-2)
    lossy = functional.binary_cross_entropy_with_logits if is_several else functional.cross_entropy
    assert lossy(first, targets) < lossy(torch.zeros_like(first), targets)


def test_texts_are_learnt_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(tmp_path, "text-classification")
    sets.texts(space.dataset)
    space.train(monkeypatch, **TEXTS)
    assert space.evaluation["metrics"]["accuracy"] == 1.0
    assert [one.annotations[0]["label"] for one in load(space.out).predict(["味道难吃，要退款", "好吃，推荐"])] == [
        "差",
        "好",
    ]
    with space.importing():
        import network
        import texts

        spec = load(space.out).facts.input
        module = network.TextNet(2, spec["buckets"], spec["known"], 0.4)
        _says_the_same(space, module, lambda items: texts.plain(items, spec))


def test_sounds_are_learnt_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(tmp_path, "audio-classification")
    sets.sounds(space.dataset)
    space.train(monkeypatch, epochs=6, batch_size=8, average=0)
    assert space.evaluation["metrics"]["map"] >= 0.9
    with space.importing():
        import hearing
        import network

        spec = load(space.out).facts.input
        _says_the_same(space, network.SoundNet(2, 8000), lambda items: (hearing.plain(items, spec),))


def test_tables_are_learnt_and_their_trees_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import lightgbm

    space = Workspace(tmp_path, "tabular")
    sets.rows(space.dataset)
    space.train(monkeypatch, epochs=60, leave_out="price")
    assert space.evaluation["metrics"]["accuracy"] >= 0.9
    model = load(space.out)
    columns = model.facts.input["columns"]
    assert [(column["name"], column["kind"]) for column in columns] == [("age", "number"), ("place", "category")]
    from tidemill.runtime import tables

    items = list(open_folder(space.dataset))
    rows = np.array([tables.encoded(item.read_row(), columns) for item in items], np.float32)
    expected = lightgbm.Booster(model_file=str(space.out / "trees.txt")).predict(rows)
    found = [(one.probabilities or {})["yes"] for one in model.predict(items)]
    assert np.allclose(found, expected, atol=1e-6)
    # A row somebody types in, with a place nobody has heard of and a field that is missing.
    assert model.predict([{"place": "moon"}])[0].annotations[0]["label"] == "no"


def test_tables_predict_numbers_of_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(tmp_path, "tabular")
    sets.rows(space.dataset)
    space.train(monkeypatch, epochs=80, learning_rate=0.2, target="price", rows_in_leaf=2)
    assert space.evaluation["primary"] == "r2"
    assert space.evaluation["metrics"]["r2"] > 0.8


def test_a_killed_training_goes_on_and_ends_as_if_nothing_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = {**TEXTS, "epochs": 8}
    whole = Workspace(tmp_path / "whole", "text-classification")
    sets.texts(whole.dataset)
    whole.train(monkeypatch, **parameters)
    space = Workspace(tmp_path / "killed", "text-classification")
    sets.texts(space.dataset)
    process = space.begin(parameters)
    checkpoints = space.out / "checkpoints"
    until = time.monotonic() + DEADLINE_S
    try:
        while not any(checkpoints.glob("epoch-*.pt")) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
    finally:
        process.kill()
        process.communicate()
    resumed = space.begin(parameters, resume_from=min(checkpoints.glob("epoch-*.pt")))
    said, _ = resumed.communicate(timeout=DEADLINE_S)
    assert resumed.returncode == 0, said
    assert re.search(r"goes on after epoch \d", said)
    expected = _weights(whole.out)
    for name, tensor in _weights(space.out).items():
        assert torch.allclose(tensor, expected[name], atol=1e-5), name


def test_two_processes_train_one_model_under_torchrun(tmp_path: Path) -> None:
    space = Workspace(tmp_path, "text-classification")
    sets.texts(space.dataset)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", str(port)]
    process = space.start([*launcher, "train.py"], {**TEXTS, "epochs": 4})
    said, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    assert said.count("epoch 4/4") == 1
    assert space.evaluation["metrics"]["accuracy"] == 1.0
