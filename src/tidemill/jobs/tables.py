"""Rows of background work and what is told of it."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json


class JobRow(Base):
    """A piece of background work. Only `jobs.states.move` writes `state`."""

    __tablename__ = "jobs"

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    name: Mapped[str]
    """What it is about, such as `resnet50@3`; the title people see is the message `job_<kind>` with this in it."""
    name_key: Mapped[str]
    state: Mapped[str]
    params: Mapped[dict[str, Any]]
    project_id: Mapped[str | None] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    link: Mapped[str | None]
    """Where in the web application to look, as a path."""

    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    unit: Mapped[str] = mapped_column(default="")
    message: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """What it is doing now, as a `jobs.texts.Text`."""
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    result: Mapped[dict[str, Any]]

    cancel_requested: Mapped[bool] = mapped_column(default=False)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None]
    """The process that runs it."""
    heartbeat_at: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change people can see."""
    changed_at: Mapped[datetime] = mapped_column(index=True)

    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None] = mapped_column(index=True)

    __table_args__ = (
        sa.Index("ix_jobs_state_created_at", "state", "created_at", "id"),
        sa.Index("ix_jobs_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_jobs_created_by_id_created_at", "created_by_id", "created_at", "id"),
    )


class NotificationRow(Base):
    """Something a user should hear of. The words are made when it is read, in the reader's language."""

    __tablename__ = "notifications"

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"))
    project_id: Mapped[str | None] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    state: Mapped[str]
    """success, error or info"""
    title: Mapped[dict[str, Any]] = mapped_column(Json)
    body: Mapped[dict[str, Any] | None] = mapped_column(Json)
    link: Mapped[str | None]
    read_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (
        sa.Index("ix_notifications_user_id", "user_id", "id"),
        sa.Index(
            "ix_notifications_unread",
            "user_id",
            "id",
            sqlite_where=sa.text("read_at IS NULL"),
            postgresql_where=sa.text("read_at IS NULL"),
        ),
    )
