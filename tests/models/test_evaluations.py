"""Models measured: asked for, done by a program, compared, forgotten."""

import json
import subprocess
import sys
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Api, Person
from tests.datasets.conftest import Desk, code_of
from tests.datasets.working import Works
from tests.models.colours import model_files, picture
from tests.models.conftest import colours, publish, put
from tidemill.datasets.notes import Refused
from tidemill.models.evaluations.service import TOKEN_SCOPES
from tidemill.models.evaluations.worker import evaluate_all

AT = "/projects/tides/evaluations"


def do(works: Works, desk: Desk, evaluation: dict[str, Any]) -> dict[str, Any]:
    """Does an evaluation here and now; how it then is."""
    scratch = works.folder / evaluation["id"] / ".work"
    scratch.mkdir(parents=True, exist_ok=True)
    works.mount(evaluation, scratch.parent)
    office = works.office(desk, evaluation, "evaluation-works", TOKEN_SCOPES)
    try:
        evaluate_all(office, office.begin(), scratch)
    except Refused as refused:
        office.fail(refused.note)
    found: dict[str, Any] = desk.person.ok("get", f"{AT}/{evaluation['id']}")
    return found


@pytest.fixture
def published(app: FastAPI, desk: Desk) -> Desk:
    """Twelve pictures, two of them under a wrong label."""
    colours(desk, {"red": 5, "green": 5})
    red = desk.ok("get", "/labels")["items"][0]["number"]
    data = desk.keep(picture("blue", 7))
    desk.ok(
        "post",
        "/items/bulk",
        json={"items": [{"path": "odd.png", "annotations": [{"type": "class", "label": red}], **data}]},
    )
    publish(desk, app)
    put(app, "tides", "model", "colours", model_files())
    return desk


def test_a_model_is_measured_on_a_published_version(works: Works, published: Desk) -> None:
    asked = published.person.ok("post", AT, json={"model": "colours", "dataset": "colours@1", "part": "all"})
    assert (asked["state"], asked["model"], asked["dataset"]) == ("waiting", "colours@1", "colours@1")
    done = do(works, published, asked)
    assert (done["state"], done["progress"], done["items"]) == ("done", 100.0, 11)
    assert done["metrics"]["accuracy"] == pytest.approx(10 / 11)
    assert (done["primary"], done["primary_value"]) == ("accuracy", done["metrics"]["accuracy"])
    result = done["result"]
    assert result["confusion"]["labels"][:3] == ["red", "green", "blue"]
    worst = result["worst"][0]
    item = published.ok("get", f"/items/{worst['seq']}")
    assert (item["path"], worst["path"]) == ("odd.png", "odd.png")
    lines = published.person.get(f"{AT}/{done['id']}/predictions").text.splitlines()
    assert len(lines) == 11
    assert json.loads(lines[0])["annotations"][0]["label"] == "red"


def test_two_models_stand_side_by_side(app: FastAPI, works: Works, published: Desk) -> None:
    put(app, "tides", "model", "turned", model_files(("green", "red", "blue")))
    ids = []
    for model in ("colours", "turned"):
        asked = published.person.ok("post", AT, json={"model": model, "dataset": "colours", "part": "all"})
        ids.append(do(works, published, asked)["id"])
    found = published.person.ok("get", f"{AT}/compare", params={"ids": ",".join(ids)})
    accuracy = next(one for one in found["metrics"] if one["name"] == "accuracy")
    assert accuracy["best"] == 0
    assert accuracy["values"][0] > accuracy["values"][1]
    assert {one["label"] for one in found["classes"]} >= {"red", "green"}
    assert found["differing"]
    page = published.person.ok("get", AT, params={"dataset": "colours@1", "sort": "-primary_value"})
    assert [one["model"] for one in page["items"]] == ["colours@1", "turned@1"]
    assert published.person.ok("get", AT, params={"model": "turned"})["total"] == 1


def test_what_cannot_be_measured_is_refused_with_what_to_do(app: FastAPI, desk: Desk) -> None:
    colours(desk, {"red": 3, "green": 3})
    put(app, "tides", "model", "colours", model_files())
    put(app, "tides", "model", "blank", {"weights.bin": b"1"})
    ada = desk.person
    assert code_of(ada.post(AT, json={"model": "colours", "dataset": "colours"})) == "evaluation_not_published"
    publish(desk, app)
    assert code_of(ada.post(AT, json={"model": "blank", "dataset": "colours"})) == "model_not_runnable"
    assert code_of(ada.post(AT, json={"model": "nobody", "dataset": "colours"})) == "reference_unknown"


def test_a_model_that_is_not_what_it_says_fails_the_evaluation_and_says_why(
    app: FastAPI, works: Works, published: Desk
) -> None:
    put(app, "tides", "model", "broken", {**model_files(), "model.onnx": b"not a model"})
    asked = published.person.ok("post", AT, json={"model": "broken", "dataset": "colours"})
    failed = do(works, published, asked)
    assert failed["state"] == "failed"
    assert failed["error"]["message"]


def test_an_ended_evaluation_can_be_forgotten_and_one_under_way_stopped(works: Works, published: Desk) -> None:
    ada = published.person
    asked = ada.ok("post", AT, json={"model": "colours", "dataset": "colours"})
    assert code_of(ada.delete(f"{AT}/{asked['id']}")) == "evaluation_not_ended"
    stopped = ada.ok("post", f"{AT}/{asked['id']}/stop")
    assert stopped["state"] == "stopped"
    ada.ok("delete", f"{AT}/{asked['id']}")
    assert code_of(ada.get(f"{AT}/{asked['id']}")) == "evaluation_not_found"


def test_another_project_sees_nothing_of_it(api: Api, works: Works, published: Desk) -> None:
    asked = published.person.ok("post", AT, json={"model": "colours", "dataset": "colours"})
    api.project("others")
    eve: Person = api.user("eve", project="others", role="owner")
    assert code_of(eve.get(f"/projects/others/evaluations/{asked['id']}")) == "evaluation_not_found"
    assert eve.ok("get", "/projects/others/evaluations")["total"] == 0


def test_the_programs_need_nothing_of_the_server() -> None:
    """They run in an image that has the runtime and the SDK only."""
    code = (
        "import sys, tidemill.models.auto.worker, tidemill.models.evaluations.worker\n"
        "print([name for name in ('sqlalchemy', 'fastapi', 'pydantic', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"
