"""Curves over HTTP."""

from typing import Annotated

from fastapi import Query

from tidemill.kernel.errors import Invalid
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.training import runs
from tidemill.training.metrics import adding, reading
from tidemill.training.routes.callers import Measurer, Reader, RunPath
from tidemill.training.schemas import (
    COMPARED_MAX,
    METRIC_KEY_MAX,
    POINTS_SHOWN,
    POINTS_SHOWN_MAX,
    ComparisonView,
    MetricsAdd,
    MetricsAdded,
    MetricsView,
)

router = Router(tags=["training"], prefix="/projects/{project}/runs")

Key = Annotated[str, Query(max_length=METRIC_KEY_MAX)]
Shown = Annotated[int, Query(ge=1, le=POINTS_SHOWN_MAX, description="At most so many points a curve; peaks are kept")]


@router.get("/compare")
def compare_runs(
    caller: Reader,
    session: ReadSession,
    ids: Annotated[list[str], Query(min_length=1, max_length=COMPARED_MAX, description="Names or ids of runs")],
    key: Annotated[str | None, Query(max_length=METRIC_KEY_MAX)] = None,
    points: Shown = POINTS_SHOWN,
) -> ComparisonView:
    """One key of several runs, for one chart. `ids` may be repeated, or separated by commas."""
    names = list(dict.fromkeys(name for text in ids for name in text.split(",") if name))
    if not 1 <= len(names) <= COMPARED_MAX:
        raise Invalid("runs_compared", field="ids", max=COMPARED_MAX)
    found = [runs.get_run(session, name, by=caller) for name in names]
    return reading.compare(session, found, key=key, points=points)


@router.get("/{run}/metrics")
def get_run_metrics(
    run: RunPath,
    caller: Reader,
    session: ReadSession,
    keys: Annotated[list[Key] | None, Query(max_length=200, description="Only these; all when left out")] = None,
    since_step: Annotated[int | None, Query(ge=-(2**62), le=2**62, description="Only points after this step")] = None,
    points: Shown = POINTS_SHOWN,
) -> MetricsView:
    row = runs.get_run(session, run, by=caller)
    return reading.read_metrics(session, row, keys=keys, since_step=since_step, points=points)


@router.post("/{run}/metrics")
def add_run_metrics(run: RunPath, body: MetricsAdd, caller: Measurer, session: WriteSession) -> MetricsAdded:
    """Adds points to the curves of the run whose own token this is called with."""
    row = runs.get_run(session, run, by=caller)
    adding.refuse_others(row, caller.workload_id)
    changed = adding.add_metrics(session, row, body)
    adding.note_change(session, row, caller.now)
    return MetricsAdded(series=changed)
