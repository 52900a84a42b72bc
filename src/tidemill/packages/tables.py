"""Rows of packages: what versions of them have beyond other versions, their images, and a project's rules."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json


class PackageVersionRow(Base):
    """A version of a package: what it is made of, and how far its build is."""

    __tablename__ = "package_versions"

    version_id: Mapped[str] = mapped_column(sa.ForeignKey("asset_versions.id", ondelete="CASCADE"), primary_key=True)
    asset_id: Mapped[str] = mapped_column(index=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    state: Mapped[str]
    """pending, building, completed, failed or stopped"""
    recipe: Mapped[dict[str, Any]] = mapped_column(Json)
    """As it was asked for, with the versions that were meant then; see `schemas.Recipe`."""
    plan: Mapped[dict[str, Any]] = mapped_column(Json)
    """What the recipe came to: sources with their ids, base image, how it is started; see `planning.Plan`."""
    digest: Mapped[str]
    """Of everything that goes in: the same for the same inputs."""
    image_id: Mapped[str | None]
    """The image made for it: a Python environment with its dependencies, or a container image."""
    workload_id: Mapped[str | None] = mapped_column(index=True)
    """The workload that builds it, or built it last."""
    problem: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """Why the last build failed: a text of `jobs`."""
    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime] = mapped_column(index=True)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (sa.Index("ix_package_versions_digest", "project_id", "digest"),)


class PackageImageRow(Base):
    """An image that was made for a package version; without one it is nobody's, and goes."""

    __tablename__ = "package_images"

    image_id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    version_id: Mapped[str | None] = mapped_column(sa.ForeignKey("asset_versions.id", ondelete="SET NULL"), index=True)


class PackageSettingsRow(Base):
    """What a project allows; without a row nothing beyond the ordinary."""

    __tablename__ = "package_settings"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    allow_pickles: Mapped[bool] = mapped_column(default=False)
    """Models may be read from pickle files, which run code of whoever wrote them."""
    changed_at: Mapped[datetime]
    changed_by: Mapped[str]
