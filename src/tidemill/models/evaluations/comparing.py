"""Evaluations on one dataset version, side by side."""

from collections.abc import Sequence
from typing import Any

from tidemill.kernel.errors import Conflict, Invalid
from tidemill.models.evaluations.schemas import (
    COMPARED_MAX,
    ComparedClass,
    ComparedCurves,
    ComparedMetric,
    DifferingItem,
    EvaluationComparison,
    EvaluationView,
)
from tidemill.models.model_files import goal_of
from tidemill.models.tables import EvaluationRow

DIFFERING_MAX = 100

Result = dict[str, Any]


def check(rows: Sequence[EvaluationRow]) -> None:
    """Raises unless they can stand side by side."""
    if not 2 <= len(rows) <= COMPARED_MAX:
        raise Invalid("evaluations_compared", field="ids", max=COMPARED_MAX)
    if any(row.state != "done" for row in rows):
        raise Conflict("evaluations_not_done", field="ids")
    if len({(row.dataset_version_id or row.dataset, row.part) for row in rows}) > 1:
        raise Conflict("evaluations_differ", field="ids")


def compare(views: Sequence[EvaluationView], results: Sequence[Result]) -> EvaluationComparison:
    """All of them in one; the order is the callers'."""
    first = views[0]
    return EvaluationComparison(
        dataset=first.dataset,
        task=first.task,
        primary=first.primary,
        evaluations=list(views),
        metrics=_metrics(views),
        classes=_classes(results),
        curves=[
            ComparedCurves(evaluation=view.id, pr=list((result.get("curves") or {}).get("pr") or []))
            for view, result in zip(views, results, strict=True)
        ],
        differing=_differing(results),
    )


def _metrics(views: Sequence[EvaluationView]) -> list[ComparedMetric]:
    names = list(dict.fromkeys(name for view in views for name in view.metrics))
    return [_metric(name, [view.metrics.get(name) for view in views]) for name in names]


def _metric(name: str, values: list[float | None]) -> ComparedMetric:
    goal = goal_of(name)
    known = [value for value in values if value is not None]
    best = None
    if len(set(known)) > 1:
        best = values.index(min(known) if goal == "min" else max(known))
    return ComparedMetric(name=name, goal="min" if goal == "min" else "max", values=values, best=best)


def _classes(results: Sequence[Result]) -> list[ComparedClass]:
    tables = [{str(one.get("label")): one for one in _dicts(result.get("classes"))} for result in results]
    labels = list(dict.fromkeys(label for table in tables for label in table))
    return [
        ComparedClass(
            label=label,
            support=next((table[label].get("support") for table in tables if label in table), None),
            values=[
                {name: value for name, value in table[label].items() if name not in {"label", "support"}}
                if label in table
                else None
                for table in tables
            ],
        )
        for label in labels
    ]


def _differing(results: Sequence[Result]) -> list[DifferingItem]:
    """Items that some got much more wrong than others, by how much."""
    tables = [
        {one["seq"]: one for one in _dicts(result.get("worst")) if isinstance(one.get("seq"), int)}
        for result in results
    ]
    paths = {seq: str(one.get("path", "")) for table in tables for seq, one in table.items()}
    rows = [(seq, [_badness(table.get(seq)) for table in tables]) for seq in paths]
    rows.sort(key=lambda row: (-_spread(row[1]), row[0]))
    return [DifferingItem(seq=seq, path=paths[seq], bad=bad) for seq, bad in rows if _spread(bad) > 0][:DIFFERING_MAX]


def _badness(one: dict[str, Any] | None) -> float | None:
    value = one.get("badness") if one else None
    return float(value) if isinstance(value, int | float) else None


def _spread(values: Sequence[float | None]) -> float:
    known = [value or 0.0 for value in values]
    return max(known) - min(known)


def _dicts(found: Any) -> list[dict[str, Any]]:
    return [one for one in found or () if isinstance(one, dict)]
