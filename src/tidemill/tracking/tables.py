"""Rows of what the MLflow client keeps beside runs: logged models, and words about registered ones."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base


class LoggedModelRow(Base):
    """A model that was logged to an experiment, with files of its own; registered ones are model assets."""

    __tablename__ = "logged_models"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    experiment_id: Mapped[str] = mapped_column(sa.ForeignKey("experiments.id", ondelete="CASCADE"))
    run_id: Mapped[str | None]
    """The run that made it."""
    name: Mapped[str]
    model_type: Mapped[str] = mapped_column(default="")
    status: Mapped[str]
    """pending, ready or failed"""
    parameters: Mapped[dict[str, Any]]
    tags: Mapped[dict[str, Any]]
    metrics: Mapped[list[Any]]
    """The newest value of each key, run and dataset."""
    tree_id: Mapped[str | None] = mapped_column(sa.ForeignKey("trees.id"))
    created_ms: Mapped[int]
    updated_ms: Mapped[int]
    deleted_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_logged_models_experiment_id", "experiment_id", "created_ms", "id"),
        sa.Index("ix_logged_models_project_id", "project_id"),
        sa.Index("ix_logged_models_run_id", "run_id"),
        sa.Index("ix_logged_models_tree_id", "tree_id"),
    )


class RegistryTagRow(Base):
    """A word about a model, or about one of its versions."""

    __tablename__ = "registry_tags"

    asset_id: Mapped[str] = mapped_column(sa.ForeignKey("assets.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """0 for the model itself."""
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class RegistryAliasRow(Base):
    """A name for one version of a model, such as `champion`."""

    __tablename__ = "registry_aliases"

    asset_id: Mapped[str] = mapped_column(sa.ForeignKey("assets.id", ondelete="CASCADE"), primary_key=True)
    alias: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int]


class RegistrySourceRow(Base):
    """Where a version that was registered through the MLflow client came from."""

    __tablename__ = "registry_sources"

    version_id: Mapped[str] = mapped_column(sa.ForeignKey("asset_versions.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str]
    run_id: Mapped[str | None]
    model_id: Mapped[str | None]
    run_link: Mapped[str] = mapped_column(default="")
    stage: Mapped[str] = mapped_column(default="None")
