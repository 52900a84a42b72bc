"""Rows of the store.

A blob's life: `placing` (its file is on the way into place), `live`, `deleting` (on its way out: as good as absent).
`holdings` says which projects hold which content and how often; it is what a project is charged for, and what decides
whether a project may use a digest without sending the bytes. Content that nobody holds, and that is no tree's manifest,
is collected.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base

FOLDER = 0
FILE = 1

_Path = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
"""Ordered by bytes on both databases, so that a folder's content is one range."""


class BlobRow(Base):
    """Content, once, under its SHA-256."""

    __tablename__ = "blobs"

    digest: Mapped[str] = mapped_column(primary_key=True)
    size_bytes: Mapped[int]
    state: Mapped[str] = mapped_column(default="placing")
    generation: Mapped[str]
    """Another one each time the content comes back after it was gone: bytes placed for an older one do not count."""
    touched_at: Mapped[datetime]
    """When somebody last sent it: what is not held yet is not collected before a while has passed."""
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index(
            "ix_blobs_deleting",
            "digest",
            sqlite_where=sa.text("state = 'deleting'"),
            postgresql_where=sa.text("state = 'deleting'"),
        ),
        {"sqlite_with_rowid": False},
    )


class HoldingRow(Base):
    """A project holds a blob `uses` times. Uses 0: sent, not yet part of anything."""

    __tablename__ = "holdings"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(sa.ForeignKey("blobs.digest"), primary_key=True, index=True)
    size_bytes: Mapped[int]
    uses: Mapped[int] = mapped_column(default=0)
    touched_at: Mapped[datetime | None]
    """When somebody sent it, or was told that they need not; null once it was used. Until its grace is over they may
    count on it, even if all others give it up."""

    __table_args__ = (
        sa.Index(
            "ix_holdings_unused",
            "touched_at",
            sqlite_where=sa.text("uses = 0"),
            postgresql_where=sa.text("uses = 0"),
        ),
        {"sqlite_with_rowid": False},
    )


class TreeRow(Base):
    """A tree of files. Belongs to one project; shared by versions until one changes it; sealed ones never change."""

    __tablename__ = "trees"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), index=True)
    files: Mapped[int] = mapped_column(default=0)
    size_bytes: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change."""
    manifest_digest: Mapped[str | None] = mapped_column(sa.ForeignKey("blobs.digest"), index=True)
    """Set when sealed: the digest of the manifest, which names the tree's content."""
    users: Mapped[int] = mapped_column(default=1)
    """How many versions use it; at 0 it is taken apart."""
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index(
            "ix_trees_dropped",
            "id",
            sqlite_where=sa.text("users = 0"),
            postgresql_where=sa.text("users = 0"),
        ),
    )


class TreeEntryRow(Base):
    """A file or a folder in a tree. Every folder has a row, with the count and size of all files below it.

    The digest has no foreign key: holdings keep an entry's content, and a key would cost an index over all files of all
    versions.
    """

    __tablename__ = "tree_entries"

    tree_id: Mapped[str] = mapped_column(sa.ForeignKey("trees.id"), primary_key=True)
    path: Mapped[str] = mapped_column(_Path, primary_key=True)
    folder: Mapped[str] = mapped_column(_Path)
    """The path of the folder it is in; empty at the top."""
    kind: Mapped[int] = mapped_column(sa.SmallInteger())
    """0 folder, 1 file: folders come first in a listing."""
    name_key: Mapped[str]
    """The last part of the path, folded for search."""
    digest: Mapped[str | None]
    size_bytes: Mapped[int] = mapped_column(default=0)
    files: Mapped[int] = mapped_column(default=0)
    """How many files are below; 0 for a file."""
    is_kept: Mapped[bool] = mapped_column(default=False)
    """A folder somebody made stays when it is empty; one that came with its files goes with the last of them."""
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_tree_entries_listing", "tree_id", "folder", "kind", "path"),
        {"sqlite_with_rowid": False},
    )


class PinRow(Base):
    """Content that something other than a tree uses, once: `owner` says what, in its own room's words."""

    __tablename__ = "pins"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), primary_key=True)
    owner: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(sa.ForeignKey("blobs.digest"), primary_key=True, index=True)
    size_bytes: Mapped[int]
    touched_at: Mapped[datetime | None] = mapped_column(index=True)
    """When somebody was told to count on it; null where it belongs to something."""


UNFINISHED = ("open", "pushing")
"""States of uploads whose bytes are still to come: of known content and size, or of a registry's client, where the size
is what was promised room so far."""


class UploadRow(Base):
    """An upload under way. How far it is, is the size of its file on disk, so nothing is written here per chunk."""

    __tablename__ = "uploads"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(default="")
    digest: Mapped[str]
    size_bytes: Mapped[int]
    state: Mapped[str] = mapped_column(default="open")
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    expires_at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (sa.Index("ix_uploads_project_id_state", "project_id", "state", "created_by"),)
