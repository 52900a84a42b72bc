"""Rows as people see them, in their language."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.jobs.schemas import JobErrorView, JobView, NotificationView
from tidemill.jobs.tables import JobRow, NotificationRow
from tidemill.jobs.texts import Text, say, say_error
from tidemill.kernel.i18n import Language


def job_views(session: Session, rows: Sequence[JobRow], language: Language) -> list[JobView]:
    """All rows of a page at once, with one query for their projects' names."""
    ids = {row.project_id for row in rows if row.project_id}
    found = session.execute(sa.select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_(ids))).all()
    names: dict[str, str] = dict(found)
    return [_job_view(row, names.get(row.project_id or ""), language) for row in rows]


def job_view(session: Session, row: JobRow, language: Language) -> JobView:
    (view,) = job_views(session, [row], language)
    return view


def notification_view(row: NotificationRow, language: Language) -> NotificationView:
    return NotificationView(
        id=row.id,
        kind=row.kind,
        title=say(row.title, language),
        body=say(row.body, language) if row.body else "",
        link=row.link,
        state=row.state,
        read_at=row.read_at,
        created_at=row.created_at,
    )


def _job_view(row: JobRow, project: str | None, language: Language) -> JobView:
    return JobView(
        id=row.id,
        kind=row.kind,
        name=say(title_of(row), language),
        state=row.state,
        progress=_progress(row),
        done=row.done,
        total=row.total,
        unit=row.unit,
        message=say(row.message, language) if row.message else "",
        error=JobErrorView(**say_error(row.error, language)) if row.error else None,
        result=row.result,
        project=project,
        link=row.link,
        cancel_requested=row.cancel_requested,
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def title_of(row: JobRow) -> Text:
    """A job's title as a text; unlike `text`, it bears kinds that only another release knows."""
    return {"code": f"job_{row.kind}", "params": {"name": row.name}}


def _progress(row: JobRow) -> float | None:
    if row.state == "completed":
        return 1.0
    if not row.total:
        return None
    return max(0.0, min(1.0, row.done / row.total))
