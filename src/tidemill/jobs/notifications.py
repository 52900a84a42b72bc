"""What users are told: written with the change it tells of, read in their language."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.schemas import NotificationsReadView, NotificationView
from tidemill.jobs.states import TOPIC
from tidemill.jobs.tables import NotificationRow
from tidemill.jobs.texts import Text
from tidemill.jobs.views import notification_view
from tidemill.kernel.db import announce
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page


def notify(
    session: Session,
    user_id: str,
    *,
    kind: str,
    state: Literal["success", "error", "info"],
    title: Text,
    body: Text | None = None,
    link: str | None = None,
    project_id: str | None = None,
    now: datetime,
) -> None:
    """Tells a user something, in the transaction that makes it true."""
    session.add(
        NotificationRow(
            id=new_id("ntf"),
            user_id=user_id,
            project_id=project_id,
            kind=kind,
            state=state,
            title=title,
            body=body,
            link=link,
            created_at=now,
        )
    )
    announce(session, TOPIC)


def list_notifications(session: Session, page: PageQuery, *, unread: bool, by: Caller) -> Page[NotificationView]:
    """The caller's, newest first."""
    statement = sa.select(NotificationRow).where(*_own(by))
    if unread:
        statement = statement.where(NotificationRow.read_at.is_(None))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"id": NotificationRow.id, "created_at": NotificationRow.created_at},
        id_column=NotificationRow.id,
        default_sort="-id",
        view=lambda rows: [notification_view(row, by.language) for row in rows],
    )


def mark_read(session: Session, ids: Sequence[str], *, by: Caller) -> NotificationsReadView:
    """Marks the caller's notifications as read: those named, or all."""
    guard = [*_own(by), NotificationRow.read_at.is_(None)]
    if ids:
        guard.append(NotificationRow.id.in_(ids))
    done = session.execute(sa.update(NotificationRow).where(*guard).values(read_at=by.now))
    unread = session.scalar(
        sa.select(sa.func.count()).select_from(NotificationRow).where(*_own(by), NotificationRow.read_at.is_(None))
    )
    return NotificationsReadView(read=int(getattr(done, "rowcount", 0)), unread=unread or 0)


def _own(by: Caller) -> list[sa.ColumnElement[bool]]:
    own: list[sa.ColumnElement[bool]] = [NotificationRow.user_id == by.user_id]
    if by.token_project_id:
        own.append(NotificationRow.project_id == by.token_project_id)
    return own
