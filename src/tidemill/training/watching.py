"""A run follows its workload, in the transaction that moves it."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.engines.base import Engine
from tidemill.training.checkpoints import find_newest
from tidemill.training.launchers import RESUME
from tidemill.training.tables import RunRow
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow


class RunWatcher:
    """Told of every move of a run's workloads."""

    def __init__(self, engine: Callable[[], Engine]) -> None:
        self._engine = engine

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.from_state is None:
            return  # whoever submits it writes the run
        if event.to_state == "pending":
            self._continue_from_checkpoint(workload)
        values: dict[str, Any] = {
            "state": event.to_state,
            "changed_at": event.at,
            "resumed_from": workload.environment.get(RESUME),
        }
        if event.to_state in FINAL:
            values["end_ms"] = int(event.at.timestamp() * 1000)
        if event.to_state in FINAL and not workload.attempt:
            values["metrics_open"] = False  # it never ran: there is nothing to be gathered
        # One statement, and nothing read: hundreds may move in one round. A row that is at hand is kept in step.
        session.execute(
            sa.update(RunRow)
            .where(RunRow.id == workload.owner_id, RunRow.workload_id == workload.id)
            .values(values | {"revision": RunRow.revision + 1})
        )

    def _continue_from_checkpoint(self, workload: WorkloadRow) -> None:
        """The attempt before is over, so nobody writes any more: the next one begins with what it left."""
        found = find_newest(self._engine().workspace(workload.workspace))
        if found is not None:
            workload.environment = {**workload.environment, RESUME: found}
