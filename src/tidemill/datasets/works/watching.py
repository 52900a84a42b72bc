"""A work follows its workload, in the transaction that moves it."""

from typing import Any

from sqlalchemy.orm import Session

from tidemill.datasets.preprocessing.undoing import remove_draft
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works.reports import words
from tidemill.datasets.works.service import TOPIC, inputs_owner
from tidemill.datasets.works.states import DONE, ENDED, FAILED, RUNNING, STOPPED, WAITING
from tidemill.jobs.texts import Text, said, text
from tidemill.kernel.db import announce
from tidemill.kernel.i18n import LANGUAGES
from tidemill.store import pins
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow


class WorkWatcher:
    """Told of every move of works' workloads."""

    def __init__(self, bin_days: float) -> None:
        self._bin_days = bin_days

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.from_state is None:
            return  # whoever submits it writes the row
        row = session.get(WorkRow, workload.owner_id, with_for_update=True, populate_existing=True)
        if row is None or row.workload_id != workload.id:
            return
        if row.state not in ENDED:
            row.state = _state(event.to_state)
            if row.state == FAILED:
                row.error = workload.message or text("work_broke")
        if event.to_state in FINAL:
            row.finished_at = row.finished_at or event.at
            # What was tried out is there for the import in earnest; it goes with the work, or after a day.
            if not (row.is_dry_run and row.state == DONE):
                pins.unpin_all(session, row.project_id, inputs_owner(row.id))
            if row.kind == "preprocess" and row.state != DONE:
                remove_draft(session, row, event.at, self._bin_days)
        if event.to_state == "failed" and row.error is not None:
            workload.message = told(row.error)
        row.revision += 1
        row.changed_at = event.at
        announce(session, TOPIC)


def told(error: dict[str, Any]) -> Text:
    """Why a work failed, as the message of its workload."""
    if "note" not in error:
        return error
    path = error["note"].get("path")
    return said(
        {one: f"{path}: {words(error['note'], one)}" if path else words(error["note"], one) for one in LANGUAGES}
    )


def _state(workload_state: str) -> str:
    """A workload that ended well without its program having said so did not do what it was for."""
    found = {"pending": WAITING, "stopped": STOPPED, "failed": FAILED, "completed": FAILED}
    return found.get(workload_state, RUNNING)
