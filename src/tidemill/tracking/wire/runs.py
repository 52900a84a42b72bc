"""Runs, as MLflow's client asks for them."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import NotFound
from tidemill.tracking import runs, targets, writing
from tidemill.tracking.search.finding import Shown, Wanted, find_runs
from tidemill.tracking.search.parsing import parse_filter, parse_orders
from tidemill.tracking.states import state_of
from tidemill.tracking.wire.bodies import Values, broken
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.experiments import DEFAULT_ID, DEFAULT_NAME, ID_MAX, KEY_MAX, find
from tidemill.tracking.wire.runs_out import new_run_out, run_info, runs_out
from tidemill.training import experiments
from tidemill.training.runs import bring_back, put_away
from tidemill.training.tables import RunRow

NAME_MAX = 500
TAG_MAX = 8000
TAGS_MAX = 1000
FOUND_MAX = 50_000
LINKS_MAX = 1000
_VIEWS: dict[str, Shown] = {
    "ACTIVE_ONLY": "live", "1": "live", "DELETED_ONLY": "deleted", "2": "deleted", "ALL": "all", "3": "all",
}  # fmt: skip


@endpoint("POST", "/mlflow/runs/create", "metric.write")
def create_run(call: Call) -> Any:
    values, by = call.values, call.by
    experiment_id = values.text("experiment_id", most=ID_MAX, default=DEFAULT_ID)
    name = values.text("run_name", most=NAME_MAX, default=None)
    began_ms: int = values.whole("start_time", default=int(by.now.timestamp() * 1000), least=0)
    tags = values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=TAGS_MAX)

    def work(session: Session) -> targets.Target:
        if experiment_id == DEFAULT_ID:
            place = experiments.ensure_experiment(session, DEFAULT_NAME, by=by).id
        else:
            runs.find_live_experiment(session, experiment_id, by=by)
            place = experiment_id
        return runs.create_run(session, place, name=name, start_ms=began_ms, tags=tags, by=by)

    return {"run": new_run_out(call.db.write_small(work), began_ms, tags, user=by.user_name)}


@endpoint("GET", "/mlflow/runs/get", "training.read")
def get_run(call: Call) -> Any:
    with call.db.read() as session:
        target = targets.find_target(session, run_id_of(call.values), by=call.by)
        (run,) = runs_out(session, [target.id])
    return {"run": run}


@endpoint("POST", "/mlflow/runs/update", "metric.write")
def update_run(call: Call) -> Any:
    values = call.values
    state = state_of(values.raw("status")) if values.has("status") else None
    end_ms = values.whole("end_time", default=None, least=0)
    name = values.text("run_name", most=NAME_MAX, default=None)

    def work(session: Session) -> dict[str, Any]:
        target = targets.get_target(session, run_id_of(values), by=call.by, measures=False)
        if name is not None:
            writing.set_tags(session, target, {writing.NAME_TAG: name})
        run = session.get_one(RunRow, target.id, with_for_update=True, populate_existing=True)
        runs.set_state(session, run, state, end_ms, by=call.by)
        session.flush()
        return run_info(run)

    return {"run_info": call.db.write_small(work)}


@endpoint("POST", "/mlflow/runs/delete", "training.write")
def delete_run(call: Call) -> Any:
    with call.db.write() as session:
        put_away(session, _locked(session, call), by=call.by)


@endpoint("POST", "/mlflow/runs/restore", "training.write")
def restore_run(call: Call) -> Any:
    with call.db.write() as session:
        bring_back(session, _locked(session, call), by=call.by)


@endpoint("POST", "/mlflow/runs/search", "training.read")
def search_runs(call: Call) -> Any:
    values = call.values
    wanted_ids = values.texts("experiment_ids", most=10_000, length=ID_MAX)
    terms = parse_filter(values.text("filter", most=10_000, default=""))
    orders = parse_orders(values.texts("order_by", most=20, length=600))
    view = str(values.raw("run_view_type") or "ACTIVE_ONLY")
    limit = values.whole("max_results", default=1000, least=1, most=FOUND_MAX)
    token = values.text("page_token", most=4000, default=None)
    if view not in _VIEWS:
        raise broken("field_choice", "run_view_type", expected=", ".join(_VIEWS))
    with call.db.read() as session:
        known = {row.id for one in wanted_ids if (row := find(session, one, by=call.by)) is not None}
        wanted = Wanted(sorted(known), terms, orders, _VIEWS[view])
        page = find_runs(session, wanted, limit=limit, cursor=token)
        found: dict[str, Any] = {"runs": runs_out(session, page.ids)}
    return found if page.next is None else {**found, "next_page_token": page.next}


@endpoint("POST", "/mlflow/runs/log-inputs", "metric.write")
def log_inputs(call: Call) -> Any:
    datasets = [_dataset(one) for one in call.values.objects("datasets", most=LINKS_MAX)]
    models = [{"model_id": one.text("model_id", most=100)} for one in call.values.objects("models", most=LINKS_MAX)]
    _add_links(call, {"datasets": datasets, "models": models})


@endpoint("POST", "/mlflow/runs/outputs", "metric.write")
def log_outputs(call: Call) -> Any:
    models = [
        {"model_id": one.text("model_id", most=100), "step": one.whole("step", default=0)}
        for one in call.values.objects("models", most=LINKS_MAX)
    ]
    _add_links(call, {"outputs": models})


@endpoint("POST", "/mlflow/runs/log-model", "metric.write")
def log_model(call: Call) -> Any:
    """Older clients note a model's folder in a tag, as their server did."""
    document = call.values.text("model_json", most=1_000_000)

    def work(session: Session) -> None:
        target = targets.get_target(session, run_id_of(call.values), by=call.by)
        writing.set_tags(session, target, {"mlflow.log-model.history": f"[{document}]"[:1_000_000]})

    call.db.write_small(work)


def run_id_of(values: Values) -> str:
    """Older clients say `run_uuid`."""
    found: str = values.text(
        "run_id" if values.raw("run_id") else "run_uuid" if values.raw("run_uuid") else "run_id", most=100
    )
    return found


def _locked(session: Session, call: Call) -> RunRow:
    run_id = run_id_of(call.values)
    mine = sa.select(RunRow).where(RunRow.id == run_id, RunRow.project_id == call.by.project.id)
    row = session.scalar(mine.with_for_update())
    if row is None:
        raise NotFound("run_not_found", name=run_id)
    return row


def _dataset(one: Values) -> dict[str, Any]:
    about = one.inner("dataset")
    told = {
        "name": about.text("name", most=500),
        "digest": about.text("digest", most=100),
        "source_type": about.text("source_type", most=200, default=""),
        "source": about.text("source", most=65_535, default=""),
        "schema": about.text("schema", most=1_048_575, default=""),
        "profile": about.text("profile", most=1_048_575, default=""),
    }
    tags = one.pairs("tags", key_max=255, value_max=500, most=100)
    return {
        "tags": [{"key": key, "value": value} for key, value in tags.items()],
        "dataset": {name: value for name, value in told.items() if value},
    }


def _add_links(call: Call, more: dict[str, list[Any]]) -> None:
    def work(session: Session) -> None:
        target = targets.get_target(session, run_id_of(call.values), by=call.by)
        run = session.get_one(RunRow, target.id, with_for_update=True, populate_existing=True)
        links = dict(run.links)
        for name, added in more.items():
            before = links.get(name, [])
            links[name] = [*before, *(one for one in added if one not in before)][:LINKS_MAX]
        run.links = links
        session.flush()

    call.db.write_small(work)
