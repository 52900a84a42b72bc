"""Lists of workloads, their events and attempts."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.db import contains
from tidemill.kernel.errors import NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.workloads.lifecycle import State
from tidemill.workloads.schemas import EventView, WorkloadView
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadEventRow, WorkloadRow
from tidemill.workloads.views import event_view, workload_views


def list_workloads(
    session: Session,
    page: PageQuery,
    *,
    kind: str | None,
    owner: str | None,
    states: Sequence[State] | None,
    mine: bool,
    by: Caller,
) -> Page[WorkloadView]:
    """The project's workloads, newest first."""
    statement = sa.select(WorkloadRow).where(WorkloadRow.project_id == by.project.id, WorkloadRow.deleted_at.is_(None))
    if kind:
        statement = statement.where(WorkloadRow.kind == kind)
    if owner:
        statement = statement.where(WorkloadRow.owner_id == owner)
    if states:
        statement = statement.where(WorkloadRow.state.in_(states))
    if mine:
        statement = statement.where(WorkloadRow.created_by_id == by.user_id)
    if page.q:
        statement = statement.where(contains(WorkloadRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": WorkloadRow.created_at, "name": WorkloadRow.name_key, "priority": WorkloadRow.priority},
        id_column=WorkloadRow.id,
        default_sort="-created_at",
        view=lambda rows: workload_views(session, rows, by.language),
    )


def list_events(session: Session, row: WorkloadRow, page: PageQuery, *, by: Caller) -> Page[EventView]:
    """Every move it made."""
    return fetch_page(
        session,
        sa.select(WorkloadEventRow).where(WorkloadEventRow.workload_id == row.id),
        page,
        sorts={"at": WorkloadEventRow.id},
        id_column=WorkloadEventRow.id,
        default_sort="at",
        view=lambda rows: [event_view(event, by.language) for event in rows],
    )


def get_attempt(session: Session, row: WorkloadRow, number: int) -> WorkloadAttemptRow:
    """The attempt of that number."""
    found = session.scalar(
        sa.select(WorkloadAttemptRow).where(
            WorkloadAttemptRow.workload_id == row.id, WorkloadAttemptRow.number == number
        )
    )
    if found is None:
        raise NotFound("workload_attempt_unknown", number=number, name=row.name)
    return found
