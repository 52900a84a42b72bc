"""An experiment's table: rows of runs with what was measured and set, and the names there are."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.paging import COUNT_CAP
from tidemill.tracking.schemas import KeysView, TrackedRun, TrackedRunPage
from tidemill.tracking.search.finding import Wanted, count_runs, find_runs
from tidemill.tracking.search.parsing import Order
from tidemill.training import facts
from tidemill.training.metrics.series import last_values
from tidemill.training.tables import ExperimentRow, ParameterRow, RunRow, SeriesRow, TagRow, TaskRow

KEYS_MAX = 300
TAGS_LOOKED_AT = 200


def list_runs(
    session: Session, experiment: ExperimentRow, wanted: Wanted, *, limit: int, cursor: str | None
) -> TrackedRunPage:
    """One page of the table."""
    page = find_runs(session, wanted, limit=limit, cursor=cursor)
    total = count_runs(session, wanted, most=COUNT_CAP + 1) if wanted.terms else experiment.runs_count
    return TrackedRunPage(
        items=_views(session, page.ids),
        next=page.next,
        total=min(total, COUNT_CAP) if wanted.terms else total,
        total_capped=bool(wanted.terms) and total > COUNT_CAP,
    )


def has_numbers(session: Session, experiment: ExperimentRow, orders: Sequence[Order]) -> bool:
    """Whether the first parameter that is sorted by is a number in any run."""
    for order in orders:
        if order.field.entity == "parameter":
            some = sa.select(ParameterRow.run_id).where(
                ParameterRow.experiment_id == experiment.id,
                ParameterRow.key == order.field.name,
                ParameterRow.number.is_not(None),
            )
            return session.scalar(some.limit(1)) is not None
    return False


def list_keys(session: Session, experiment: ExperimentRow) -> KeysView:
    """Names of metrics and parameters from their index, one step a name; of tags, those of the newest runs."""
    metrics = _distinct(session, SeriesRow, experiment.id)
    parameters = _distinct(session, ParameterRow, experiment.id)
    newest = (
        sa.select(RunRow.id)
        .where(RunRow.experiment_id == experiment.id, RunRow.deleted_at.is_(None))
        .order_by(RunRow.start_ms.desc(), RunRow.id.desc())
        .limit(TAGS_LOOKED_AT)
    )
    tags = session.scalars(sa.select(TagRow.key).where(TagRow.run_id.in_(newest)).distinct().order_by(TagRow.key))
    return KeysView(
        metrics=metrics[:KEYS_MAX],
        parameters=parameters[:KEYS_MAX],
        tags=list(tags)[:KEYS_MAX],
        is_cut=len(metrics) > KEYS_MAX or len(parameters) > KEYS_MAX,
    )


def _distinct(session: Session, table: Any, experiment_id: str) -> list[str]:
    """From one name to the next: however many runs there are, it costs what there are names."""
    found: list[str] = []
    last = ""
    while len(found) <= KEYS_MAX:
        following = sa.select(sa.func.min(table.key)).where(table.experiment_id == experiment_id, table.key > last)
        key = session.scalar(following)
        if key is None:
            break
        found.append(key)
        last = key
    return found


def _views(session: Session, ids: Sequence[str]) -> list[TrackedRun]:
    rows = {
        row.id: row
        for row in session.execute(
            sa.select(
                RunRow.id, RunRow.name, RunRow.state, RunRow.created_by, RunRow.start_ms, RunRow.end_ms,
                TaskRow.name.label("task"),
            )
            .outerjoin(TaskRow, TaskRow.id == RunRow.task_id)
            .where(RunRow.id.in_(ids))
        )
    }  # fmt: skip
    metrics = last_values(session, ids)
    parameters, tags = facts.load_parameters(session, ids), facts.load_tags(session, ids)
    return [
        TrackedRun(
            id=row.id,
            name=row.name,
            state=row.state,
            task=row.task,
            created_by=row.created_by,
            started_at=_moment(row.start_ms),
            ended_at=None if row.end_ms is None else _moment(row.end_ms),
            duration_s=None if row.end_ms is None else max(0.0, (row.end_ms - row.start_ms) / 1000),
            metrics=metrics[row.id],
            parameters=parameters[row.id],
            tags=tags[row.id],
        )
        for run_id in ids
        if (row := rows.get(run_id)) is not None
    ]


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
