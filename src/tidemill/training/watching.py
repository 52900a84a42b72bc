"""A run follows its workload, in the transaction that moves it."""

from collections.abc import Callable

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
        if event.to_state == "pending" and event.from_state is not None:
            self._continue_from_checkpoint(workload)
        run = session.get(RunRow, workload.owner_id)
        if run is None or run.workload_id != workload.id:
            return
        run.state, run.changed_at, run.revision = event.to_state, event.at, run.revision + 1
        run.resumed_from = workload.environment.get(RESUME)
        if event.to_state in FINAL and not workload.attempt:
            run.metrics_open = False  # it never ran: there is nothing to be gathered

    def _continue_from_checkpoint(self, workload: WorkloadRow) -> None:
        """The attempt before is over, so nobody writes any more: the next one begins with what it left."""
        found = find_newest(self._engine().workspace(workload.workspace))
        if found is not None:
            workload.environment = {**workload.environment, RESUME: found}
