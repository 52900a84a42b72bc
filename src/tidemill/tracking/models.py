"""Logged models: what a run made, with files of its own, before it is registered as a version of a model."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.errors import Forbidden, NotFound
from tidemill.tracking.runs import new_name
from tidemill.tracking.tables import LoggedModelRow
from tidemill.tracking.targets import Target, get_target
from tidemill.tracking.writing import Measured

METRICS_MAX = 1000
_SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class Metric(NamedTuple):
    """A value that was measured of a model, perhaps on some data."""

    model_id: str
    key: str
    point: Measured
    dataset_name: str | None
    dataset_digest: str | None


def create_model(
    session: Session,
    experiment_id: str,
    *,
    name: str | None,
    model_type: str,
    run_id: str | None,
    parameters: dict[str, str],
    tags: dict[str, str],
    by: Caller,
) -> LoggedModelRow:
    """A model whose files are to come, in an experiment that was found to be the project's."""
    if run_id is not None:
        get_target(session, run_id, by=by)
    now_ms = int(by.now.timestamp() * 1000)
    row = LoggedModelRow(
        id=f"m-{secrets.token_hex(16)}",
        project_id=by.project.id,
        experiment_id=experiment_id,
        run_id=run_id,
        name=name or new_name(),
        model_type=model_type,
        status="pending",
        parameters=parameters,
        tags=tags,
        metrics=[],
        created_ms=now_ms,
        updated_ms=now_ms,
    )
    session.add(row)
    session.flush()
    return row


def get_model(session: Session, model_id: str, *, by: Caller, lock: bool = False) -> LoggedModelRow:
    mine = sa.select(LoggedModelRow).where(
        LoggedModelRow.id == model_id,
        LoggedModelRow.project_id == by.project.id,
        LoggedModelRow.deleted_at.is_(None),
    )
    row = session.scalar(mine.with_for_update() if lock else mine)
    if row is None:
        raise NotFound("logged_model_not_found", id=model_id[:100])
    return row


def get_own_model(session: Session, model_id: str, *, by: Caller) -> LoggedModelRow:
    """One that the caller may change, locked: a program's token only those of the runs it may log to."""
    row = get_model(session, model_id, by=by, lock=True)
    if row.run_id is not None:
        get_target(session, row.run_id, by=by, measures=by.workload_id is not None)
    elif by.workload_id is not None:
        raise Forbidden("logged_model_not_own", name=row.name[:100])
    return row


def add_metrics(session: Session, target: Target, given: Sequence[Metric], *, by: Caller) -> None:
    """The newest value of each key on each dataset is kept with the model."""
    for model_id in dict.fromkeys(metric.model_id for metric in given):
        row = get_own_model(session, model_id, by=by)
        kept = {_place(one): one for one in row.metrics}
        for metric in given:
            if metric.model_id == model_id:
                told = _told(target.id, metric)
                kept[_place(told)] = told
        row.metrics = list(kept.values())[-METRICS_MAX:]
        row.updated_ms = int(by.now.timestamp() * 1000)
    session.flush()


def model_out(row: LoggedModelRow) -> dict[str, Any]:
    """As MLflow's client reads it."""
    return {
        "info": {
            "model_id": row.id,
            "experiment_id": row.experiment_id,
            "name": row.name,
            "creation_timestamp_ms": row.created_ms,
            "last_updated_timestamp_ms": row.updated_ms,
            "artifact_uri": f"mlflow-artifacts:/{row.experiment_id}/models/{row.id}/artifacts",
            "status": f"LOGGED_MODEL_{'UPLOAD_FAILED' if row.status == 'failed' else row.status.upper()}",
            "model_type": row.model_type,
            "source_run_id": row.run_id or "",
            "tags": [{"key": key, "value": value} for key, value in row.tags.items()],
        },
        "data": {
            "params": [{"key": key, "value": value} for key, value in row.parameters.items()],
            "metrics": row.metrics,
        },
    }


def _told(run_id: str, metric: Metric) -> dict[str, Any]:
    step, value, at_ms = metric.point
    told = {
        "key": metric.key,
        "value": _SPECIAL.get(repr(value), value),
        "timestamp": at_ms,
        "step": step,
        "run_id": run_id,
        "model_id": metric.model_id,
        "dataset_name": metric.dataset_name,
        "dataset_digest": metric.dataset_digest,
    }
    return {name: each for name, each in told.items() if each is not None}


def _place(told: dict[str, Any]) -> tuple[Any, ...]:
    return told["key"], told.get("run_id"), told.get("dataset_name"), told.get("dataset_digest")
