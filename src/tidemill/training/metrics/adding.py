"""Points that a run's own script sends."""

import time
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import announce
from tidemill.kernel.errors import Forbidden
from tidemill.training.metrics import cursors
from tidemill.training.metrics.series import Incoming, add_points
from tidemill.training.schemas import MetricsAdd
from tidemill.training.tables import RUNS_TOPIC, RunRow


def refuse_others(run: RunRow, workload_id: str | None) -> None:
    """Curves are what a run measured: nobody else may draw in them. A run from outside is whoever logs to it, but no
    other run's program."""
    if run.workload_id is None and workload_id is None:
        return
    if workload_id is None or workload_id != run.workload_id:
        raise Forbidden("metrics_not_own_run", name=run.name)


def add_metrics(session: Session, run: RunRow, body: MetricsAdd) -> int:
    """Adds a batch, once; how many curves changed."""
    if body.sender is not None and body.batch is not None:
        source = f"sdk:{body.sender}"
        before = cursors.find_offset(session, run.id, source)
        if before is not None and before >= body.batch:
            return 0
        cursors.save(session, run.id, source, body.batch)
    return add_points(session, run.id, "sdk", incoming_of(body))


def note_change(session: Session, run: RunRow, now: datetime) -> None:
    """Those who are looking are told."""
    session.execute(
        sa.update(RunRow)
        .where(RunRow.id == run.id)
        .values(changed_at=now, revision=RunRow.revision + 1)
        .execution_options(synchronize_session=False)
    )
    announce(session, RUNS_TOPIC)


def incoming_of(body: MetricsAdd) -> Incoming:
    now_ms = int(time.time() * 1000)
    incoming = Incoming()
    for point in body.points:
        at_ms = now_ms if point.at is None else int(point.at.timestamp() * 1000)
        incoming.add(point.key, point.step, point.value, at_ms)
    return incoming


def find_left_batch(line: Any) -> MetricsAdd | None:
    """A batch that a script could not send before it ended; None when the line holds none."""
    try:
        return MetricsAdd.model_validate(line)
    except ValueError:
        return None
