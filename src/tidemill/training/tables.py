"""Rows of training."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base


def _sortable() -> Any:
    """Text ordered by bytes on both databases, so that pages come out the same."""
    return mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))


class TaskRow(Base):
    """What is to be trained, and how; started any number of times."""

    __tablename__ = "tasks"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str] = _sortable()
    description: Mapped[str] = mapped_column(default="")
    settings: Mapped[dict[str, Any]]
    """See `training.settings.TaskSettings`."""
    runs_count: Mapped[int] = mapped_column(default=0)
    """Kept in the transaction that makes or deletes a run."""
    last_number: Mapped[int] = mapped_column(default=0)
    """The highest number ever given to a run: numbers are not used again."""
    last_run_id: Mapped[str | None]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.UniqueConstraint("project_id", "name_key"),
        sa.Index("ix_tasks_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_tasks_project_id_updated_at", "project_id", "updated_at", "id"),
    )


class RunRow(Base):
    """One start of a task, with the settings it was started with.

    A run is carried by a workload; each resume is a further workload over the same workspace, and the newest one's
    state is the run's.
    """

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    task_id: Mapped[str] = mapped_column(sa.ForeignKey("tasks.id", ondelete="CASCADE"))
    number: Mapped[int]
    name: Mapped[str]
    name_key: Mapped[str] = _sortable()
    settings: Mapped[dict[str, Any]]
    """As the task's were; what the task becomes later changes nothing here."""
    workload_id: Mapped[str]
    state: Mapped[str]
    """The workload's, written in the transaction that moves it: lists are filtered by it."""
    attempts_before: Mapped[int] = mapped_column(default=0)
    """Launches of the workloads before the newest one."""
    resumed_from: Mapped[str | None]
    """The checkpoint its last attempt began with, below the workspace."""
    metrics_open: Mapped[bool] = mapped_column(default=True)
    """Files and output may still hold points that were not collected."""
    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]

    __table_args__ = (
        sa.UniqueConstraint("task_id", "number"),
        sa.Index("ix_runs_workload_id", "workload_id"),
        sa.Index("ix_runs_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_runs_project_id_name_key", "project_id", "name_key", "id"),
        sa.Index("ix_runs_project_id_state", "project_id", "state", "created_at", "id"),
        sa.Index("ix_runs_task_id_created_at", "task_id", "created_at", "id"),
        sa.Index("ix_runs_changed_at", "changed_at"),
        sa.Index(
            "ix_runs_metrics_open",
            "id",
            sqlite_where=sa.text("metrics_open"),
            postgresql_where=sa.text("metrics_open"),
        ),
    )


class SeriesRow(Base):
    """A curve of a run: one key from one source."""

    __tablename__ = "metric_series"

    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"))
    key: Mapped[str]
    source: Mapped[str]
    """sdk, tensorboard or log"""
    count: Mapped[int] = mapped_column(default=0)
    last_step: Mapped[int]
    last_value: Mapped[float | None]
    """None when it was no number: not every database can keep such."""
    last_at_ms: Mapped[int]
    min_value: Mapped[float | None]
    max_value: Mapped[float | None]

    __table_args__ = (sa.UniqueConstraint("run_id", "key", "source"),)


class ChunkRow(Base):
    """A stretch of a curve, packed; stretches of one curve do not overlap."""

    __tablename__ = "metric_chunks"

    series_id: Mapped[str] = mapped_column(sa.ForeignKey("metric_series.id", ondelete="CASCADE"), primary_key=True)
    first_step: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    last_step: Mapped[int]
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)


class CursorRow(Base):
    """How far a source of a run has been read, written with the points that were read."""

    __tablename__ = "metric_cursors"

    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(primary_key=True)
    """`log:<launch>`, `file:<path below the workspace>`, `sdk:<process>`"""
    offset: Mapped[int]
    is_done: Mapped[bool] = mapped_column(default=False)
    """Nothing more will be read: it is over, or cannot be understood."""
