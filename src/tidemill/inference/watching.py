"""A run follows its workload, in the transaction that moves it."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.works.watching import told
from tidemill.inference.rows import touch
from tidemill.inference.tables import InferenceRunRow
from tidemill.jobs.texts import text
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow


class InferenceWatcher:
    """Told of every move of runs' workloads."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.from_state is None:
            return  # whoever submits it writes the run
        row = session.scalar(
            sa.select(InferenceRunRow).where(InferenceRunRow.id == workload.owner_id).with_for_update()
        )
        if row is None or row.workload_id != workload.id:
            return
        row.state = event.to_state
        if event.to_state == "completed" and row.form == "model" and not row.is_whole:
            # A program that ended well without having said so did not do what it was for.
            row.state = "failed"
            row.error = row.error or text("inference_broke")
        if event.to_state == "running":
            row.started_at = row.started_at or event.at
        if event.to_state in FINAL:
            row.ended_at = event.at
            row.looked = row.done
        if event.to_state == "failed" and row.error is not None:
            workload.message = told(row.error)
        touch(session, row, event.at)
