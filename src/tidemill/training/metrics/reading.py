"""Curves as they go out."""

import math
from collections.abc import Sequence

from sqlalchemy.orm import Session

from tidemill.training.metrics.points import Points, thin_out
from tidemill.training.metrics.series import list_series, load_points
from tidemill.training.schemas import ComparedRun, ComparisonView, MetricsView, SeriesView
from tidemill.training.tables import RunRow, SeriesRow
from tidemill.workloads.lifecycle import FINAL


def read_metrics(
    session: Session, run: RunRow, *, keys: Sequence[str] | None, since_step: int | None, points: int
) -> MetricsView:
    """The run's curves, thinned out to so many points each."""
    rows = list_series(session, [run.id], keys)
    found = load_points(session, rows, since_step)
    return MetricsView(series=[_view(row, thin_out(found[row.id], points)) for row in rows], is_over=_is_over(run))


def _is_over(run: RunRow) -> bool:
    """A run from outside may be logged to until it says that it has ended."""
    return not run.metrics_open and (run.workload_id is not None or run.state in FINAL)


def compare(session: Session, runs: Sequence[RunRow], *, key: str | None, points: int) -> ComparisonView:
    """One key of several runs; without a key, the first that most of them have."""
    rows = list_series(session, [run.id for run in runs])
    keys = sorted({row.key for row in rows})
    chosen = key if key is not None else _most_common(rows)
    by_run = {row.run_id: row for row in rows if row.key == chosen}
    found = load_points(session, by_run.values())
    compared = [
        ComparedRun(
            run=run.id,
            name=run.name,
            state=run.state,
            series=_view(row, thin_out(found[row.id], points)) if (row := by_run.get(run.id)) else None,
        )
        for run in runs
    ]
    return ComparisonView(key=chosen, keys=keys, runs=compared)


def _most_common(rows: Sequence[SeriesRow]) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.key] = counts.get(row.key, 0) + 1
    return min(counts, key=lambda key: (-counts[key], key), default="")


def _view(row: SeriesRow, points: Points) -> SeriesView:
    return SeriesView(
        key=row.key,
        source=row.source,
        points=[(step, value if math.isfinite(value) else None, at_ms) for step, value, at_ms in points],
        last=row.last_value,
        last_step=row.last_step,
        min=row.min_value,
        max=row.max_value,
        count=row.count,
    )
