"""Experiments, as MLflow's client asks for them."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.fields import is_unprintable
from tidemill.kernel.ids import looks_like_id
from tidemill.tracking.search import experiments as searching
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.runs_out import experiment_out
from tidemill.training import experiments
from tidemill.training.schemas import EXPERIMENT_NAME_MAX, ExperimentPatch
from tidemill.training.tables import ExperimentRow

DEFAULT_ID = "0"
DEFAULT_NAME = "Default"
KEY_MAX = 250
TAG_MAX = 20_000
ID_MAX = 64


@endpoint("POST", "/mlflow/experiments/create", "metric.write")
def create_experiment(call: Call) -> Any:
    name = _name(call.values.text("name", most=EXPERIMENT_NAME_MAX), "name")
    tags = call.values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=200)
    with call.db.write() as session:
        return {"experiment_id": experiments.create_experiment(session, name, tags=tags, by=call.by).id}


@endpoint("GET", "/mlflow/experiments/get", "training.read")
def get_experiment(call: Call) -> Any:
    experiment_id = call.values.text("experiment_id", most=ID_MAX)
    with call.db.read() as session:
        row = find(session, experiment_id, by=call.by)
        if row is not None:
            return {"experiment": experiment_out(row)}
    if experiment_id != DEFAULT_ID or not call.by.may("metric.write"):
        raise NotFound("experiment_not_found", name=experiment_id)
    with call.db.write() as session:
        return {"experiment": experiment_out(experiments.ensure_experiment(session, DEFAULT_NAME, by=call.by))}


@endpoint("GET", "/mlflow/experiments/get-by-name", "training.read")
def get_experiment_by_name(call: Call) -> Any:
    name = call.values.text("experiment_name", most=EXPERIMENT_NAME_MAX)
    with call.db.read() as session:
        row = session.scalar(
            sa.select(ExperimentRow).where(ExperimentRow.project_id == call.by.project.id, ExperimentRow.name == name)
        )
        if row is None:
            raise NotFound("experiment_not_found", name=name[:100])
        return {"experiment": experiment_out(row)}


@endpoint("POST", "/mlflow/experiments/search", "training.read")
def search_experiments(call: Call) -> Any:
    return _search(call)


@endpoint("GET", "/mlflow/experiments/search", "training.read")
def search_experiments_by_query(call: Call) -> Any:
    return _search(call)


@endpoint("POST", "/mlflow/experiments/update", "training.write")
def update_experiment(call: Call) -> Any:
    name = _name(call.values.text("new_name", most=EXPERIMENT_NAME_MAX), "new_name")
    with call.db.write() as session:
        experiments.update_experiment(session, _get(session, call), ExperimentPatch(name=name), by=call.by)


@endpoint("POST", "/mlflow/experiments/delete", "training.write")
def delete_experiment(call: Call) -> Any:
    with call.db.write() as session:
        experiments.delete_experiment(session, _get(session, call), by=call.by)


@endpoint("POST", "/mlflow/experiments/restore", "training.write")
def restore_experiment(call: Call) -> Any:
    with call.db.write() as session:
        experiments.restore_experiment(session, _get(session, call, deleted=True), by=call.by)


@endpoint("POST", "/mlflow/experiments/set-experiment-tag", "metric.write")
def set_experiment_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    value = call.values.text("value", most=TAG_MAX, least=0, default="")
    with call.db.write() as session:
        row = _get(session, call)
        row.tags, row.updated_at = {**row.tags, key: value}, call.by.now


@endpoint("POST", "/mlflow/experiments/delete-experiment-tag", "metric.write")
def delete_experiment_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    with call.db.write() as session:
        row = _get(session, call)
        if key not in row.tags:
            raise NotFound("tag_not_found", key=key)
        row.tags = {name: value for name, value in row.tags.items() if name != key}
        row.updated_at = call.by.now


def find(session: Session, experiment_id: str, *, by: Caller) -> ExperimentRow | None:
    """By id; `0` is the one that is there without being made."""
    if experiment_id == DEFAULT_ID:
        return experiments.find_experiment(session, DEFAULT_NAME, by=by)
    return experiments.find_experiment(session, experiment_id, by=by) if looks_like_id(experiment_id, "exp") else None


def _get(session: Session, call: Call, *, deleted: bool = False) -> ExperimentRow:
    experiment_id = call.values.text("experiment_id", most=ID_MAX)
    row = find(session, experiment_id, by=call.by)
    if row is None or (row.deleted_at is not None and not deleted):
        raise NotFound("experiment_not_found", name=experiment_id)
    session.refresh(row, with_for_update=True)
    return row


def _search(call: Call) -> Any:
    values = call.values
    with call.db.read() as session:
        rows, token = searching.search_experiments(
            session,
            project_id=call.by.project.id,
            filter_text=values.text("filter", most=10_000, default=""),
            order_by=values.texts("order_by", most=10, length=600),
            view=str(values.raw("view_type") or "ACTIVE_ONLY"),
            limit=values.whole("max_results", default=1000, least=1, most=50_000),
            token=values.text("page_token", most=3000, default=None),
        )
        found: dict[str, Any] = {"experiments": [experiment_out(row) for row in rows]}
    return found if token is None else {**found, "next_page_token": token}


def _name(text: str, field: str) -> str:
    """Taken as it is, when it can be shown and is no id."""
    if not text.strip() or any(map(is_unprintable, text)):
        raise Invalid("experiment_name_unfit", field=field)
    if looks_like_id(text, "exp"):
        raise Invalid("name_like_id", field=field)
    return text
