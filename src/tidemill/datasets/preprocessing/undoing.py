"""What becomes of the draft that a preprocessing was making when it came to nothing."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import versions
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets.states import DRAFT
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works.service import find_opened
from tidemill.kernel.errors import Conflict


def remove_draft(session: Session, row: WorkRow, now: datetime, bin_days: float) -> None:
    """Puts a draft that is filled in part into the bin, so that nobody takes it for the whole.

    One that somebody made something of meanwhile stays: it has become theirs.
    """
    target = find_opened(session, row.target_vid) if row.target_vid else None
    if target is None or target.state != DRAFT:
        return
    place = Place(DATASET, target.asset_id, str(target.number))
    try:
        versions.delete_version(session, place, by=_caller(session, row, now), bin_days=bin_days)
    except Conflict:
        return


def _caller(session: Session, row: WorkRow, now: datetime) -> Caller:
    """Who asked for the work, for the audit log."""
    project = session.get_one(ProjectRow, row.project_id)
    found = ProjectRef(project.id, project.name, project.is_public)
    asked = replace(system_caller(now), user_id=row.created_by_id, user_name=row.created_by)
    return replace(asked, is_administrator=False, project_ref=found)
