"""Runs as people see them."""

from collections.abc import Sequence, Set
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.known import load_versions
from tidemill.kernel.i18n import Language
from tidemill.store.tables import TreeRow
from tidemill.training import facts
from tidemill.training.metrics.series import last_values
from tidemill.training.schemas import DatasetUsed, RunView, SettingsView
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import ExperimentRow, RunRow, TaskRow
from tidemill.workloads.schemas import WorkloadView
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_views


def run_views(session: Session, rows: Sequence[RunRow], language: Language) -> list[RunView]:
    """All rows of a page at once, with a query each for what they are shown with."""
    names = _names(session, TaskRow, {row.task_id for row in rows})
    places = _names(session, ExperimentRow, {row.experiment_id for row in rows})
    carriers = session.scalars(
        sa.select(WorkloadRow).where(WorkloadRow.id.in_([row.workload_id for row in rows if row.workload_id]))
    )
    workloads = {view.id: view for view in workload_views(session, carriers.all(), language)}
    ids = [row.id for row in rows]
    parameters, tags = facts.load_parameters(session, ids), facts.load_tags(session, ids)
    counted = sa.select(TreeRow.id, TreeRow.files).where(TreeRow.id.in_([row.tree_id for row in rows if row.tree_id]))
    files: dict[str, int] = dict(session.execute(counted).all())
    begun = [row.id for row in rows if row.state != "pending" or row.attempts_before or row.workload_id is None]
    models = _models(session, begun) if begun else {}
    values = last_values(session, begun) if begun else {}
    return [
        _view(
            row,
            workloads.get(row.workload_id or ""),
            task=names.get(row.task_id or ""),
            experiment=places.get(row.experiment_id, ""),
            parameters=parameters[row.id],
            tags=tags[row.id],
            model=models.get(row.id),
            metrics=values.get(row.id, {}),
            files_count=files.get(row.tree_id or "", 0),
        )
        for row in rows
    ]


def run_view(session: Session, row: RunRow, language: Language) -> RunView:
    (view,) = run_views(session, [row], language)
    return view


def _names(session: Session, table: type[TaskRow] | type[ExperimentRow], ids: Set[str | None]) -> dict[str, str]:
    found = session.execute(sa.select(table.id, table.name).where(table.id.in_([one for one in ids if one])))
    return dict(found.all())


def _models(session: Session, run_ids: Sequence[str]) -> dict[str, str]:
    """`name@version` of the newest model each run saved."""
    saved = session.execute(
        sa.select(WorkloadRow.owner_id, WorkloadRow.output_version_id)
        .where(WorkloadRow.owner_id.in_(run_ids), WorkloadRow.output_version_id.is_not(None))
        .order_by(WorkloadRow.id)
    ).all()
    newest: dict[str, str] = {run_id: version_id for run_id, version_id in saved if version_id}
    known = load_versions(session, set(newest.values()))
    return {
        run_id: f"{known[version_id].asset}@{known[version_id].number}"
        for run_id, version_id in newest.items()
        if version_id in known and known[version_id].is_live
    }


def _view(row: RunRow, workload: WorkloadView | None, **shown: Any) -> RunView:
    return RunView(
        id=row.id,
        name=row.name,
        number=row.number,
        experiment_id=row.experiment_id,
        task_id=row.task_id,
        state=row.state,
        status=row.state,
        stop_reason=workload.stop_reason if workload else None,
        message=workload.message if workload else None,
        exit_code=workload.exit_code if workload else None,
        attempt=row.attempts_before + (workload.attempt if workload else 0),
        retries=workload.retries_used if workload else 0,
        resumed_from=row.resumed_from,
        settings=SettingsView(**TaskSettings.model_validate(row.settings).model_dump()) if row.settings else None,
        workload_id=row.workload_id,
        workload=workload,
        datasets=[_dataset(used) for used in row.links.get("datasets", [])],
        **shown,
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=workload.started_at if workload else _moment(row, row.start_ms),
        ended_at=workload.ended_at if workload else _moment(row, row.end_ms),
    )


def _moment(row: RunRow, at_ms: int | None) -> datetime | None:
    """What a run from outside says of its times; one of a task has its workload's."""
    return datetime.fromtimestamp(at_ms / 1000, UTC) if at_ms is not None and row.workload_id is None else None


def _dataset(used: dict[str, Any]) -> DatasetUsed:
    """As the MLflow client tells it: the tags hold what it was used for."""
    about = used.get("dataset", {})
    tags = {tag.get("key"): tag.get("value") for tag in used.get("tags", [])}
    return DatasetUsed(
        name=about.get("name", ""),
        digest=about.get("digest", ""),
        source=about.get("source", ""),
        context=tags.get("mlflow.data.context"),
    )
