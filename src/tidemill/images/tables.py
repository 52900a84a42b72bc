"""Rows of images.

An image is a name and a version in a project. An OCI image is a tag of the registry: its row names the manifest the tag
stands for. A Python image is a list of wheels, which are blobs like all others.

In the registry a repository (project and name) has content of its own, pinned in the store. Manifests name what
they need in `image_children`; content that no manifest of its repository names goes with the last manifest that did,
or, when it was only ever sent, after a time of grace.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

_Plain = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
"""Ordered by bytes on both databases, as the registry's protocol lists names."""


class ImageRow(Base):
    """A version of an image."""

    __tablename__ = "images"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(_Plain)
    version: Mapped[str] = mapped_column(_Plain)
    kind: Mapped[str]
    """oci or python"""
    state: Mapped[str]
    """ready, building, failed, or not_made: made when it is first used"""
    digest: Mapped[str] = mapped_column(default="", index=True)
    """Of the manifest (`sha256:…`), or of the lock, which names the environment's folder; empty until it is made."""
    size_bytes: Mapped[int] = mapped_column(default=0)
    description: Mapped[str] = mapped_column(default="")
    specs: Mapped[list[str]] = mapped_column(default=list)
    requirements: Mapped[list[str]] = mapped_column(default=list)
    """What was asked for, of a Python image."""
    lock: Mapped[list[Any]] = mapped_column(default=list)
    """`[file name, digest, size]` of each wheel."""
    problem: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """Why it failed: a text of `jobs`."""
    workload_id: Mapped[str | None] = mapped_column(index=True)
    """The workload that builds it, or built it last."""
    is_builtin: Mapped[bool] = mapped_column(default=False)
    search_key: Mapped[str]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.UniqueConstraint("project_id", "name", "version"),
        sa.Index("ix_images_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_images_project_id_size_bytes", "project_id", "size_bytes", "id"),
        sa.Index("ix_images_state", "state"),
    )


class ManifestRow(Base):
    """A manifest of a repository. Its bytes are a blob."""

    __tablename__ = "image_manifests"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(_Plain, primary_key=True)
    digest: Mapped[str] = mapped_column(primary_key=True)
    media_type: Mapped[str]
    artifact_type: Mapped[str] = mapped_column(default="")
    subject: Mapped[str | None]
    """The digest of the manifest this one says something of."""
    annotations: Mapped[dict[str, Any]] = mapped_column(default=dict)
    size_bytes: Mapped[int]
    total_bytes: Mapped[int]
    """With everything it names."""
    created_at: Mapped[datetime]
    touched_at: Mapped[datetime]
    """When it was last pushed, or had a tag."""

    __table_args__ = (sa.Index("ix_image_manifests_subject", "project_id", "name", "subject"),)


class ChildRow(Base):
    """A manifest needs this content of its repository."""

    __tablename__ = "image_children"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(_Plain, primary_key=True)
    manifest: Mapped[str] = mapped_column(primary_key=True)
    child: Mapped[str] = mapped_column(primary_key=True)
    is_manifest: Mapped[bool] = mapped_column(default=False)

    __table_args__ = (sa.Index("ix_image_children_child", "project_id", "name", "child"),)
