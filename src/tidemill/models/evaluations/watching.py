"""An evaluation follows its workload, in the transaction that moves it."""

from sqlalchemy.orm import Session

from tidemill.jobs.texts import text
from tidemill.models.evaluations.rows import touch
from tidemill.models.evaluations.service import ENDED
from tidemill.models.tables import EvaluationRow
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow

_STATES = {"pending": "waiting", "stopped": "stopped", "failed": "failed", "completed": "failed"}
"""A workload that ended well without its program having said so did not do what it was for."""


class EvaluationWatcher:
    """Told of every move of evaluations' workloads."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.from_state is None:
            return
        row = session.get(EvaluationRow, workload.owner_id, with_for_update=True, populate_existing=True)
        if row is None or row.workload_id != workload.id:
            return
        if row.state not in ENDED:
            row.state = _STATES.get(event.to_state, "running")
            if row.state == "failed":
                row.error = workload.message or text("evaluation_broke")
        if event.to_state in FINAL:
            row.finished_at = row.finished_at or event.at
        if event.to_state == "failed" and row.error is not None:
            workload.message = row.error
        touch(session, row, event.at)
