"""Services as the SDK gives them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Named, Record


@dataclass(frozen=True, kw_only=True)
class Replica(Record):
    """One running copy; its logs are its workload's."""

    id: str = ""
    name: str = ""
    role: str | None = None
    number: int = 0
    state: str = ""
    reason: str = ""
    workload_id: str = ""
    machine: str | None = None
    created_at: datetime | None = None
    ready_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Track(Record):
    """What is behind a service: production, or the canary."""

    role: str = ""
    number: int = 0
    package: str = ""
    model: str | None = None
    models: list[str] = field(default_factory=list)
    spec: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    secret_names: list[str] = field(default_factory=list)
    wanted: int = 0
    ready: int = 0
    share: float = 0.0
    state: str = ""
    reason: str = ""
    replicas: list[Replica] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Service(Named):
    """An online service."""

    description: str = ""
    project: str = ""
    state: str = ""
    reason: str = ""
    url: str = ""
    grpc: dict[str, Any] = field(default_factory=dict)
    wanted: int = 0
    ready: int = 0
    production: Track | None = None
    canary: Track | None = None
    is_stopped: bool = False
    access: str = ""
    cors: list[str] = field(default_factory=list)
    body_max_bytes: int = 0
    timeout_s: float = 0.0
    rate_per_s: float | None = None
    shadow_percent: float | None = None
    open_alerts: int = 0
    traffic: dict[str, Any] = field(default_factory=dict)
    """Of the last minute: `requests_per_s`, `errors`, `refused`, `error_rate`."""
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ServiceKey(Named):
    """A key of a service; `key` itself only from the call that made it."""

    prefix: str = ""
    rate_per_s: float | None = None
    last_used_on: str | None = None
    key: str | None = None


@dataclass(frozen=True, kw_only=True)
class ServiceEvent(Record):
    """Something that happened to a service."""

    id: str = ""
    at: datetime | None = None
    kind: str = ""
    role: str | None = None
    number: int | None = None
    message: str = ""
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class ServiceAlert(Record):
    """A rule that was broken."""

    id: str = ""
    service: str = ""
    state: str = ""
    text: str = ""
    value: float = 0.0
    opened_at: datetime | None = None
    closed_at: datetime | None = None
