"""Rows of online services."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base, Json

_LIVE = "deleted_at IS NULL"


class ServiceRow(Base):
    """A service: one address, behind it a production track and at most one canary."""

    __tablename__ = "services"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str]
    description: Mapped[str] = mapped_column(default="")

    access: Mapped[str]
    """key: an API key or token is needed; open: nothing is"""
    cors: Mapped[list[str]]
    body_max_bytes: Mapped[int]
    timeout_s: Mapped[float]
    rate_per_s: Mapped[float | None]
    retry_posts: Mapped[bool | None]
    """A POST whose replica died under it is sent to another one, too; null: where that is known to be safe."""
    alert_rules: Mapped[list[Any]]
    rollback_rule: Mapped[dict[str, Any] | None] = mapped_column(Json)
    shadow_percent: Mapped[float | None]
    """How much of production's traffic the canary is shown, too; null: none."""

    is_stopped: Mapped[bool] = mapped_column(default=False)
    last_number: Mapped[int] = mapped_column(default=0)
    """Of the newest deployment."""
    asked: Mapped[int] = mapped_column(default=0)
    """Goes up with everything people ask for: what was decided for an earlier number is not done any more."""
    state: Mapped[str]
    reason: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """Why it is not serving, as a `jobs.texts.Text`."""
    wanted: Mapped[int] = mapped_column(default=0)
    ready: Mapped[int] = mapped_column(default=0)

    revision: Mapped[int] = mapped_column(default=0)
    """Goes up with every change people can see."""
    changed_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    """Hidden and out of the routing table; the row goes once its last replica has ended."""

    __table_args__ = (
        sa.Index(
            "uq_services_name_live",
            "project_id",
            "name_key",
            unique=True,
            sqlite_where=sa.text(_LIVE),
            postgresql_where=sa.text(_LIVE),
        ),
        sa.Index("ix_services_project_id_created_at", "project_id", "created_at", "id"),
    )


class DeploymentRow(Base):
    """What was once put behind a service: it never changes, and replicas say which one they are of."""

    __tablename__ = "service_deployments"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    number: Mapped[int]
    package_version_id: Mapped[str] = mapped_column(index=True)
    package: Mapped[str]
    """As it is called: `name@3`."""
    models: Mapped[list[str]]
    """Of the package, as they are called."""
    spec: Mapped[str | None]
    environment: Mapped[dict[str, Any]]
    secrets: Mapped[dict[str, Any]]
    """Environment, too; never shown."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    created_by_id: Mapped[str | None]

    __table_args__ = (sa.UniqueConstraint("service_id", "number"),)


class TrackRow(Base):
    """A way behind the service's address: production or canary."""

    __tablename__ = "service_tracks"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    role: Mapped[str]
    """production, canary"""
    deployment_id: Mapped[str] = mapped_column(sa.ForeignKey("service_deployments.id"))
    replicas: Mapped[int]
    share: Mapped[float]
    """Percent of the traffic: the canary's; production has the rest."""
    generation: Mapped[int] = mapped_column(default=0)
    """Goes up with every restart."""
    failures: Mapped[int] = mapped_column(default=0)
    """Replicas that failed since one was well for a while."""
    retry_at: Mapped[datetime | None]
    """No new replica before this."""
    failure: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """What the last one died of."""
    state: Mapped[str]
    reason: Mapped[dict[str, Any] | None] = mapped_column(Json)
    ready: Mapped[int] = mapped_column(default=0)
    rolled_back_at: Mapped[datetime | None]
    """When a rule took its traffic away."""
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __table_args__ = (sa.UniqueConstraint("service_id", "role"),)


class ReplicaRow(Base):
    """One running copy: a workload of its own. Only `serving.lifecycle.move` writes `state`."""

    __tablename__ = "service_replicas"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    track_id: Mapped[str]
    """The track may be gone already: then it drains."""
    deployment_id: Mapped[str] = mapped_column(sa.ForeignKey("service_deployments.id"))
    number: Mapped[int]
    generation: Mapped[int]
    name: Mapped[str]
    workload_id: Mapped[str] = mapped_column(index=True)
    port: Mapped[int]
    grpc_port: Mapped[int | None]
    host: Mapped[str | None]
    """Where its ports are reached, once it listens."""
    reached_port: Mapped[int | None]
    reached_grpc_port: Mapped[int | None]
    state: Mapped[str]
    reason: Mapped[dict[str, Any] | None] = mapped_column(Json)
    created_at: Mapped[datetime]
    ready_at: Mapped[datetime | None]
    unwell_since: Mapped[datetime | None]
    """Since when it has not answered when asked for its health."""
    draining_at: Mapped[datetime | None]
    drain_revision: Mapped[int | None]
    """The first routing table it is not in."""
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index(
            "ix_service_replicas_live",
            "service_id",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        ),
        sa.Index("ix_service_replicas_service_id_id", "service_id", "id"),
    )


class KeyRow(Base):
    """A key that opens one service. The secret itself is not kept."""

    __tablename__ = "service_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    name: Mapped[str]
    prefix: Mapped[str]
    sha256: Mapped[str] = mapped_column(unique=True)
    rate_per_s: Mapped[float | None]
    last_used_on: Mapped[str | None]
    """A day, in UTC."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]

    __table_args__ = (sa.Index("ix_service_keys_service_id_id", "service_id", "id"),)


class EventRow(Base):
    """Something that happened to a service."""

    __tablename__ = "service_events"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    kind: Mapped[str]
    role: Mapped[str | None]
    number: Mapped[int | None]
    message: Mapped[dict[str, Any]] = mapped_column(Json)
    by: Mapped[str]

    __table_args__ = (sa.Index("ix_service_events_service_id_id", "service_id", "id"),)


class MetricRow(Base):
    """What was counted of a deployment (and one replica of it) within `step_s` seconds from `at`."""

    __tablename__ = "service_metrics"

    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"), primary_key=True)
    step_s: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Seconds since 1970."""
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    replica_id: Mapped[str] = mapped_column(primary_key=True)
    """Empty where replicas are not told apart any more."""
    is_shadow: Mapped[bool] = mapped_column(primary_key=True)
    """Of copies that it was shown, not of what callers asked."""
    counts: Mapped[dict[str, Any]]
    """A `serving.metrics.counts.Counts`."""

    __table_args__ = (sa.Index("ix_service_metrics_step_s_at", "step_s", "at"),)


class MarkRow(Base):
    """Up to where a replica's counters were taken over: counted once, whoever dies in between."""

    __tablename__ = "service_marks"

    replica_id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(primary_key=True)
    """gateway, shadow (both with the gateway's epoch), server"""
    instance: Mapped[str]
    """Whose counters they were: others begin at zero."""
    seen: Mapped[dict[str, Any]]
    seen_at: Mapped[datetime]


class AlertRow(Base):
    """A rule that was broken, from when to when."""

    __tablename__ = "service_alerts"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    project_id: Mapped[str]
    rule_id: Mapped[str]
    rule: Mapped[dict[str, Any]]
    state: Mapped[str]
    """pending (not long enough yet), open, closed"""
    value: Mapped[float]
    worst: Mapped[float]
    pending_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (sa.Index("ix_service_alerts_service_id_id", "service_id", "id"),)


class ShadowRow(Base):
    """A comparison of the canary's answers with production's, while it was shown production's traffic."""

    __tablename__ = "service_shadows"

    id: Mapped[str] = mapped_column(primary_key=True)
    service_id: Mapped[str] = mapped_column(sa.ForeignKey("services.id", ondelete="CASCADE"))
    production_number: Mapped[int]
    canary_number: Mapped[int]
    percent: Mapped[float]
    figures: Mapped[dict[str, Any]]
    """A `serving.shadow.Figures`."""
    started_at: Mapped[datetime]
    started_by: Mapped[str]
    ended_at: Mapped[datetime | None]

    __table_args__ = (sa.Index("ix_service_shadows_service_id_id", "service_id", "id"),)
