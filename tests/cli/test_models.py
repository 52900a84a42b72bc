"""From labels to a model and back, from the command line; what is started really runs."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell, unique
from tests.models.colours import model_files, picture
from tests.models.test_facts import MANIFEST

SCRIPT = """
import shutil
from pathlib import Path
import tidemill
from tidemill.runtime import evaluating
from tidemill.runtime.loading import load
run = tidemill.run()
items = tidemill.data.open().labelled()
train, test = items.split(0.3, 0)
run.output.mkdir(parents=True, exist_ok=True)
for name in ("model.onnx", "model.json"):
    shutil.copy(name, run.output / name)
tidemill.log({"progress": 1.0, "remaining_s": 0.0}, step=1)
evaluating.evaluate(load(run.output), test, run.output / "evaluation", part="test", name="colours")
print("trained with", len(train), "epochs", run.parameters["epochs"])
"""


@pytest.fixture
def labelled(admin: Shell, project: str, tmp_path: Path) -> str:
    """A published version of pictures in folders named after their colours, and a draft from it with more."""
    name, folder = unique("colours"), tmp_path / "pictures"
    for colour in ("red", "green", "blue"):
        (folder / colour).mkdir(parents=True)
        for number in range(8):
            (folder / colour / f"{number}.png").write_bytes(picture(colour, number))
    admin.ok("dataset", "create", name, "--task", "image-classification")
    admin.ok("dataset", "import", name, folder, "--format", "folders", "--wait")
    admin.ok("dataset", "publish", name, "--wait")
    return name


@pytest.fixture
def algorithm(admin: Shell, tmp_path: Path) -> str:
    """An algorithm with a manifest that learns in no time, for it knows already."""
    folder, name = tmp_path / "algorithm", unique("instant")
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    (folder / "algorithm.json").write_text(json.dumps({**MANIFEST, "image": None}))
    for path, content in model_files().items():
        (folder / path).write_bytes(content)
    admin.ok("algorithm", "push", folder, name)
    return name


def test_a_dataset_becomes_a_model_that_labels_the_rest(
    admin: Shell, labelled: str, algorithm: str, tmp_path: Path
) -> None:
    plan = admin.json("train", labelled, "--algorithm", algorithm, "--plan")
    assert plan["can_train"]
    assert {one["name"]: one["value"] for one in plan["choices"]}["epochs"] == 10
    assert "epochs" in admin.ok("train", labelled, "--algorithm", algorithm, "--plan")
    done = admin.json("train", labelled, "--algorithm", algorithm, "--set", "epochs=3", "--model", "made", "--wait")
    assert done["metrics"]["accuracy"] == 0.9, "as its model.json says"
    assert done["model"] == "made@1"
    assert "epochs 3" in admin.ok("run", "logs", done["run"])
    shown = admin.json("model", "show", "made")
    assert shown["scene"] == "image-classification"
    assert shown["facts"]["dataset"] == f"{labelled}@1"
    assert "image-classification" in admin.ok("model", "show", "made@1")
    (kept,) = admin.json("evaluation", "list", "--model", "made")["items"]
    assert (kept["origin"], kept["metrics"]["accuracy"]) == ("run", 1.0)

    measured = admin.json("evaluate", "made", labelled, "--part", "all")
    assert (measured["state"], measured["metrics"]["accuracy"], measured["items"]) == ("done", 1.0, 24)
    assert {one["label"] for one in measured["per_class"]} == {"red", "green", "blue"}
    assert "accuracy" in admin.ok("evaluation", "show", measured["id"])
    admin.ok("evaluation", "predictions", measured["id"], tmp_path / "said.jsonl")
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == 24

    more = tmp_path / "more"
    more.mkdir()
    for number in range(5):
        (more / f"{number}.png").write_bytes(picture("green", 60 + number))
    admin.ok("dataset", "draft", f"{labelled}@1", "--wait")
    admin.ok("dataset", "import", labelled, more, "--format", "files", "--wait")
    looked = admin.json("annotate", "auto", labelled, "--model", "made", "--threshold", "0.6", "--wait")
    assert (looked["counts"]["suggested"], looked["state"]) == (5, "done")
    accepted = admin.json("annotate", "suggestions", "accept", labelled, "--threshold", "0.6")
    assert accepted["changed"] == 5
    undone = admin.json("dataset", "suggestions", "undo", labelled, accepted["action"])
    assert undone["changed"] == 5
    assert admin.json("dataset", "suggestions", "reject", labelled)["changed"] == 5
    assert admin.json("annotate", "errors", labelled)["total"] == 0
    loop = admin.json("dataset", "loop", labelled)
    assert (loop["labelled"], loop["model"], loop["best"]["value"]) == (24, "made@1", 1.0)
    assert "made@1" in admin.ok("dataset", "loop", labelled)


def test_wrong_usage_is_told(admin: Shell, labelled: str) -> None:
    assert "--model" in admin.refused("annotate", "auto", labelled, code=2)
    assert admin.json("catalogue", "list", "--task", "ocr")["items"]
    admin.refused("catalogue", "install", "nothing")
