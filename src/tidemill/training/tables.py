"""Rows of training."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base

RUNS_TOPIC = "runs"
"""Announced when a run grew or changed by itself. Workloads have a topic of their own, which wakes those who start and
end them: they have nothing to do with a run's curves."""


def _sortable() -> Any:
    """Text ordered by bytes on both databases, so that pages come out the same."""
    return mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))


class ExperimentRow(Base):
    """Runs that belong together: those of a task, and whatever is logged to it from outside."""

    __tablename__ = "experiments"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    """As it was written: other tools' names may hold what names of Tidemill may not."""
    name_key: Mapped[str] = _sortable()
    description: Mapped[str] = mapped_column(default="")
    tags: Mapped[dict[str, Any]]
    runs_count: Mapped[int] = mapped_column(default=0)
    """Of runs that were not deleted; kept in the transaction that makes or deletes one."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    """It can be brought back until the bin's time is over; its name is taken as long."""

    __table_args__ = (
        sa.UniqueConstraint("project_id", "name"),
        sa.Index("ix_experiments_project_id_name_key", "project_id", "name_key", "id"),
        sa.Index("ix_experiments_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_experiments_project_id_updated_at", "project_id", "updated_at", "id"),
        sa.Index("ix_experiments_deleted_at", "deleted_at"),
    )


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
    experiment_id: Mapped[str | None]
    """Where its runs are; made with the first one."""
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
    """One start of a task, with the settings it was started with; or a run of somewhere else that is logged here.

    A run of a task is carried by a workload; each resume is a further workload over the same workspace, and the newest
    one's state is the run's. A run from outside has neither task, settings nor workload: it says itself how it is.
    """

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    experiment_id: Mapped[str] = mapped_column(sa.ForeignKey("experiments.id", ondelete="CASCADE"))
    task_id: Mapped[str | None] = mapped_column(sa.ForeignKey("tasks.id", ondelete="CASCADE"))
    number: Mapped[int]
    """Of its task; 0 when it has none."""
    name: Mapped[str]
    name_key: Mapped[str] = _sortable()
    settings: Mapped[dict[str, Any] | None]
    """As the task's were; what the task becomes later changes nothing here."""
    workload_id: Mapped[str | None]
    state: Mapped[str]
    """The workload's, written in the transaction that moves it: lists are filtered by it."""
    start_ms: Mapped[int]
    end_ms: Mapped[int | None]
    """Milliseconds since 1970: when it was made, or says that it began; when it ended."""
    links: Mapped[dict[str, Any]]
    """What it read and wrote besides files: `datasets`, `models` (read), `outputs` (models written)."""
    tree_id: Mapped[str | None] = mapped_column(sa.ForeignKey("trees.id"))
    """Files that were logged to it; made with the first one."""
    made_in: Mapped[str | None]
    """The run whose own token made it: that one may go on writing to it."""
    deleted_at: Mapped[datetime | None]
    """It can be brought back until the bin's time is over."""
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
        sa.Index("ix_runs_experiment_id_start_ms", "experiment_id", "start_ms", "id"),
        sa.Index("ix_runs_tree_id", "tree_id"),
        sa.Index("ix_runs_changed_at", "changed_at"),
        sa.Index(
            "ix_runs_metrics_open",
            "id",
            sqlite_where=sa.text("metrics_open"),
            postgresql_where=sa.text("metrics_open"),
        ),
        sa.Index(
            "ix_runs_deleted_at",
            "deleted_at",
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        ),
    )


class ParameterRow(Base):
    """A parameter of a run, as text, ready to be sorted and searched by."""

    __tablename__ = "run_parameters"

    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    experiment_id: Mapped[str]
    value: Mapped[str]
    sort_key: Mapped[str] = _sortable()
    """The beginning of the value: an index holds no long texts."""
    number: Mapped[float | None] = mapped_column(sa.Double())
    """The value, when it is a finite number."""

    __table_args__ = (
        sa.Index("ix_run_parameters_sort_key", "experiment_id", "key", "sort_key", "run_id"),
        sa.Index("ix_run_parameters_number", "experiment_id", "key", "number", "run_id"),
        {"sqlite_with_rowid": False},
    )


class TagRow(Base):
    """A word about a run."""

    __tablename__ = "run_tags"

    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]

    __table_args__ = ({"sqlite_with_rowid": False},)


class SeriesRow(Base):
    """A curve of a run: one key from one source."""

    __tablename__ = "metric_series"

    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"))
    key: Mapped[str]
    source: Mapped[str]
    """sdk, mlflow, tensorboard or log"""
    experiment_id: Mapped[str | None]
    """The run's, where this curve is the one that counts for its key; null where a better source has the key too."""
    count: Mapped[int] = mapped_column(default=0)
    last_step: Mapped[int]
    last_value: Mapped[float | None]
    """None when it was no number: not every database can keep such."""
    last_special: Mapped[str | None]
    """`nan`, `inf` or `-inf`, when it was one of them."""
    last_at_ms: Mapped[int]
    min_value: Mapped[float | None]
    max_value: Mapped[float | None]

    __table_args__ = (
        sa.UniqueConstraint("run_id", "key", "source"),
        sa.Index("ix_metric_series_last_value", "experiment_id", "key", "last_value", "run_id"),
    )


class ChunkRow(Base):
    """A stretch of a curve, packed; stretches of one curve do not overlap.

    Curves of the source `mlflow` are kept as they came in, several values a step among them: there `first_step` and
    `last_step` count points, not steps. See `metrics.journal`.
    """

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
