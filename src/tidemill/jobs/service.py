"""Background work: submitted with the change that asks for it, listed, cancelled, ended."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, system_caller
from tidemill.accounts.tables import UserRow
from tidemill.jobs.notifications import notify
from tidemill.jobs.schemas import JobView
from tidemill.jobs.states import FINAL, TOPIC, State, move
from tidemill.jobs.tables import JobRow
from tidemill.jobs.texts import Text, text
from tidemill.jobs.views import job_views, title_of
from tidemill.jobs.visibility import visible_projects
from tidemill.kernel.db import announce, contains
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page


def submit(
    session: Session,
    kind: str,
    *,
    params: dict[str, Any],
    name: str,
    by: Caller,
    project_id: str | None = None,
    link: str | None = None,
) -> JobRow:
    """Asks for background work, in the caller's transaction: it runs if and only if that transaction is committed.

    `name` is what it is about, and fills `{name}` in the title `job_<kind>`. `params` must hold no secret.
    """
    text(f"job_{kind}")
    row = JobRow(
        id=new_id("job"),
        kind=kind,
        name=name,
        name_key=name_key(name),
        state="waiting",
        params=params,
        project_id=project_id,
        link=link,
        done=0,
        unit="",
        result={},
        cancel_requested=False,
        attempts=0,
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    session.add(row)
    _audit(session, "job.create", row, by=by, after={"kind": kind, "name": name})
    announce(session, TOPIC)
    return row


def submit_once(session: Session, kind: str, *, name: str, by: Caller, link: str | None = None) -> JobRow:
    """The platform-wide job of this kind that waits or runs, or a new one: two would do the same work twice."""
    active = session.scalars(
        sa.select(JobRow).where(
            JobRow.kind == kind, JobRow.project_id.is_(None), JobRow.state.in_(("waiting", "running"))
        )
    ).first()
    if active is None:
        return submit(session, kind, params={}, name=name, by=by, link=link)
    if active.created_by_id is None and by.user_id:
        # The platform asked for it by itself; now there is somebody to tell of its end.
        active.created_by, active.created_by_id = by.user_name, by.user_id
        active.changed_at, active.revision = by.now, active.revision + 1
        announce(session, TOPIC)
    return active


def end(
    session: Session,
    row: JobRow,
    to_state: State,
    *,
    now: datetime,
    held_by: str | None = None,
    error: Text | None = None,
    **values: Any,
) -> bool:
    """Brings a job to its end and tells of it; False when it is no longer where `row` says, or not that owner's."""
    if not move(session, row.id, row.state, to_state, now=now, held_by=held_by, error=error, **values):  # type: ignore[arg-type]
        return False
    after = {"kind": row.kind, "name": row.name, "state": to_state, "created_by": row.created_by}
    if error:
        after["error"] = error["code"]
    _audit(session, "job.finish", row, by=system_caller(now), after=after)
    if row.created_by_id and to_state in {"completed", "failed"} and _is_there(session, row.created_by_id):
        notify(
            session,
            row.created_by_id,
            kind="job",
            state="success" if to_state == "completed" else "error",
            title=title_of(row),
            body=text("job_notice_failed", error=_short(error)) if error else text("job_notice_completed"),
            link=row.link,
            project_id=row.project_id,
            now=now,
        )
    return True


def cancel(session: Session, row: JobRow, *, by: Caller) -> None:
    """Cancels at once what waits, and asks what runs to stop; asking twice is no error."""
    _audit(session, "job.cancel", row, by=by, before={"state": row.state}, after={"kind": row.kind, "name": row.name})
    if row.state == "waiting" and end(session, row, "cancelled", now=by.now, cancel_requested=True):
        session.refresh(row)
        return
    asked = session.execute(
        sa.update(JobRow)
        .where(JobRow.id == row.id, JobRow.state.not_in(FINAL))
        .values(cancel_requested=True, changed_at=by.now, revision=JobRow.revision + 1)
    )
    session.refresh(row)
    if not getattr(asked, "rowcount", 0):
        raise Conflict("job_finished")
    announce(session, TOPIC)


def get_job(session: Session, job_id: str, *, project_id: str) -> JobRow:
    """A job of that project."""
    row = session.get(JobRow, job_id)
    if row is None or row.project_id != project_id:
        raise NotFound("job_not_found", id=job_id[:100])
    return row


def get_my_job(session: Session, job_id: str, *, by: Caller) -> JobRow:
    """A job the caller asked for; those who look after the platform see all of the platform's own."""
    row = session.scalar(sa.select(JobRow).where(JobRow.id == job_id, *_mine(by)))
    if row is None and by.may("system.write"):
        row = session.scalar(sa.select(JobRow).where(JobRow.id == job_id, JobRow.project_id.is_(None)))
    if row is None:
        raise NotFound("job_not_found", id=job_id[:100])
    return row


def list_my_jobs(
    session: Session, page: PageQuery, *, by: Caller, state: State | None, kind: str | None
) -> Page[JobView]:
    """What the caller asked for, newest first."""
    return _list(session, sa.select(JobRow).where(*_mine(by)), page, by=by, state=state, kind=kind)


def list_project_jobs(
    session: Session, page: PageQuery, *, by: Caller, state: State | None, kind: str | None
) -> Page[JobView]:
    """The project's background work, newest first."""
    mine = sa.select(JobRow).where(JobRow.project_id == by.project.id)
    return _list(session, mine, page, by=by, state=state, kind=kind)


def _mine(by: Caller) -> list[sa.ColumnElement[bool]]:
    in_project = JobRow.project_id.in_(visible_projects(by))
    place = in_project if by.token_project_id else sa.or_(JobRow.project_id.is_(None), in_project)
    return [JobRow.created_by_id == by.user_id, place]


def _list(
    session: Session,
    statement: sa.Select[JobRow],
    page: PageQuery,
    *,
    by: Caller,
    state: State | None,
    kind: str | None,
) -> Page[JobView]:
    if state:
        statement = statement.where(JobRow.state == state)
    if kind:
        statement = statement.where(JobRow.kind == kind)
    if page.q:
        statement = statement.where(contains(JobRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": JobRow.created_at, "name": JobRow.name_key},
        id_column=JobRow.id,
        default_sort="-created_at",
        view=lambda rows: job_views(session, rows, by.language),
    )


def _audit(session: Session, action: str, row: JobRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session,
        action,
        by=by,
        target_kind="job",
        target_id=row.id,
        target_name=row.name or row.kind,
        project_id=row.project_id,
        **changes,
    )


def _short(error: Text) -> Text:
    return {"said": error["message"]} if "message" in error else {"code": error["code"], "params": error["params"]}


def _is_there(session: Session, user_id: str) -> bool:
    return session.scalar(sa.select(UserRow.id).where(UserRow.id == user_id, UserRow.deleted_at.is_(None))) is not None
