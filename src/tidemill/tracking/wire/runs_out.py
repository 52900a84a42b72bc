"""Runs and experiments as MLflow's client reads them."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import in_batches
from tidemill.tracking.states import STATES
from tidemill.tracking.targets import Target
from tidemill.tracking.writing import NAME_TAG
from tidemill.training.tables import ExperimentRow, ParameterRow, RunRow, SeriesRow, TagRow

_INFO = (
    RunRow.id, RunRow.name, RunRow.experiment_id, RunRow.created_by, RunRow.state, RunRow.start_ms, RunRow.end_ms,
    RunRow.deleted_at, RunRow.links,
)  # fmt: skip
_METRIC = (SeriesRow.key, SeriesRow.last_value, SeriesRow.last_special, SeriesRow.last_at_ms, SeriesRow.last_step)
SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def artifact_uri(experiment_id: str, run_id: str) -> str:
    return f"mlflow-artifacts:/{experiment_id}/{run_id}/artifacts"


def run_info(row: Any) -> dict[str, Any]:
    """`row` has the columns of `_INFO`, or is a RunRow."""
    found = {
        "run_id": row.id,
        "run_uuid": row.id,
        "run_name": row.name,
        "experiment_id": row.experiment_id,
        "user_id": row.created_by,
        "status": STATES[row.state],
        "start_time": row.start_ms,
        "artifact_uri": artifact_uri(row.experiment_id, row.id),
        "lifecycle_stage": "active" if row.deleted_at is None else "deleted",
    }
    if row.end_ms is not None:
        found["end_time"] = row.end_ms
    return found


def runs_out(session: Session, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Whole runs, in the order of their ids."""
    runs: dict[str, dict[str, Any]] = {}
    for some in in_batches(ids):
        for row in session.execute(sa.select(*_INFO).where(RunRow.id.in_(some))):
            runs[row.id] = _run(row)
        _add_metrics(session, some, runs)
        for table, name in ((ParameterRow, "params"), (TagRow, "tags")):
            words = sa.select(table.run_id, table.key, table.value).where(table.run_id.in_(some))
            for run_id, key, value in session.execute(words):
                runs[run_id]["data"][name].append({"key": key, "value": value})
    return [runs[run_id] for run_id in ids if run_id in runs]


def new_run_out(made: Target, start_ms: int, tags: Mapping[str, str], *, user: str) -> dict[str, Any]:
    """A run that was made a moment ago: all that there is of it is known."""
    info = {
        "run_id": made.id,
        "run_uuid": made.id,
        "run_name": made.name,
        "experiment_id": made.experiment_id,
        "user_id": user,
        "status": "RUNNING",
        "start_time": start_ms,
        "artifact_uri": artifact_uri(made.experiment_id, made.id),
        "lifecycle_stage": "active",
    }
    words = [{"key": key, "value": value} for key, value in {**tags, NAME_TAG: made.name}.items()]
    return {"info": info, "data": {"metrics": [], "params": [], "tags": words}}


def experiment_out(row: ExperimentRow) -> dict[str, Any]:
    return {
        "experiment_id": row.id,
        "name": row.name,
        "artifact_location": f"mlflow-artifacts:/{row.id}",
        "lifecycle_stage": "active" if row.deleted_at is None else "deleted",
        "creation_time": int(row.created_at.timestamp() * 1000),
        "last_update_time": int(row.updated_at.timestamp() * 1000),
        "tags": [{"key": key, "value": value} for key, value in row.tags.items()],
    }


def metric_value(value: float | None, special: str | None) -> float | str:
    """As JSON can say it."""
    return value if value is not None else SPECIAL.get(special or "nan", "NaN")


def _run(row: Any) -> dict[str, Any]:
    links = row.links
    return {
        "info": run_info(row),
        "data": {"metrics": [], "params": [], "tags": []},
        "inputs": {"dataset_inputs": links.get("datasets", []), "model_inputs": links.get("models", [])},
        "outputs": {"model_outputs": links.get("outputs", [])},
    }


def _add_metrics(session: Session, ids: Sequence[str], runs: dict[str, dict[str, Any]]) -> None:
    newest = sa.select(SeriesRow.run_id, *_METRIC).where(
        SeriesRow.run_id.in_(ids), SeriesRow.experiment_id.is_not(None)
    )
    for run_id, key, value, special, at_ms, step in session.execute(newest):
        runs[run_id]["data"]["metrics"].append(
            {"key": key, "value": metric_value(value, special), "timestamp": at_ms, "step": step}
        )
