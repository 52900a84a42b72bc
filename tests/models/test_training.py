"""One click: what is chosen, why, and the run that comes of it."""

import json
from typing import Any

from fastapi import FastAPI

from tests.conftest import Person
from tests.datasets.conftest import Desk, code_of
from tests.models.colours import model_files
from tests.models.conftest import colours, publish, put
from tests.models.test_facts import MANIFEST, manifest_files
from tidemill.models.manifests import Manifest
from tidemill.models.training.choosing import choose
from tidemill.models.training.situation import Situation
from tidemill.workloads.tables import WorkloadRow


def situation(**more: Any) -> Situation:
    usual: dict[str, Any] = {
        "task": "image-classification", "items": 600, "labelled": 500, "classes": 5, "smallest_class": 80,
        "largest_class": 120, "cpus": 2.0, "accelerators": 0.0, "accelerator": None,
    }  # fmt: skip
    return Situation(**{**usual, **more})


def chosen(**more: Any) -> dict[str, tuple[Any, str]]:
    parameters = [
        {"name": "epochs", "type": "int", "default": 30, "min": 1, "max": 1000},
        {"name": "batch_size", "type": "int", "default": 32, "min": 1, "max": 128},
        {"name": "class_weights", "type": "choice", "default": "none", "choices": ["none", "root", "balanced"]},
        {"name": "augmentation", "type": "choice", "default": "strong", "choices": ["none", "light", "strong"]},
        {"name": "test_share", "type": "float", "default": 0.2, "min": 0, "max": 0.5},
        {"name": "time_budget_s", "type": "int", "default": 0, "min": 0},
        {"name": "width", "type": "int", "default": 8},
    ]
    manifest = Manifest.model_validate({**MANIFEST, "parameters": parameters})
    given, budget = more.pop("given", {}), more.pop("time_budget_s", None)
    found = choose(manifest, situation(**more), given=given, time_budget_s=budget)
    return {one.name: (one.value, one.reason) for one in found}


def test_an_ordinary_set_on_a_small_machine_is_trained_with_the_algorithms_defaults() -> None:
    found = chosen()
    assert found["epochs"] == (30, "choice_epochs")
    assert found["batch_size"] == (32, "choice_batch")
    assert found["class_weights"] == ("none", "choice_classes_even")
    assert found["time_budget_s"] == (600, "choice_budget")
    assert found["width"] == (8, "choice_default")


def test_what_differs_has_a_reason() -> None:
    few = chosen(labelled=40, smallest_class=5, largest_class=20)
    assert few["batch_size"] == (4, "choice_batch_small")
    assert few["test_share"] == (0.3, "choice_test_few")
    assert chosen(smallest_class=2, largest_class=300)["class_weights"] == ("root", "choice_classes_uneven")
    many = chosen(labelled=80_000)
    assert many["epochs"] == (15, "choice_epochs_many")
    assert many["augmentation"] == ("light", "choice_augmentation_many")
    assert many["time_budget_s"][0] == 2400
    assert chosen(accelerators=1.0, accelerator="gpu")["batch_size"] == (128, "choice_batch_accelerator")


def test_what_somebody_chose_is_left_alone_and_no_choice_breaks_the_manifests_rules() -> None:
    assert chosen(given={"epochs": 3})["epochs"] == (3, "choice_given")
    assert chosen(time_budget_s=60)["time_budget_s"] == (60, "choice_budget_asked")
    assert chosen(accelerators=4.0)["batch_size"][0] <= 128


def test_a_draft_or_too_few_labels_are_problems_that_are_told_before_anything_starts(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 2})
    plan = desk.ok("get", "/training-plan")
    assert not plan["can_train"]
    assert [one["code"] for one in plan["problems"]] == ["train_not_published", "train_too_few_labels"]
    assert all(one["message"] and one["hint"] for one in plan["problems"])
    assert code_of(desk.call("post", "/train", json={})) == "train_not_published"


def test_one_click_starts_a_run_with_everything_it_needs(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    publish(desk, app)
    started = desk.ok("post", "/train")
    run, plan = started["run"], started["plan"]
    assert plan["can_train"]
    assert plan["algorithm"] == "public/image-classification@1"
    settings = run["settings"]
    assert settings["inputs"] == ["dataset:colours@1"]
    assert settings["algorithm"] == "public/image-classification@1"
    assert settings["parameters"] == {"epochs": 10, "schedule": "cosine"}
    assert (settings["save_model"], settings["command"]) == ("colours", "python train.py")
    with app.state.db.read() as session:
        inputs = session.get_one(WorkloadRow, run["workload_id"]).inputs
    assert [(one["target"], one["mode"]) for one in inputs] == [
        ("algorithm/image-classification", "copy"), ("dataset/colours", "link"),
    ]  # fmt: skip
    told = desk.person.ok("get", f"/projects/tides/runs/{run['name']}/training", headers={"Accept-Language": "zh-CN"})
    assert told["dataset"] == "colours@1"
    assert {one["name"]: one["value"] for one in told["choices"]} == {"epochs": 10, "schedule": "cosine"}
    assert "默认" in told["choices"][1]["reason"]


def test_the_next_training_is_one_more_run_of_the_same_task(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    publish(desk, app)
    first = desk.ok("post", "/train", json={"parameters": {"epochs": 3}})
    second = desk.ok("post", "/train", json={"save_model": "other"})
    assert first["task"] == second["task"] == "colours-image-classification"
    assert [one["run"]["number"] for one in (first, second)] == [1, 2]
    assert second["run"]["settings"]["parameters"]["epochs"] == 10
    assert second["run"]["settings"]["save_model"] == "other"


def test_wrong_parameters_are_named(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    publish(desk, app)
    for given, code in (
        ({"epoch": 3}, "parameter_unknown"),
        ({"epochs": "many"}, "parameter_type"),
        ({"epochs": 1000}, "parameter_range"),
        ({"schedule": "wild"}, "parameter_choice"),
    ):
        answer = desk.call("post", "/train", json={"parameters": given})
        assert code_of(answer) == code
        assert answer.json()["error"]["field"] == f"parameters.{next(iter(given))}"


def test_a_pretrained_model_is_started_from_unless_somebody_wants_none(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    put(app, "public", "model", "pretrained", model_files(trains=["image-classification"]))
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    publish(desk, app)
    assert desk.ok("get", "/training-plan")["model"] == "public/pretrained@1"
    assert desk.ok("get", "/training-plan", params={"model": ""})["model"] is None
    run = desk.ok("post", "/train")["run"]
    assert run["settings"]["models"] == ["public/pretrained@1"]


def test_ones_own_algorithm_with_a_manifest_trains_as_well(app: FastAPI, ada: Person, desk: Desk) -> None:
    put(app, "tides", "algorithm", "mine", manifest_files())
    put(app, "tides", "algorithm", "reader", manifest_files(task="ocr"))
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    publish(desk, app)
    assert code_of(desk.call("post", "/train", json={"algorithm": "reader"})) == "train_other_task"
    assert desk.ok("post", "/train", json={"algorithm": "mine"})["run"]["settings"]["algorithm"] == "mine@1"
    assert json.dumps(ada.ok("get", "/projects/tides/manifests")).count("reference") == 2
