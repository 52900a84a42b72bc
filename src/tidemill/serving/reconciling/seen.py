"""Services as they were seen, for deciding: values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tidemill.serving.states import ReplicaState, Role
from tidemill.workloads.lifecycle import State

PackageState = Literal["waiting", "building", "ready", "failed"]
"""Waiting: its build is in the queue of workloads."""


@dataclass(frozen=True, slots=True)
class ReplicaSeen:
    """A replica that has not ended, with its workload and its health."""

    id: str
    track_id: str
    deployment_id: str
    generation: int
    state: ReplicaState
    workload: State | None
    """None: there is none any more."""
    stop_reason: str | None = None
    running_since: datetime | None = None
    is_well: bool | None = None
    """Whether it answered when asked for its health; None: it was not asked."""
    created_at: datetime | None = None
    ready_at: datetime | None = None
    unwell_since: datetime | None = None
    draining_at: datetime | None = None
    drain_revision: int | None = None


@dataclass(frozen=True, slots=True)
class TrackSeen:
    """What is wanted of a track."""

    id: str
    role: Role
    deployment_id: str
    generation: int
    wanted: int
    package: PackageState = "ready"
    failures: int = 0
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ServiceSeen:
    """A service with all that is live of it."""

    id: str
    asked: int
    is_over: bool = False
    """Stopped or deleted, or its project is: nothing is to run."""
    tracks: tuple[TrackSeen, ...] = ()
    replicas: tuple[ReplicaSeen, ...] = ()


@dataclass(frozen=True, slots=True)
class GatewaySeen:
    """How far the gateway is, and what it has open."""

    revision: int
    open_by_replica: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take, in seconds."""

    ready_s: float = 600.0
    """From its start until it is ready."""
    drain_s: float = 60.0
    """For requests it has begun when it is to go."""
    unwell_s: float = 10.0
    """Without an answer to questions for its health, before it gets no more requests…"""
    lost_s: float = 40.0
    """…and before it is replaced."""
    steady_s: float = 60.0
    """Ready for so long, earlier failures are forgotten."""
    backoff_s: float = 2.0
    backoff_max_s: float = 300.0
    at_once: int = 8
    """Replicas begun in one turn."""
