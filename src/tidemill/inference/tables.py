"""Rows of batch inference.

A run is known below by `rid`, a number of its own: there may be millions of rows of results under it.
"""

from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

_Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A key that numbers itself on both databases."""
NO_SCORE, FAILED = -1, -2
"""Sort below every score: nothing was said of the item, or nothing could be said. By these they are found, too."""


def _sortable() -> Any:
    """Text ordered by bytes on both databases, so that pages come out the same."""
    return mapped_column(sa.Text(collation="C").with_variant(sa.Text(), "sqlite"))


class InferenceRow(Base):
    """What is to be inferred, and how; started any number of times."""

    __tablename__ = "inferences"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str] = _sortable()
    scene: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    form: Mapped[str]
    """code or model; see `inference.settings`"""
    settings: Mapped[dict[str, Any]]
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
        sa.Index("ix_inferences_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_inferences_project_id_updated_at", "project_id", "updated_at", "id"),
    )


class InferenceRunRow(Base):
    """One start of an entry, with the settings it was started with.

    It is carried by a workload; each resume is a further workload over the same workspace, and the newest one's state
    is the run's.
    """

    __tablename__ = "inference_runs"

    rid: Mapped[int] = mapped_column(_Number, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    inference_id: Mapped[str] = mapped_column(sa.ForeignKey("inferences.id", ondelete="CASCADE"))
    number: Mapped[int]
    name: Mapped[str]
    name_key: Mapped[str] = _sortable()
    form: Mapped[str]
    settings: Mapped[dict[str, Any]]
    """As the entry's were, with every reference naming its version; what the entry becomes later changes nothing."""
    workload_id: Mapped[str | None]
    state: Mapped[str]
    """The workload's, written in the transaction that moves it."""

    source: Mapped[str] = mapped_column(default="")
    """What looks at the items, as it was called then: `flowers@3`, or a service's name."""
    model_version_id: Mapped[str | None]
    dataset_version_id: Mapped[str | None]
    dataset: Mapped[str] = mapped_column(default="")
    """`boats@2`, as it was called then"""
    vid: Mapped[int | None]
    """The dataset's version, by its number."""
    task: Mapped[str] = mapped_column(default="")

    stage: Mapped[str] = mapped_column(default="")
    done: Mapped[int] = mapped_column(default=0)
    """Items whose results are kept."""
    looked: Mapped[int] = mapped_column(default=0)
    """Items that were looked at, kept or on the way."""
    total: Mapped[int | None]
    seq: Mapped[int] = mapped_column(default=0)
    """The number of the last item whose result is kept: the next attempt goes on after it."""
    upto: Mapped[int | None]
    """The last item that was there when it began; what comes into a draft later is not looked at."""
    shards: Mapped[int] = mapped_column(default=0)
    size_bytes: Mapped[int] = mapped_column(default=0)
    errors: Mapped[int] = mapped_column(default=0)
    annotations: Mapped[int] = mapped_column(default=0)
    empty: Mapped[int] = mapped_column(default=0)
    """Items of which nothing was said."""
    labels: Mapped[list[Any]]
    """`[name, items, annotations]` each; rows of results call labels by their places here."""
    rate: Mapped[float] = mapped_column(sa.Double(), default=0.0)
    """Items a second, lately."""
    rated_at: Mapped[datetime | None]
    is_whole: Mapped[bool] = mapped_column(default=False)
    """Its program has said that everything was looked at."""
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    attempts_before: Mapped[int] = mapped_column(default=0)
    """Launches of the workloads before the newest one."""

    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        sa.UniqueConstraint("inference_id", "number"),
        sa.Index("ix_inference_runs_workload_id", "workload_id"),
        sa.Index("ix_inference_runs_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_inference_runs_project_id_name_key", "project_id", "name_key", "id"),
        sa.Index("ix_inference_runs_project_id_state", "project_id", "state", "created_at", "id"),
        sa.Index("ix_inference_runs_inference_id_created_at", "inference_id", "created_at", "id"),
        sa.Index("ix_inference_runs_model_version_id", "model_version_id"),
        sa.Index("ix_inference_runs_dataset_version_id", "dataset_version_id"),
        {"sqlite_autoincrement": True},
    )


class InferenceShardRow(Base):
    """A file of results: JSON lines, by the numbers of their items. A shard is whole, or it is not there."""

    __tablename__ = "inference_shards"

    rid: Mapped[int] = mapped_column(
        sa.ForeignKey("inference_runs.rid", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    digest: Mapped[str]
    size_bytes: Mapped[int]
    items: Mapped[int]
    first_seq: Mapped[int]
    last_seq: Mapped[int]

    __table_args__ = ({"sqlite_with_rowid": False},)


class InferenceResultRow(Base):
    """Where the result of one item is, and what lists are filtered and sorted by."""

    __tablename__ = "inference_results"

    rid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    score: Mapped[int] = mapped_column(sa.Integer())
    """Of its surest annotation, in millionths; `NO_SCORE` or `FAILED`."""
    shard: Mapped[int] = mapped_column(sa.Integer())
    start: Mapped[int]
    """Where in the shard its line begins."""
    length: Mapped[int]

    __table_args__ = (
        sa.Index("ix_inference_results_score", "rid", "score", "seq"),
        {"sqlite_with_rowid": False},
    )


class InferenceResultLabelRow(Base):
    """A label that was seen in an item, with its surest score there."""

    __tablename__ = "inference_result_labels"

    rid: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[int] = mapped_column(sa.Integer(), primary_key=True, autoincrement=False)
    """Its place in the run's list."""
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    score: Mapped[int] = mapped_column(sa.Integer())

    __table_args__ = (
        sa.Index("ix_inference_result_labels_score", "rid", "label", "score", "seq"),
        {"sqlite_with_rowid": False},
    )


class WriteBackRow(Base):
    """Results that are written into a dataset: as suggestions of a draft, or as a new version."""

    __tablename__ = "inference_write_backs"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    run_id: Mapped[str] = mapped_column(sa.ForeignKey("inference_runs.id", ondelete="CASCADE"))
    form: Mapped[str]
    """suggestions or version"""
    asked: Mapped[dict[str, Any]]
    state: Mapped[str]
    """waiting, copying, writing, done, failed or stopped"""
    job_id: Mapped[str | None]
    dataset_asset_id: Mapped[str]
    dataset: Mapped[str]
    vid: Mapped[int | None]
    version: Mapped[int | None]
    """The number of the version that is written to."""
    seq: Mapped[int] = mapped_column(default=0)
    """The last item that was written."""
    counts: Mapped[dict[str, Any]]
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_inference_write_backs_run_id", "run_id", "created_at", "id"),
        sa.Index("ix_inference_write_backs_job_id", "job_id"),
        sa.Index("ix_inference_write_backs_project_id", "project_id"),
    )


RESULTS = cast(sa.Table, InferenceResultRow.__table__)
RESULT_LABELS = cast(sa.Table, InferenceResultLabelRow.__table__)
SHARDS = cast(sa.Table, InferenceShardRow.__table__)
