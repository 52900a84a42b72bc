"""Rows of models: what is known of versions, trainings, evaluations, rounds of the loop."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

UNRANKED = -1e300
"""Sorts after everything that has a number."""


class FactsRow(Base):
    """What a version says of itself in `algorithm.json` or `model.json`: read once, when it was committed."""

    __tablename__ = "version_facts"

    version_id: Mapped[str] = mapped_column(sa.ForeignKey("asset_versions.id", ondelete="CASCADE"), primary_key=True)
    asset_id: Mapped[str] = mapped_column(index=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    kind: Mapped[str]
    """algorithm or model"""
    state: Mapped[str]
    """read, none (it has no such file) or broken"""
    task: Mapped[str] = mapped_column(default="")
    name_key: Mapped[str] = mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))
    """Of the asset, for search and order."""
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    problem: Mapped[str | None]
    """Why it is broken."""
    rank: Mapped[float] = mapped_column(sa.Double())
    """The primary metric's value, turned so that more is better."""
    run_id: Mapped[str | None] = mapped_column(index=True)
    dataset_version_id: Mapped[str | None]
    created_at: Mapped[datetime]
    """When the version was committed."""

    __table_args__ = (
        sa.Index("ix_version_facts_created_at", "project_id", "kind", "state", "created_at", "version_id"),
        sa.Index("ix_version_facts_rank", "project_id", "kind", "state", "rank", "version_id"),
        sa.Index("ix_version_facts_name_key", "project_id", "kind", "state", "name_key", "version_id"),
    )


class TrainingRow(Base):
    """A run that was started from a dataset version, with what was chosen for it and why."""

    __tablename__ = "trainings"

    run_id: Mapped[str] = mapped_column(sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    task_id: Mapped[str]
    dataset_asset_id: Mapped[str]
    dataset_version_id: Mapped[str]
    dataset: Mapped[str]
    """`name@3`"""
    algorithm_asset_id: Mapped[str]
    algorithm: Mapped[str]
    labelled: Mapped[int]
    """Items with annotations that it could learn from."""
    choices: Mapped[list[Any]]
    """`{"name", "value", "is_default", "reason": {"code", "params"}}` each."""
    created_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_trainings_dataset_asset_id", "dataset_asset_id", "created_at", "run_id"),)


class EvaluationRow(Base):
    """A model version measured on a dataset version."""

    __tablename__ = "evaluations"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    origin: Mapped[str]
    """asked, or run: a run left it beside its model"""
    state: Mapped[str]
    """waiting, running, done, failed or stopped"""
    model_asset_id: Mapped[str]
    model_version_id: Mapped[str]
    model: Mapped[str]
    """`name@3`, as it was called then"""
    dataset_asset_id: Mapped[str | None]
    dataset_version_id: Mapped[str | None]
    dataset: Mapped[str]
    run_id: Mapped[str | None]
    workload_id: Mapped[str | None]
    task: Mapped[str] = mapped_column(default="")
    part: Mapped[str]
    threshold: Mapped[float | None] = mapped_column(sa.Double())
    stage: Mapped[str] = mapped_column(default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    items: Mapped[int | None]
    metrics: Mapped[dict[str, Any]] = mapped_column(Json)
    primary_metric: Mapped[str] = mapped_column(default="")
    rank: Mapped[float] = mapped_column(sa.Double())
    digest: Mapped[str | None]
    size_bytes: Mapped[int | None]
    """`evaluation.json`"""
    predictions_digest: Mapped[str | None]
    predictions_bytes: Mapped[int | None]
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_evaluations_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_evaluations_rank", "project_id", "rank", "id"),
        sa.Index("ix_evaluations_model_version_id", "model_version_id"),
        sa.Index("ix_evaluations_dataset_version_id", "dataset_version_id"),
        sa.Index("ix_evaluations_model_asset_id", "model_asset_id", "created_at", "id"),
        sa.Index("ix_evaluations_dataset_asset_id", "dataset_asset_id", "created_at", "id"),
        sa.Index("ix_evaluations_workload_id", "workload_id"),
        sa.UniqueConstraint("run_id", "model_version_id"),
    )


class RoundRow(Base):
    """One round of the loop on a dataset: publish, begin a new draft, train, perhaps annotate."""

    __tablename__ = "loop_rounds"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    asset_id: Mapped[str]
    state: Mapped[str]
    """running, done, failed or stopped"""
    step: Mapped[str]
    """publishing, copying, training, annotating or done"""
    asked: Mapped[dict[str, Any]]
    version_number: Mapped[int]
    draft_number: Mapped[int | None]
    job_id: Mapped[str | None]
    """The background work of the step under way."""
    run_id: Mapped[str | None]
    work_id: Mapped[str | None]
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    changed_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_loop_rounds_asset_id", "asset_id", "created_at", "id"),
        sa.Index("ix_loop_rounds_project_id", "project_id"),
        sa.Index(
            "ix_loop_rounds_running",
            "id",
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        ),
    )
