"""Rows of datasets.

A version is known here by `vid`, a number of its own: there are millions of rows below it. Items point at their newest
revision; a new version copies item rows and shares the revisions. Counters are kept in the transaction of each change.
"""

from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

_Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A key that numbers itself on both databases."""
_Path = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
"""Ordered by bytes on both databases."""
_Small = sa.SmallInteger()


class DatasetRow(Base):
    """What a dataset has beyond other assets. Outlives its asset until its rows are taken apart."""

    __tablename__ = "datasets"

    did: Mapped[int] = mapped_column(_Number, primary_key=True, autoincrement=True)
    asset_id: Mapped[str | None] = mapped_column(sa.ForeignKey("assets.id", ondelete="SET NULL"), unique=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), index=True)
    data_type: Mapped[str]
    annotation_type: Mapped[str]
    next_label: Mapped[int] = mapped_column(default=1)
    """Numbers of labels are not used again in a dataset."""

    __table_args__ = (
        sa.Index(
            "ix_datasets_orphaned",
            "did",
            sqlite_where=sa.text("asset_id IS NULL"),
            postgresql_where=sa.text("asset_id IS NULL"),
        ),
        {"sqlite_autoincrement": True},
    )


class DatasetVersionRow(Base):
    """What a version of a dataset has beyond other versions.

    Without a version it is one that is being made from another, or one whose version is gone and which is taken apart.
    """

    __tablename__ = "dataset_versions"

    vid: Mapped[int] = mapped_column(_Number, primary_key=True, autoincrement=True)
    version_id: Mapped[str | None] = mapped_column(sa.ForeignKey("asset_versions.id", ondelete="SET NULL"), unique=True)
    did: Mapped[int] = mapped_column(sa.ForeignKey("datasets.did"), index=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id"), index=True)
    state: Mapped[str] = mapped_column(default="draft")
    """copying, draft, publishing or published; see `datasets.states`"""
    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change of items, annotations and labels."""
    changed_at: Mapped[datetime] = mapped_column(index=True)
    next_seq: Mapped[int] = mapped_column(default=1)
    """Numbers of items are not used again in a version."""
    removals: Mapped[int] = mapped_column(default=0)
    """How many items were ever taken out: a copy under way looks whether some were meanwhile."""
    copy_tree_id: Mapped[str | None] = mapped_column(sa.ForeignKey("trees.id"))
    """A tree of its own on the way; see `datasets.trees`."""
    annotations_digest: Mapped[str | None]
    annotations_bytes: Mapped[int | None]
    info_digest: Mapped[str | None]
    info_bytes: Mapped[int | None]
    """Since it was published: `annotations.jsonl` and `dataset.json`."""
    job_id: Mapped[str | None] = mapped_column(index=True)
    """The background work that makes or publishes it."""
    guidelines: Mapped[str] = mapped_column(default="")
    examples: Mapped[list[Any]] = mapped_column(Json, default=list)
    """Numbers of items that show good annotation."""

    __table_args__ = (
        sa.Index(
            "ix_dataset_versions_orphaned",
            "vid",
            sqlite_where=sa.text("version_id IS NULL"),
            postgresql_where=sa.text("version_id IS NULL"),
        ),
        {"sqlite_autoincrement": True},
    )


class ItemRow(Base):
    """One picture, text, sound, frame or row of a version."""

    __tablename__ = "dataset_items"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    path: Mapped[str] = mapped_column(_Path)
    digest: Mapped[str]
    size_bytes: Mapped[int]
    media: Mapped[str]
    width: Mapped[int | None] = mapped_column(sa.Integer())
    height: Mapped[int | None] = mapped_column(sa.Integer())
    duration: Mapped[float | None] = mapped_column(sa.Double())
    info: Mapped[str | None]
    """JSON text: it is only ever handed on."""
    state: Mapped[int] = mapped_column(_Small)
    """See `datasets.states`."""
    owner: Mapped[int | None]
    annotator: Mapped[int | None]
    """Who changed it last; both are numbers of `dataset_people`."""
    revision: Mapped[int | None]
    annotations: Mapped[int] = mapped_column(sa.Integer(), default=0)
    changed: Mapped[int]
    """The version's revision at its last change."""
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("uq_dataset_items_vid_path", "vid", "path", unique=True),
        sa.Index("ix_dataset_items_state", "vid", "state", "seq"),
        sa.Index(
            "ix_dataset_items_annotator",
            "vid",
            "annotator",
            "seq",
            "state",
            sqlite_where=sa.text("annotator IS NOT NULL"),
            postgresql_where=sa.text("annotator IS NOT NULL"),
        ),
        sa.Index(
            "ix_dataset_items_owner",
            "vid",
            "owner",
            "seq",
            "state",
            sqlite_where=sa.text("owner IS NOT NULL"),
            postgresql_where=sa.text("owner IS NOT NULL"),
        ),
        {"sqlite_with_rowid": False},
    )


class ContentRow(Base):
    """An item has this content, by the start of its digest; see `datasets.contents`."""

    __tablename__ = "dataset_contents"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    key: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)

    __table_args__ = ({"sqlite_with_rowid": False},)


class ItemLabelRow(Base):
    """An item has annotations of a label. State and annotator are copied: a filtered page stays in the index."""

    __tablename__ = "dataset_item_labels"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    state: Mapped[int] = mapped_column(_Small)
    annotator: Mapped[int | None]

    __table_args__ = ({"sqlite_with_rowid": False},)


class RevisionRow(Base):
    """An item's annotations as somebody left them. Never changed; items of several versions may point at one."""

    __tablename__ = "dataset_revisions"

    id: Mapped[int] = mapped_column(_Number, primary_key=True, autoincrement=True)
    did: Mapped[int] = mapped_column(sa.ForeignKey("datasets.did"), index=True)
    parent: Mapped[int | None]
    author: Mapped[int | None]
    """Of `dataset_people`; None for the platform itself."""
    at: Mapped[datetime]
    reason: Mapped[str]
    """import, edit, restore, preprocess, auto or review"""
    state: Mapped[int] = mapped_column(_Small)
    """The item's state after it."""
    key: Mapped[str | None]
    """The `Idempotency-Key` of the request that made it."""
    body: Mapped[str]
    """The annotations: JSON text."""

    __table_args__ = ({"sqlite_autoincrement": True},)


class SuggestionRow(Base):
    """How sure a model was of an item, in millionths: pages "least certain first" walk these indexes.

    A row may outlive what it speaks of (the item was annotated, or taken out): whoever reads looks at the item, too.
    """

    __tablename__ = "dataset_suggestions"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    doubt: Mapped[int] = mapped_column(sa.Integer())
    """How uncertain the model is of the item as a whole."""
    surprise: Mapped[int] = mapped_column(sa.Integer())
    """How little the item looks like what the model expects."""
    least: Mapped[int | None] = mapped_column(sa.Integer())
    """The score of the least certain of its suggestions."""

    __table_args__ = (
        sa.Index("ix_dataset_suggestions_doubt", "vid", "doubt", "seq"),
        sa.Index("ix_dataset_suggestions_surprise", "vid", "surprise", "seq"),
        {"sqlite_with_rowid": False},
    )


class LabelErrorRow(Base):
    """An annotated item whose annotations a model has reason to doubt, as it was at that revision."""

    __tablename__ = "dataset_label_errors"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    """class (another label is likelier), missing (something was overlooked) or extra (nothing is seen there)"""
    score: Mapped[int] = mapped_column(sa.Integer())
    """How sure the model is, in millionths."""
    revision: Mapped[int]
    given: Mapped[int | None]
    predicted: Mapped[int | None]
    """Numbers of labels."""
    about: Mapped[str]
    """JSON text: the annotation's id, or the annotation the model would have made."""
    source: Mapped[str]

    __table_args__ = (
        sa.Index("ix_dataset_label_errors_score", "vid", "score", "seq", "kind"),
        {"sqlite_with_rowid": False},
    )


class LabelRow(Base):
    """A class of a version."""

    __tablename__ = "dataset_labels"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int]
    """Its place in lists, among its siblings."""
    name: Mapped[str]
    parent: Mapped[int | None]
    colour: Mapped[str]
    shortcut: Mapped[str | None]
    attributes: Mapped[list[Any]] = mapped_column(Json, default=list)
    skeleton: Mapped[dict[str, Any] | None] = mapped_column(Json)


class CountRow(Base):
    """How many of what a version has, so that nothing has to be counted.

    Dimensions: `state`, `label` (items with it), `shapes` (annotations with it), `annotator`, `size` (small, medium and
    large shapes, as COCO has it), `type` (annotations by type), `total` (items, annotations, bytes, duplicates).
    """

    __tablename__ = "dataset_counts"

    vid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    dimension: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[int]

    __table_args__ = ({"sqlite_with_rowid": False},)


class PersonRow(Base):
    """A user in few bytes."""

    __tablename__ = "dataset_people"

    number: Mapped[int] = mapped_column(_Number, primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]

    __table_args__ = ({"sqlite_autoincrement": True},)


class LabelSetRow(Base):
    """A named list of labels, to be applied to datasets of its project."""

    __tablename__ = "label_sets"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(_Path)
    description: Mapped[str] = mapped_column(default="")
    labels: Mapped[list[Any]]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.UniqueConstraint("project_id", "name_key"),
        sa.Index("ix_label_sets_project_id_updated_at", "project_id", "updated_at", "id"),
    )


class WorkRow(Base):
    """An import, an export, a preprocessing, a scan or an auto-annotation: what was asked for and how it went.

    A workload does it.
    """

    __tablename__ = "dataset_works"

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    """import, export, preprocess, scan or auto"""
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    vid: Mapped[int] = mapped_column(sa.ForeignKey("dataset_versions.vid", ondelete="CASCADE"))
    """The version it is about: of an import the one it goes into, of all others the one it reads."""
    target_vid: Mapped[int | None] = mapped_column(sa.ForeignKey("dataset_versions.vid", ondelete="SET NULL"))
    """Of preprocessing: the draft it fills."""
    workload_id: Mapped[str | None]
    state: Mapped[str]
    """waiting, running, done, failed or stopped; see `datasets.works.states`"""
    asked: Mapped[dict[str, Any]]
    """What was asked for; holds no secret."""
    is_dry_run: Mapped[bool]
    format: Mapped[str | None]
    """As asked for, then as recognised."""
    stage: Mapped[str] = mapped_column(default="")
    """What it is at: a word of the worker's."""
    done: Mapped[int] = mapped_column(default=0)
    """How far it is: what was acknowledged to the worker, which goes on from here."""
    total: Mapped[int | None]
    counts: Mapped[dict[str, Any]]
    """How much of what: items added, annotated, unchanged, skipped; notes by code."""
    notes_count: Mapped[int] = mapped_column(default=0)
    parts: Mapped[int] = mapped_column(default=0)
    """How many parts the report has."""
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """A note (`datasets.notes`) or a text (`jobs.texts`): why it failed."""
    fingerprint: Mapped[str | None]
    """Of what an export was asked for: a finished one of the same is used again until the version changes."""
    version_revision: Mapped[int | None]
    """The version's revision that an export shows."""
    digest: Mapped[str | None]
    size_bytes: Mapped[int | None]
    file_name: Mapped[str] = mapped_column(default="")
    """The file that an export made."""
    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_dataset_works_vid_kind_created_at", "vid", "kind", "created_at", "id"),
        sa.Index("ix_dataset_works_workload_id", "workload_id"),
        sa.Index("ix_dataset_works_project_id", "project_id"),
        sa.Index("ix_dataset_works_target_vid", "target_vid"),
        sa.Index("ix_dataset_works_fingerprint", "vid", "fingerprint"),
    )


class ReportPartRow(Base):
    """Lines of a work's report, as many as came with one acknowledged step."""

    __tablename__ = "dataset_report_parts"

    work_id: Mapped[str] = mapped_column(sa.ForeignKey("dataset_works.id", ondelete="CASCADE"), primary_key=True)
    part: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    first: Mapped[int]
    """The number of its first line, counted from 0 over the whole report."""
    lines: Mapped[str]
    """JSON lines."""


ITEMS = cast(sa.Table, ItemRow.__table__)
CONTENTS = cast(sa.Table, ContentRow.__table__)
ITEM_LABELS = cast(sa.Table, ItemLabelRow.__table__)
REVISIONS = cast(sa.Table, RevisionRow.__table__)
VERSIONS = cast(sa.Table, DatasetVersionRow.__table__)
LABELS = cast(sa.Table, LabelRow.__table__)
COUNTS = cast(sa.Table, CountRow.__table__)
SUGGESTIONS = cast(sa.Table, SuggestionRow.__table__)
LABEL_ERRORS = cast(sa.Table, LabelErrorRow.__table__)
"""For statements that must cost little: rows of these are read and written as they are, not as objects."""
