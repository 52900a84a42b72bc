"""The loop on one page: what is labelled, how good models are, what to do next; and a whole round of it."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.datasets.conftest import Desk, code_of, run_jobs
from tests.datasets.working import Works
from tests.models.colours import model_files
from tests.models.conftest import colours, put
from tests.models.test_facts import manifest_files
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.models.loop.advising import Standing, advise
from tidemill.models.loop.rounds import Rounds
from tidemill.training.tables import RunRow
from tidemill.workloads import lifecycle
from tidemill.workloads.tables import WorkloadRow

EVALUATION = b'{"task": "image-classification", "items": 4, "metrics": {"accuracy": 0.75}, "primary": "accuracy"}'


def standing(**more: Any) -> Standing:
    usual: dict[str, Any] = {
        "is_busy": False, "labelled": 100, "suggested": 0, "unlabelled": 50, "trained_with": 100, "quality": 0.7,
        "has_looked": True,
    }  # fmt: skip
    return Standing(**{**usual, **more})


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"is_busy": True}, ("wait", None)),
        ({"labelled": 3}, ("label_first", "label")),
        ({"trained_with": None}, ("train_first", "train")),
        ({"suggested": 5}, ("look_at_suggestions", "suggestions")),
        ({"labelled": 130}, ("retrain", "retrain")),
        ({"has_looked": False}, ("auto_annotate", "auto")),
        ({}, ("label_more", "label")),
        ({"unlabelled": 0}, ("good_enough", None)),
        ({"unlabelled": 0, "labelled": 101}, ("retrain", "retrain")),
    ],
)
def test_the_advice_follows_from_how_things_stand(changes: dict[str, Any], advice: tuple[str, str | None]) -> None:
    assert advise(standing(**changes)) == advice


def train_here(app: FastAPI, run_id: str, files: dict[str, bytes]) -> None:
    """What the engine and the run would do: it ends well, and its model is saved."""
    number = put(app, "tides", "model", "colours", files)
    db, clock = app.state.db, app.state.clock
    with db.write() as session:
        run = session.get_one(RunRow, run_id)
        workload = session.get_one(WorkloadRow, run.workload_id)
        for state in ("starting", "running", "completed"):
            assert lifecycle.move(session, workload, state, reason=None, by="test", now=clock())  # type: ignore[arg-type]
        version = session.scalars(
            sa.select(VersionRow)
            .join(AssetRow, AssetRow.id == VersionRow.asset_id)
            .where(AssetRow.name == "colours", AssetRow.kind == "model", VersionRow.number == number)
        ).one()
        version.origin = "run"
        workload.output_version_id, workload.outputs_state = version.id, "done"


def loop(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = desk.person.ok("get", f"{desk.root}/{desk.dataset}/loop")
    return found


def test_a_whole_round_publishes_trains_and_annotates_the_new_draft(app: FastAPI, works: Works, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    colours(desk, {"red": 3, "green": 2}, labelled=False, first=100)
    before = loop(desk)
    assert (before["labelled"], before["unlabelled"], before["advice"]["code"]) == (16, 5, "train_first")
    assert (before["next_order"], len(before["next_items"])) == ("seq", 5)
    assert before["actions"]["auto"]["reason"]
    rounds = Rounds(app)
    at = f"{desk.root}/{desk.dataset}/loop"
    begun = desk.person.ok("post", f"{at}/retrain", json={"then_annotate": True})
    assert (begun["step"], begun["state"]) == ("publishing", "running")
    assert code_of(desk.person.post(f"{at}/retrain", json={})) in {"loop_busy", "loop_no_draft"}
    rounds.look()
    run_jobs(app)
    rounds.look()
    assert loop(desk)["round"]["step"] == "copying"
    run_jobs(app)
    rounds.look()
    going = loop(desk)["round"]
    assert (going["step"], going["draft"]) == ("training", 2)
    rounds.look()
    train_here(app, going["run"]["id"], {**model_files(), "evaluation/evaluation.json": EVALUATION})
    rounds.look()
    going = loop(desk)["round"]
    assert (going["step"], going["model"]) == ("annotating", "colours@1")
    draft = desk.version(2)
    work = draft.ok("get", f"/auto/{going['auto']}")
    assert works.run(draft, work)["state"] == "done"
    rounds.look()
    after = loop(desk)
    assert (after["round"]["state"], after["round"]["step"]) == ("done", "done")
    assert (after["suggested"], after["labelled"], after["next_order"]) == (5, 16, "uncertainty")
    (point,) = after["curve"]
    assert (point["labelled"], point["value"], point["metric"]) == (16, 0.75, "accuracy")
    assert point["evaluation"]
    assert after["advice"]["code"] == "look_at_suggestions"
    evaluation = desk.person.ok("get", f"/projects/tides/evaluations/{point['evaluation']}")
    assert (evaluation["origin"], evaluation["dataset"], evaluation["model"]) == ("run", "colours@1", "colours@1")


def test_a_round_whose_run_fails_says_so_and_the_next_can_begin(app: FastAPI, desk: Desk) -> None:
    put(app, "public", "algorithm", "image-classification", manifest_files())
    app.state.facts.look()
    colours(desk, {"red": 8, "green": 8})
    at = f"{desk.root}/{desk.dataset}/loop"
    desk.person.ok("post", f"{at}/retrain")
    rounds = Rounds(app)
    for _ in range(3):
        run_jobs(app)
        rounds.look()
    run = loop(desk)["round"]["run"]
    desk.person.ok("post", f"/projects/tides/runs/{run['id']}/stop")
    rounds.look()
    ended = loop(desk)["round"]
    assert ended["state"] == "failed"
    assert run["name"] in ended["error"]["message"]
    assert desk.person.ok("post", f"{at}/retrain")["state"] == "running"


def test_a_round_needs_labels_and_can_be_stopped(app: FastAPI, desk: Desk, tmp_path: Path) -> None:
    colours(desk, {"red": 2})
    at = f"{desk.root}/{desk.dataset}/loop"
    assert code_of(desk.person.post(f"{at}/retrain")) == "train_too_few_labels"
    colours(desk, {"red": 8, "green": 8}, first=50)
    begun = desk.person.ok("post", f"{at}/retrain")
    stopped = desk.person.ok("post", f"{at}/rounds/{begun['id']}/stop")
    assert stopped["state"] == "stopped"
    assert code_of(desk.person.post(f"{at}/rounds/{begun['id']}/stop")) == "loop_round_ended"
    assert desk.person.ok("get", f"{at}/rounds")["total"] == 1
