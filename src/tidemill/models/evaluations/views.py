"""Evaluations as people see them."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.known import KnownVersion, load_versions
from tidemill.datasets.works.service import error_view
from tidemill.kernel.i18n import Language
from tidemill.models.evaluations.schemas import EvaluationView, RunName
from tidemill.models.tables import EvaluationRow
from tidemill.training.tables import RunRow


def evaluation_views(session: Session, rows: Sequence[EvaluationRow], *, by: Caller) -> list[EvaluationView]:
    return views_in(session, rows, by.language)


def views_in(session: Session, rows: Sequence[EvaluationRow], language: Language) -> list[EvaluationView]:
    """All rows of a page at once, with a query each for what they are shown with."""
    known = load_versions(session, {row.dataset_version_id for row in rows if row.dataset_version_id})
    ids = {row.run_id for row in rows if row.run_id}
    runs = dict(session.execute(sa.select(RunRow.id, RunRow.name).where(RunRow.id.in_(ids))).all()) if ids else {}
    return [_view(row, known.get(row.dataset_version_id or ""), runs.get(row.run_id or ""), language) for row in rows]


def _view(row: EvaluationRow, dataset: KnownVersion | None, run: str | None, language: Language) -> EvaluationView:
    name, _, number = row.dataset.rpartition("/")[2].rpartition("@")
    percent = None
    if row.state == "done":
        percent = 100.0
    elif row.total:
        percent = min(100.0, round(100 * row.done / row.total, 1))
    return EvaluationView(
        id=row.id,
        state=row.state,
        origin=row.origin,
        model=row.model,
        model_version_id=row.model_version_id,
        dataset=row.dataset,
        dataset_name=dataset.asset if dataset else name,
        dataset_version=dataset.number if dataset else int(number) if number.isdecimal() else None,
        dataset_project=dataset.project if dataset and dataset.is_live else None,
        dataset_version_id=row.dataset_version_id,
        task=row.task,
        part=row.part,
        threshold=row.threshold,
        items=row.items,
        metrics=row.metrics,
        primary=row.primary_metric or None,
        primary_value=row.metrics.get(row.primary_metric) if row.primary_metric else None,
        stage=row.stage,
        progress=percent,
        error=error_view(row.error, language),
        run=RunName(id=row.run_id, name=run) if row.run_id and run else None,
        workload_id=row.workload_id,
        has_predictions=row.predictions_digest is not None,
        created_at=row.created_at,
        created_by=row.created_by,
        finished_at=row.finished_at,
    )
