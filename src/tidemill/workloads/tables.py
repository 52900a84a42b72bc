"""Rows of everything that runs."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json


class SpecRow(Base):
    """A size that workloads are asked for in: what one node gets."""

    __tablename__ = "specs"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    cpus: Mapped[float]
    memory_bytes: Mapped[int]
    accelerator: Mapped[str | None]
    accelerators: Mapped[float] = mapped_column(default=0.0)
    """Below 1: a share of one device that can be divided."""
    fabrics: Mapped[list[str]]
    is_enabled: Mapped[bool] = mapped_column(default=True)
    position: Mapped[int] = mapped_column(default=0)
    """Where in lists it stands."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    updated_at: Mapped[datetime]


class MachineRow(Base):
    """What an engine said it has to give out when it was last asked, so that requests can be judged without asking."""

    __tablename__ = "machines"

    name: Mapped[str] = mapped_column(primary_key=True)
    cpus: Mapped[float]
    memory_bytes: Mapped[int]
    devices: Mapped[list[Any]]
    """kind, id, memory_bytes, shares"""
    fabrics: Mapped[list[str]]
    runtimes: Mapped[list[str]]
    enforced: Mapped[dict[str, Any]]
    """By runtime: the limits it really holds workloads to."""
    seen_at: Mapped[datetime]


class WorkloadRow(Base):
    """Something that runs. Only `workloads.lifecycle.move` writes `state`."""

    __tablename__ = "workloads"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    kind: Mapped[str]
    owner_id: Mapped[str] = mapped_column(index=True)
    """The run, environment or build that it is for."""
    name: Mapped[str]
    name_key: Mapped[str]

    state: Mapped[str]
    stop_reason: Mapped[str | None]
    message: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """What is going on or what went wrong, as a `jobs.texts.Text`."""
    exit_code: Mapped[int | None]

    command: Mapped[list[str]]
    image: Mapped[str | None]
    resolved_image: Mapped[dict[str, Any]]
    """What the name stood for when it was submitted: an `images.service.ResolvedImage`."""
    run_on: Mapped[str]
    environment: Mapped[dict[str, Any]]
    secrets: Mapped[dict[str, Any]]
    """Emptied when it ends."""
    token_scopes: Mapped[list[str]]
    ports: Mapped[list[Any]]
    inputs: Mapped[list[Any]]
    outputs: Mapped[list[Any]]
    workspace: Mapped[str]
    owns_workspace: Mapped[bool]
    """The workspace goes when this goes."""

    spec: Mapped[str | None]
    cpus: Mapped[float]
    memory_bytes: Mapped[int]
    accelerator: Mapped[str | None]
    accelerators: Mapped[float]
    fabrics: Mapped[list[str]]
    nodes: Mapped[int]

    priority: Mapped[int]
    """0 low, 1 normal, 2 high"""
    preemptible: Mapped[bool]
    retries: Mapped[int]
    retries_used: Mapped[int] = mapped_column(default=0)
    time_limit_s: Mapped[float | None]
    idle_limit_s: Mapped[float | None]
    window: Mapped[list[Any] | None]

    attempt: Mapped[int] = mapped_column(default=0)
    """How many launches there were."""
    attempt_id: Mapped[str | None]
    """The newest launch."""
    placement: Mapped[list[Any]]
    """What it holds now, node by node; empty while it holds nothing."""
    queued_at: Mapped[datetime]

    outputs_state: Mapped[str] = mapped_column(default="none")
    """none, waiting (something is to be collected), done, empty or failed"""
    output_version_id: Mapped[str | None]

    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change people can see."""
    changed_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    """Asked to be deleted: hidden; gone when the engine has nothing of it any more."""

    __table_args__ = (
        sa.Index("ix_workloads_project_id_created_at", "project_id", "created_at", "id"),
        sa.Index("ix_workloads_project_id_kind", "project_id", "kind", "created_at", "id"),
        sa.Index(
            "ix_workloads_active",
            "state",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        ),
        sa.Index(
            "ix_workloads_outputs_waiting",
            "id",
            sqlite_where=sa.text("outputs_state = 'waiting'"),
            postgresql_where=sa.text("outputs_state = 'waiting'"),
        ),
        sa.Index(
            "ix_workloads_deleted",
            "deleted_at",
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        ),
    )


class WorkloadEventRow(Base):
    """One move of a workload."""

    __tablename__ = "workload_events"

    id: Mapped[str] = mapped_column(primary_key=True)
    workload_id: Mapped[str] = mapped_column(sa.ForeignKey("workloads.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    from_state: Mapped[str | None]
    to_state: Mapped[str]
    reason: Mapped[str | None]
    message: Mapped[dict[str, Any] | None] = mapped_column(Json)
    by: Mapped[str]
    attempt: Mapped[int]

    __table_args__ = (sa.Index("ix_workload_events_workload_id_id", "workload_id", "id"),)


class WorkloadAttemptRow(Base):
    """One launch. Its id is the engine's."""

    __tablename__ = "workload_attempts"

    id: Mapped[str] = mapped_column(primary_key=True)
    workload_id: Mapped[str] = mapped_column(sa.ForeignKey("workloads.id", ondelete="CASCADE"))
    number: Mapped[int]
    placement: Mapped[list[Any]]
    nodes: Mapped[list[Any]]
    """How the nodes were when we last looked: index, host_name, state, exit_code."""
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    exit_code: Mapped[int | None]
    reason: Mapped[str | None]

    __table_args__ = (sa.UniqueConstraint("workload_id", "number"),)
