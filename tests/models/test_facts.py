"""What algorithms and models say of themselves: read once, shown, listed."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Api, Person
from tests.datasets.conftest import code_of
from tests.models.colours import model_files
from tests.models.conftest import put
from tidemill.models import builtin
from tidemill.models.manifests import Manifest, NotUnderstood, parse

MANIFEST: dict[str, Any] = {
    "manifest": 1,
    "task": "image-classification",
    "title": {"en": "Colours", "zh-CN": "颜色"},
    "description": {"en": "Tells colours apart.", "zh-CN": "区分颜色。"},
    "image": "tidemill/algorithms:1",
    "functions": {"train": {"command": "python train.py", "dataset": "required", "model": "optional"}},
    "parameters": [
        {
            "name": "epochs",
            "type": "int",
            "default": 10,
            "min": 1,
            "max": 100,
            "title": {"en": "Epochs", "zh-CN": "轮数"},
        },
        {
            "name": "schedule",
            "type": "choice",
            "default": "cosine",
            "choices": ["cosine", "flat"],
            "group": "optimiser",
        },
    ],
    "metrics": [{"name": "accuracy", "goal": "max"}],
    "primary": "accuracy",
}


def manifest_files(**more: Any) -> dict[str, bytes]:
    return {"algorithm.json": json.dumps({**MANIFEST, **more}).encode(), "train.py": b"print('hello')\n"}


def test_a_manifest_is_shown_in_the_readers_language(app: FastAPI, ada: Person, project: str) -> None:
    put(app, project, "algorithm", "colours", manifest_files())
    found = ada.ok("get", "/projects/tides/algorithms/colours/versions/latest/algorithm-manifest")
    assert (found["title"], found["task"], found["reference"]) == ("Colours", "image-classification", "colours@1")
    assert [one["name"] for one in found["parameters"]] == ["epochs", "schedule"]
    chinese = ada.ok(
        "get", "/projects/tides/algorithms/colours/versions/1/algorithm-manifest", headers={"Accept-Language": "zh-CN"}
    )
    assert (chinese["title"], chinese["parameters"][0]["title"]) == ("颜色", "轮数")


def test_what_is_no_manifest_says_so(app: FastAPI, ada: Person, project: str) -> None:
    put(app, project, "algorithm", "plain", {"train.py": b"pass"})
    put(app, project, "algorithm", "broken", {"algorithm.json": b'{"manifest": 1, "task": 5}'})
    at = "/projects/tides/algorithms/{}/versions/1/algorithm-manifest"
    assert code_of(ada.get(at.format("plain"))) == "manifest_none"
    answer = ada.get(at.format("broken"))
    assert code_of(answer) == "manifest_broken"
    assert "task" in answer.json()["error"]["message"]


def test_a_default_that_breaks_its_own_rule_is_refused() -> None:
    bad = [{"name": "epochs", "type": "int", "default": 0, "min": 1}]
    with pytest.raises(NotUnderstood, match="epochs"):
        parse(json.dumps({**MANIFEST, "parameters": bad}).encode())


def test_the_algorithms_we_ship_are_entered_once_and_again_when_they_change(
    app: FastAPI, api: Api, tmp_path: Path
) -> None:
    folder = tmp_path / "algorithms" / "colours"
    folder.mkdir(parents=True)
    for name, content in manifest_files().items():
        (folder / name).write_bytes(content)
    assert builtin.enter(app, tmp_path / "algorithms") == ["colours@1"]
    assert builtin.enter(app, tmp_path / "algorithms") == []
    (folder / "train.py").write_text("print('better')\n")
    assert builtin.enter(app, tmp_path / "algorithms") == ["colours@2"]
    app.state.facts.look()
    listed = api.admin.ok("get", "/projects/public/manifests")["items"]
    assert [(one["reference"], one["task"]) for one in listed] == [("colours@2", "image-classification")]


def test_the_manifests_in_the_repository_can_be_understood() -> None:
    folder = builtin.find_folder()
    assert folder is not None
    found = {file.parent.name: parse(file.read_bytes()) for file in folder.glob("*/algorithm.json")}
    for name, manifest in found.items():
        assert manifest.task == name
        assert "train" in manifest.functions
        for language in ("en", "zh-CN"):
            assert isinstance(manifest.title, dict)
            assert manifest.title[language]  # type: ignore[index]
        assert manifest.primary in {metric.name for metric in manifest.metrics}
        assert all(_is_bilingual(manifest, one.name) for one in manifest.parameters), name


def _is_bilingual(manifest: Manifest, name: str) -> bool:
    parameter = manifest.find(name)
    assert parameter is not None
    return isinstance(parameter.title, dict) and isinstance(parameter.help, dict)


def test_a_model_says_what_it_is_and_its_version_and_lists_show_it(app: FastAPI, ada: Person, project: str) -> None:
    put(app, project, "model", "colours", model_files())
    facts = ada.ok("get", "/projects/tides/models/colours/versions/1/facts")
    assert (facts["state"], facts["task"], facts["format"]) == ("read", "image-classification", "onnx")
    assert [label["name"] for label in facts["labels"]] == ["red", "green", "blue"]
    assert (facts["primary"], facts["primary_value"], facts["can_evaluate"]) == ("accuracy", 0.9, True)
    version = ada.ok("get", "/projects/tides/models/colours/versions/1")
    assert version["metrics"] == {"accuracy": 0.9}
    assert version["signature"]["inputs"][0]["name"] == "image"


def test_models_are_listed_by_how_good_they_are(app: FastAPI, ada: Person, project: str) -> None:
    for name, accuracy in (("poor", 0.5), ("good", 0.8), ("fair", 0.7)):
        put(app, project, "model", name, model_files(metrics={"accuracy": accuracy}))
    put(app, project, "model", "reader", model_files(task="ocr", metrics={"cer": 0.1}, primary="cer"))
    put(app, project, "model", "unknown", {"weights.bin": b"1"})
    app.state.facts.look()
    page = ada.ok(
        "get", "/projects/tides/model-facts", params={"task": "image-classification", "sort": "-primary_value"}
    )
    assert [one["model"] for one in page["items"]] == ["good", "fair", "poor"]
    first = ada.ok("get", "/projects/tides/model-facts", params={"sort": "-primary_value", "limit": 2})
    rest = ada.ok(
        "get", "/projects/tides/model-facts", params={"sort": "-primary_value", "limit": 2, "cursor": first["next"]}
    )
    assert [one["model"] for one in first["items"] + rest["items"]] == ["good", "fair", "poor", "reader"]


def test_a_hostile_model_file_harms_nobody(app: FastAPI, ada: Person, project: str) -> None:
    put(app, project, "model", "deep", {"model.json": b"[" * 100_000})
    put(app, project, "model", "odd", {"model.json": json.dumps({"labels": {"a": 1}, "metrics": []}).encode()})
    put(app, project, "model", "nan", {"model.json": b'{"task": "x", "metrics": {"accuracy": 1e999}}'})
    for name, state in (("deep", "broken"), ("odd", "broken"), ("nan", "broken")):
        found = ada.ok("get", f"/projects/tides/models/{name}/versions/1/facts")
        assert found["state"] == state, name
        assert found["problem"]
