"""Packages as the SDK gives them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Record
from tidemill.sdk.views import Asset


@dataclass(frozen=True, kw_only=True)
class Package(Asset):
    """A package, with how its newest version is."""

    latest: dict[str, Any] | None = None
    ready: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class PackageVersion(Record):
    """A version of a package: what it is made of, and how far its build is."""

    id: str = ""
    package: str = ""
    project: str = ""
    number: int = 0
    name: str = ""
    state: str = ""
    note: str = ""
    digest: str = ""
    same_as: list[str] = field(default_factory=list)
    recipe: dict[str, Any] = field(default_factory=dict)
    models: list[dict[str, Any]] = field(default_factory=list)
    server: str = ""
    protocol: str = ""
    has_grpc: bool = False
    task: str = ""
    runtime: str = ""
    base_image: str = ""
    image: str | None = None
    start: str = ""
    files: int = 0
    size_bytes: int = 0
    error: dict[str, Any] | None = None
    workload_id: str | None = None
    users: list[dict[str, Any]] = field(default_factory=list)
    created_at: datetime | None = None
    created_by: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in {"completed", "failed", "stopped"}
