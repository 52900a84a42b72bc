"""Runs as people see them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.known import load_versions
from tidemill.kernel.i18n import Language
from tidemill.training.metrics.series import last_values
from tidemill.training.schemas import RunView, SettingsView
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import RunRow, TaskRow
from tidemill.workloads.schemas import WorkloadView
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_views


def run_views(session: Session, rows: Sequence[RunRow], language: Language) -> list[RunView]:
    """All rows of a page at once, with a query each for what they are shown with."""
    tasks = session.execute(sa.select(TaskRow.id, TaskRow.name).where(TaskRow.id.in_({row.task_id for row in rows})))
    names: dict[str, str] = dict(tasks.all())
    carriers = session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_([row.workload_id for row in rows])))
    workloads = {view.id: view for view in workload_views(session, carriers.all(), language)}
    begun = [row.id for row in rows if row.state != "pending" or row.attempts_before]
    models = _models(session, begun) if begun else {}
    values = last_values(session, begun) if begun else {}
    return [
        _view(
            row,
            names.get(row.task_id, ""),
            workloads.get(row.workload_id),
            models.get(row.id),
            values.get(row.id, {}),
        )
        for row in rows
    ]


def run_view(session: Session, row: RunRow, language: Language) -> RunView:
    (view,) = run_views(session, [row], language)
    return view


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


def _view(
    row: RunRow, task: str, workload: WorkloadView | None, model: str | None, metrics: dict[str, float | None]
) -> RunView:
    return RunView(
        id=row.id,
        name=row.name,
        number=row.number,
        task_id=row.task_id,
        task=task,
        state=row.state,
        status=row.state,
        stop_reason=workload.stop_reason if workload else None,
        message=workload.message if workload else None,
        exit_code=workload.exit_code if workload else None,
        attempt=row.attempts_before + (workload.attempt if workload else 0),
        retries=workload.retries_used if workload else 0,
        resumed_from=row.resumed_from,
        settings=SettingsView(**TaskSettings.model_validate(row.settings).model_dump()),
        workload_id=row.workload_id,
        workload=workload,
        metrics=metrics,
        model=model,
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=workload.started_at if workload else None,
        ended_at=workload.ended_at if workload else None,
    )
