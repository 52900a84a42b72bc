"""Entries and runs as people see them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.known import KnownVersion, load_versions
from tidemill.datasets.works.service import error_view
from tidemill.inference.schemas import (
    ClassCount,
    InferenceRunView,
    InferenceSettingsView,
    InferenceView,
    LastInferenceRun,
)
from tidemill.inference.tables import InferenceRow, InferenceRunRow
from tidemill.kernel.i18n import Language
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.schemas import WorkloadView
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_views

CLASSES_SHOWN = 200
_GOING = frozenset({"starting", "running", "stopping"})


def inference_views(session: Session, rows: Sequence[InferenceRow]) -> list[InferenceView]:
    """All rows of a page at once, with one query for their newest runs."""
    ids = [row.last_run_id for row in rows if row.last_run_id]
    newest = {run.id: run for run in session.scalars(sa.select(InferenceRunRow).where(InferenceRunRow.id.in_(ids)))}
    return [_inference(row, newest.get(row.last_run_id or "")) for row in rows]


def inference_view(session: Session, row: InferenceRow) -> InferenceView:
    (view,) = inference_views(session, [row])
    return view


def run_views(session: Session, rows: Sequence[InferenceRunRow], language: Language) -> list[InferenceRunView]:
    """All rows of a page at once, with a query each for what they are shown with."""
    entries = {
        row.id: row
        for row in session.scalars(sa.select(InferenceRow).where(InferenceRow.id.in_({r.inference_id for r in rows})))
    }
    carriers = session.scalars(
        sa.select(WorkloadRow).where(WorkloadRow.id.in_([row.workload_id for row in rows if row.workload_id]))
    )
    carried = {view.id: view for view in workload_views(session, carriers.all(), language)}
    known = load_versions(session, {row.dataset_version_id for row in rows if row.dataset_version_id})
    return [
        _run(
            row,
            entries[row.inference_id],
            carried.get(row.workload_id or ""),
            known.get(row.dataset_version_id or ""),
            language,
        )
        for row in rows
    ]


def run_view(session: Session, row: InferenceRunRow, language: Language) -> InferenceRunView:
    (view,) = run_views(session, [row], language)
    return view


def _inference(row: InferenceRow, last: InferenceRunRow | None) -> InferenceView:
    return InferenceView(
        id=row.id,
        name=row.name,
        scene=row.scene,
        description=row.description,
        form=row.form,
        settings=settings_view(row.settings),
        runs_count=row.runs_count,
        last_run=_last(last) if last else None,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def settings_view(settings: dict[str, Any]) -> InferenceSettingsView:
    return InferenceSettingsView.model_validate(settings)


def _last(run: InferenceRunRow) -> LastInferenceRun:
    return LastInferenceRun(
        id=run.id,
        number=run.number,
        name=run.name,
        state=run.state,
        progress=percent(run),
        created_at=run.created_at,
    )


def _run(
    row: InferenceRunRow,
    entry: InferenceRow,
    workload: WorkloadView | None,
    dataset: KnownVersion | None,
    language: Language,
) -> InferenceRunView:
    rate = _rate(row)
    done = max(row.done, row.looked)
    is_live = dataset is not None and dataset.is_live
    return InferenceRunView(
        id=row.id,
        name=row.name,
        number=row.number,
        inference_id=row.inference_id,
        inference=entry.name,
        scene=entry.scene,
        form=row.form,
        state=row.state,
        status=row.state,
        stop_reason=workload.stop_reason if workload else None,
        message=workload.message if workload else None,
        exit_code=workload.exit_code if workload else None,
        attempt=row.attempts_before + (workload.attempt if workload else 0),
        settings=settings_view(row.settings),
        workload_id=row.workload_id,
        workload=workload,
        source=row.source,
        model_version_id=row.model_version_id,
        dataset=row.dataset,
        dataset_name=dataset.asset if is_live and dataset else None,
        dataset_version=dataset.number if is_live and dataset else None,
        dataset_project=dataset.project if is_live and dataset else None,
        dataset_version_id=row.dataset_version_id,
        task=row.task,
        stage=row.stage if row.state in _GOING else "",
        done=done,
        total=row.total,
        progress=percent(row),
        rate=rate,
        remaining_s=_remaining_s(row, done, rate),
        errors=row.errors,
        annotations=row.annotations,
        empty=row.empty,
        classes=_classes(row),
        shards=row.shards,
        size_bytes=row.size_bytes,
        has_results=row.shards > 0,
        can_resume=row.state in FINAL and not row.is_whole and not (row.form == "code" and row.state == "completed"),
        error=error_view(row.error, language),
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=row.started_at or (workload.started_at if workload else None),
        ended_at=row.ended_at,
    )


def percent(row: InferenceRunRow) -> float | None:
    if row.is_whole or (row.form == "code" and row.state == "completed"):
        return 100.0
    return min(100.0, round(100 * max(row.done, row.looked) / row.total, 1)) if row.total else None


def _classes(row: InferenceRunRow) -> list[ClassCount]:
    ordered = sorted(row.labels, key=lambda one: (-one[1], one[0]))[:CLASSES_SHOWN]
    return [ClassCount(label=name, items=items, annotations=count) for name, items, count in ordered if items]


def _rate(row: InferenceRunRow) -> float | None:
    """While it runs, of lately; afterwards, of all of it."""
    if row.state not in FINAL:
        return round(row.rate, 2) if row.rate and row.state in _GOING else None
    taken = _seconds(row.started_at, row.ended_at)
    return round(row.rate, 2) if row.rate else round(row.done / taken, 2) if taken and row.done else None


def _remaining_s(row: InferenceRunRow, done: int, rate: float | None) -> float | None:
    if row.state not in _GOING or not rate or row.total is None:
        return None
    return round(max(0, row.total - done) / rate, 1)


def _seconds(start: datetime | None, end: datetime | None) -> float:
    return (end - start).total_seconds() if start and end else 0.0
