"""Rows of webhooks."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json


class WebhookRow(Base):
    """An address that is told of a project's events."""

    __tablename__ = "webhooks"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str]
    url: Mapped[str]
    events: Mapped[list[str]]
    """Patterns of audit actions."""
    secret: Mapped[str | None]
    """Signs what is sent, so it is kept as it is; it never leaves through the API."""
    is_enabled: Mapped[bool]
    paused_until: Mapped[datetime | None]
    """After a failure the address is left in peace for a while, so that a dead one does not hold up the others."""
    last_state: Mapped[str | None]
    last_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    updated_at: Mapped[datetime]

    __table_args__ = (sa.UniqueConstraint("project_id", "name_key"),)


class DeliveryRow(Base):
    """One event for one webhook, with the bytes' content as it was when the event happened."""

    __tablename__ = "webhook_deliveries"

    id: Mapped[str] = mapped_column(primary_key=True)
    webhook_id: Mapped[str] = mapped_column(sa.ForeignKey("webhooks.id", ondelete="CASCADE"))
    event: Mapped[str]
    payload: Mapped[dict[str, Any]]
    state: Mapped[str]
    """waiting, delivered or failed"""
    attempts: Mapped[int]
    next_at: Mapped[datetime]
    """When to try next. While somebody tries, it is when to try again should that process die."""
    give_up_at: Mapped[datetime]
    status_code: Mapped[int | None]
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    duration_ms: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(index=True)
    created_by: Mapped[str]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_webhook_deliveries_webhook_id", "webhook_id", "id"),
        sa.Index(
            "ix_webhook_deliveries_due",
            "next_at",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        ),
    )
