"""Rows of assets."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

_LIVE = sa.text("deleted_at IS NULL")


def _live_index(*columns: str, unique: bool = False) -> sa.Index:
    name = f"{'uq' if unique else 'ix'}_assets_live_{'_'.join(columns[2:])}"
    return sa.Index(name, *columns, unique=unique, sqlite_where=_LIVE, postgresql_where=_LIVE)


SORTED_BY = ("name_key", "created_at", "updated_at", "size_bytes")


class AssetRow(Base):
    """A named thing of one kind in one project; its content is in its versions."""

    __tablename__ = "assets"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"))
    kind: Mapped[str]
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))
    """Ordered by bytes on both databases, so that pages come out the same."""
    scene: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    versions_count: Mapped[int] = mapped_column(default=0)
    """Live versions; kept in the transaction that makes or deletes one, as are the next three."""
    latest_version: Mapped[int | None]
    last_number: Mapped[int] = mapped_column(default=0)
    """The highest number ever given: numbers are not used again."""
    size_bytes: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]

    # One index a sort, and again behind each filter: any page of any list is found without sorting.
    __table_args__ = (
        _live_index("project_id", "kind", "name_key", unique=True),
        *(_live_index("project_id", "kind", sort, "id") for sort in SORTED_BY),
        *(_live_index("project_id", "kind", "created_by_id", sort, "id") for sort in SORTED_BY),
        *(_live_index("project_id", "kind", "scene", sort, "id") for sort in SORTED_BY),
    )


class AssetCountRow(Base):
    """How many live assets of a kind a project has, so that no list counts them."""

    __tablename__ = "asset_counts"

    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    live: Mapped[int] = mapped_column(default=0)


class VersionRow(Base):
    """A numbered state of an asset's files: a draft that is edited, or committed and unchanging."""

    __tablename__ = "asset_versions"

    id: Mapped[str] = mapped_column(primary_key=True)
    asset_id: Mapped[str] = mapped_column(sa.ForeignKey("assets.id"))
    number: Mapped[int]
    state: Mapped[str] = mapped_column(default="draft")
    note: Mapped[str] = mapped_column(default="")
    origin: Mapped[str] = mapped_column(default="new")
    """new, upload, copy, git or run: where its files first came from"""
    tree_id: Mapped[str] = mapped_column(sa.ForeignKey("trees.id", deferrable=True, initially="DEFERRED"), index=True)
    """Checked when the transaction ends: a tree may be replaced by another within one."""
    format: Mapped[str | None]
    metrics: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    signature: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    committed_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]

    __table_args__ = (sa.UniqueConstraint("asset_id", "number"),)


class EdgeRow(Base):
    """Lineage: a version was made from something.

    What it was made from is kept in words too, because it may be gone one day while the fact remains.
    """

    __tablename__ = "lineage_edges"

    id: Mapped[str] = mapped_column(primary_key=True)
    version_id: Mapped[str] = mapped_column(sa.ForeignKey("asset_versions.id"))
    relation: Mapped[str]
    """copied_from, imported_from, made_from, trained_on"""
    source_id: Mapped[str] = mapped_column(index=True)
    """A version's id, which may no longer exist; for what is outside, an address with its commit."""
    source_kind: Mapped[str]
    source_name: Mapped[str]
    source_version: Mapped[str]
    source_project_id: Mapped[str | None]
    source_project: Mapped[str | None]
    created_at: Mapped[datetime]
    created_by: Mapped[str]

    __table_args__ = (sa.UniqueConstraint("version_id", "relation", "source_id"),)


class BinRow(Base):
    """A deleted asset or version, until it is restored or its time is over."""

    __tablename__ = "bin"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"))
    kind: Mapped[str]
    """algorithm, algorithm_version, …"""
    asset_id: Mapped[str] = mapped_column(sa.ForeignKey("assets.id"), index=True)
    version_id: Mapped[str | None] = mapped_column(sa.ForeignKey("asset_versions.id"), unique=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))
    size_bytes: Mapped[int]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    deleted_at: Mapped[datetime]
    deleted_by: Mapped[str]
    purge_at: Mapped[datetime] = mapped_column(index=True)
    is_purging: Mapped[bool] = mapped_column(default=False)
    """On its way out: no longer shown, cannot be restored, and taken up again after a crash."""

    __table_args__ = (
        sa.Index("ix_bin_project_id_deleted_at", "project_id", "deleted_at", "id"),
        sa.Index("ix_bin_project_id_name_key", "project_id", "name_key", "id"),
        sa.Index("ix_bin_project_id_size_bytes", "project_id", "size_bytes", "id"),
    )
