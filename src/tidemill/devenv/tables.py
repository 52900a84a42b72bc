"""Rows of development environments."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base


class EnvironmentRow(Base):
    """A place to work in. Its files stay; each start is a new workload."""

    __tablename__ = "environments"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(index=True)
    description: Mapped[str] = mapped_column(default="")
    image: Mapped[str]
    spec: Mapped[str | None]
    nodes: Mapped[int]
    inputs: Mapped[list[Any]]
    """Of algorithms, datasets and models: kind, ref as it was given."""
    save_model: Mapped[str | None]
    time_limit_s: Mapped[float | None]
    idle_limit_s: Mapped[float | None]
    password_hash: Mapped[str]

    workload_id: Mapped[str | None] = mapped_column(index=True)
    """The newest start."""
    port: Mapped[int]
    """JupyterLab's, in the newest start."""
    tensorboard_port: Mapped[int | None]
    idle_since: Mapped[datetime | None]
    """Since when nobody and nothing has used it."""
    warned_at: Mapped[datetime | None]
    """When its creator was told that it will be stopped."""

    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None] = mapped_column(index=True)
    """Hidden; its files go once its workload has ended, and this row with them."""

    __table_args__ = (
        sa.Index(
            "uq_environments_name_live",
            "project_id",
            "name_key",
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        ),
        sa.Index("ix_environments_project_id_created_at", "project_id", "created_at", "id"),
    )


class SshKeyRow(Base):
    """A public key a user signs in to environments with."""

    __tablename__ = "ssh_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    public_key: Mapped[str]
    fingerprint: Mapped[str] = mapped_column(index=True)
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (sa.UniqueConstraint("user_id", "fingerprint"),)
