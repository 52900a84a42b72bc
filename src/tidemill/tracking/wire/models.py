"""Logged models, as MLflow's client asks for them."""

from typing import Any

import sqlalchemy as sa

from tidemill.kernel.errors import Invalid, NotFound
from tidemill.tracking import models
from tidemill.tracking.files import list_folder
from tidemill.tracking.runs import find_live_experiment
from tidemill.tracking.search.conditions import compare
from tidemill.tracking.search.experiments import page_start, page_token
from tidemill.tracking.search.words import Words, parse_words
from tidemill.tracking.tables import LoggedModelRow
from tidemill.tracking.wire.bodies import broken
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.experiments import DEFAULT_ID, DEFAULT_NAME, ID_MAX, KEY_MAX, find
from tidemill.training import experiments

_STATUSES = {
    "LOGGED_MODEL_PENDING": "pending", "LOGGED_MODEL_READY": "ready", "LOGGED_MODEL_UPLOAD_FAILED": "failed",
    1: "pending", 2: "ready", 3: "failed",
}  # fmt: skip
_WORDS = Words(
    texts=("name", "model_id", "model_type", "status", "source_run_id", "experiment_id"),
    numbers=("creation_timestamp", "last_updated_timestamp", "creation_time", "last_updated_time"),
)
_COLUMNS: dict[str, Any] = {
    "name": LoggedModelRow.name,
    "model_id": LoggedModelRow.id,
    "model_type": LoggedModelRow.model_type,
    "status": LoggedModelRow.status,
    "source_run_id": LoggedModelRow.run_id,
    "experiment_id": LoggedModelRow.experiment_id,
    "creation_timestamp": LoggedModelRow.created_ms,
    "creation_time": LoggedModelRow.created_ms,
    "last_updated_timestamp": LoggedModelRow.updated_ms,
    "last_updated_time": LoggedModelRow.updated_ms,
}
TAG_MAX = 20_000


@endpoint("POST", "/mlflow/logged-models", "metric.write")
def create_logged_model(call: Call) -> Any:
    values = call.values
    experiment_id = values.text("experiment_id", most=ID_MAX, default=DEFAULT_ID)
    with call.db.write() as session:
        if experiment_id == DEFAULT_ID:
            experiment_id = experiments.ensure_experiment(session, DEFAULT_NAME, by=call.by).id
        find_live_experiment(session, experiment_id, by=call.by)
        row = models.create_model(
            session,
            experiment_id,
            name=values.text("name", most=500, default=None),
            model_type=values.text("model_type", most=500, default=""),
            run_id=values.text("source_run_id", most=100, default=None),
            parameters=values.pairs("params", key_max=KEY_MAX, value_max=TAG_MAX, most=2000),
            tags=values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=1000),
            by=call.by,
        )
        return {"model": models.model_out(row)}


@endpoint("POST", "/mlflow/logged-models/search", "training.read")
def search_logged_models(call: Call) -> Any:
    values = call.values
    limit = values.whole("max_results", default=100, least=1, most=1000)
    before = page_start(values.text("page_token", most=200, default=None))
    with call.db.read() as session:
        given = values.texts("experiment_ids", most=1000, length=ID_MAX)
        ids = [row.id for one in given if (row := find(session, one, by=call.by)) is not None]
        statement = sa.select(LoggedModelRow).where(
            LoggedModelRow.experiment_id.in_(ids), LoggedModelRow.deleted_at.is_(None)
        )
        dialect = session.get_bind().dialect.name
        for term in parse_words(values.text("filter", most=10_000, default=""), _WORDS):
            column: Any = LoggedModelRow.tags[term.name].as_string() if term.is_tag else _COLUMNS[term.name]
            value = _STATUSES.get(f"LOGGED_MODEL_{term.value}", term.value) if term.name == "status" else term.value
            statement = statement.where(compare(column, term.operator, value, dialect))
        for order in values.objects("order_by", most=5):
            name = order.text("field_name", most=100)
            if name not in _COLUMNS:
                raise Invalid("order_unknown", field="order_by", given=name, allowed=", ".join(_COLUMNS))
            column = _COLUMNS[name]
            is_up = order.raw("ascending") is None or order.flag("ascending")
            statement = statement.order_by(column.asc() if is_up else column.desc())
        newest = statement.order_by(LoggedModelRow.created_ms.desc(), LoggedModelRow.id)
        rows = session.scalars(newest.offset(before).limit(limit + 1)).all()
        found: dict[str, Any] = {"models": [models.model_out(row) for row in rows[:limit]]}
    return found | ({"next_page_token": page_token(before + limit)} if len(rows) > limit else {})


@endpoint("GET", "/mlflow/logged-models/{model_id}", "training.read")
def get_logged_model(call: Call) -> Any:
    with call.db.read() as session:
        return {"model": models.model_out(models.get_model(session, call.path["model_id"], by=call.by))}


@endpoint("PATCH", "/mlflow/logged-models/{model_id}", "metric.write")
def finalize_logged_model(call: Call) -> Any:
    status = _STATUSES.get(call.values.raw("status"))
    if status is None:
        raise broken("field_choice", "status", expected="LOGGED_MODEL_READY, LOGGED_MODEL_UPLOAD_FAILED")
    with call.db.write() as session:
        row = _changed(call, session)
        row.status = status
        session.flush()
        return {"model": models.model_out(row)}


@endpoint("DELETE", "/mlflow/logged-models/{model_id}", "metric.write")
def delete_logged_model(call: Call) -> Any:
    with call.db.write() as session:
        _changed(call, session).deleted_at = call.by.now


@endpoint("PATCH", "/mlflow/logged-models/{model_id}/tags", "metric.write")
def set_logged_model_tags(call: Call) -> Any:
    tags = call.values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=1000)
    with call.db.write() as session:
        row = _changed(call, session)
        row.tags = {**row.tags, **tags}
        session.flush()
        return {"model": models.model_out(row)}


@endpoint("DELETE", "/mlflow/logged-models/{model_id}/tags/{tag_key}", "metric.write")
def delete_logged_model_tag(call: Call) -> Any:
    key = call.path["tag_key"]
    with call.db.write() as session:
        row = _changed(call, session)
        if key not in row.tags:
            raise NotFound("tag_not_found", key=key[:100])
        row.tags = {name: value for name, value in row.tags.items() if name != key}


@endpoint("POST", "/mlflow/logged-models/{model_id}/params", "metric.write")
def log_logged_model_params(call: Call) -> Any:
    parameters = call.values.pairs("params", key_max=KEY_MAX, value_max=TAG_MAX, most=2000)
    with call.db.write() as session:
        row = _changed(call, session)
        row.parameters = {**row.parameters, **parameters}


@endpoint("GET", "/mlflow/logged-models/{model_id}/artifacts/directories", "training.read")
def list_logged_model_artifacts(call: Call) -> Any:
    path = call.values.text("artifact_directory_path", most=4096, default="").strip("/")
    with call.db.read() as session:
        row = models.get_model(session, call.path["model_id"], by=call.by)
        files = list_folder(session, row.tree_id, path)
    return {"root_uri": models.model_out(row)["info"]["artifact_uri"], "files": files}


def _changed(call: Call, session: Any) -> LoggedModelRow:
    row = models.get_own_model(session, call.path["model_id"], by=call.by)
    row.updated_ms = int(call.by.now.timestamp() * 1000)
    return row
