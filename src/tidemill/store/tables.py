"""Rows of the store.

A blob's life: a row in `blobs` is `live`, or `deleting` on its way out (which counts as absent). `holdings` says which
projects hold which content and how often; it is what a project is charged for, and what decides whether a project may use
a digest without sending the bytes. Content nobody holds is collected.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base


class BlobRow(Base):
    """Content, once, under its SHA-256."""

    __tablename__ = "blobs"

    digest: Mapped[str] = mapped_column(primary_key=True)
    size_bytes: Mapped[int]
    state: Mapped[str] = mapped_column(default="live")
    created_at: Mapped[datetime]


class HoldingRow(Base):
    """A project holds a blob `uses` times. Uses 0: sent, not yet part of anything; kept for a while after `touched_at`."""

    __tablename__ = "holdings"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(sa.ForeignKey("blobs.digest"), primary_key=True, index=True)
    size_bytes: Mapped[int]
    uses: Mapped[int] = mapped_column(default=0)
    touched_at: Mapped[datetime]

    __table_args__ = (
        sa.Index(
            "ix_holdings_unused",
            "touched_at",
            sqlite_where=sa.text("uses = 0"),
            postgresql_where=sa.text("uses = 0"),
        ),
    )


class TreeRow(Base):
    """A tree of files. Belongs to one project; shared by versions until one of them changes it; sealed ones never change."""

    __tablename__ = "trees"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), index=True)
    files: Mapped[int] = mapped_column(default=0)
    size_bytes: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change."""
    manifest_digest: Mapped[str | None] = mapped_column(sa.ForeignKey("blobs.digest"))
    """Set when sealed: the digest of the manifest, which names the tree's content."""
    users: Mapped[int] = mapped_column(default=1)
    """How many versions use it."""
    created_at: Mapped[datetime]


class TreeEntryRow(Base):
    """A file in a tree, or a folder that was made explicitly (digest null)."""

    __tablename__ = "tree_entries"

    tree_id: Mapped[str] = mapped_column(sa.ForeignKey("trees.id"), primary_key=True)
    path: Mapped[str] = mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), primary_key=True)
    digest: Mapped[str | None] = mapped_column(sa.ForeignKey("blobs.digest"))
    size_bytes: Mapped[int] = mapped_column(default=0)
    updated_at: Mapped[datetime]


class UploadRow(Base):
    """An upload under way. How far it is, is the size of its file on disk, so nothing is written here per chunk."""

    __tablename__ = "uploads"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), index=True)
    name: Mapped[str] = mapped_column(default="")
    digest: Mapped[str]
    size_bytes: Mapped[int]
    state: Mapped[str] = mapped_column(default="open")
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)
