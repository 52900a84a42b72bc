"""The objects of the API, with the names its documents give them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Named, Record


@dataclass(frozen=True, kw_only=True)
class Quota(Record):
    """What a project may use at once; None is no limit."""

    cpu: float | None = None
    memory_bytes: int | None = None
    accelerators: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Project(Named):
    """A project: the walls between data of different people."""

    description: str = ""
    is_public: bool = False
    storage_limit_bytes: int | None = None
    storage_used_bytes: int = 0
    quota: Quota = field(default_factory=Quota)
    members_count: int = 0
    assets_count: int = 0
    updated_at: datetime | None = None
    deleted_at: datetime | None = None
    permissions: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class RoleRef(Record):
    """A role as a membership names it."""

    id: str = ""
    name: str = ""
    builtin: bool = False


@dataclass(frozen=True, kw_only=True)
class Membership(Named):
    """A user's or a group's place in a project."""

    subject_kind: str = ""
    subject_id: str = ""
    display_name: str = ""
    role: RoleRef = field(default_factory=RoleRef)


@dataclass(frozen=True, kw_only=True)
class User(Named):
    """Somebody who may sign in."""

    display_name: str = ""
    mail: str | None = None
    kind: str = "member"
    disabled: bool = False
    must_change_password: bool = False
    last_seen_at: datetime | None = None
    projects_count: int = 0


@dataclass(frozen=True, kw_only=True)
class MyProject(Record):
    """A project as its member sees it at sign-in."""

    id: str = ""
    name: str = ""
    role_names: list[str] = field(default_factory=list)
    permissions: list[str] = field(default_factory=list)
    is_public: bool = False


@dataclass(frozen=True, kw_only=True)
class Me(Named):
    """The caller."""

    display_name: str = ""
    mail: str | None = None
    kind: str = "member"
    language: str | None = None
    must_change_password: bool = False
    permissions: list[str] = field(default_factory=list)
    projects: list[MyProject] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Group(Named):
    """Users who get a role together."""

    description: str = ""
    members_count: int = 0


@dataclass(frozen=True, kw_only=True)
class Role(Named):
    """A set of permissions with a name."""

    description: str = ""
    permissions: list[str] = field(default_factory=list)
    builtin: bool = False


@dataclass(frozen=True, kw_only=True)
class Permission(Record):
    """One thing a role may allow."""

    permission: str = ""
    resource: str = ""
    action: str = ""
    scope: str = ""


@dataclass(frozen=True, kw_only=True)
class Token(Named):
    """An API token; `token` itself is there only in the answer that made it."""

    scopes: list[str] = field(default_factory=list)
    project: str | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Session(Record):
    """A signed-in browser or program."""

    id: str = ""
    created_at: datetime | None = None
    last_seen_at: datetime | None = None
    expires_at: datetime | None = None
    address: str = ""
    user_agent: str = ""
    current: bool = False


@dataclass(frozen=True, kw_only=True)
class Notification(Record):
    """Word of something that ended."""

    id: str = ""
    kind: str = ""
    title: str = ""
    body: str = ""
    link: str | None = None
    state: str = "info"
    read_at: datetime | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Asset(Named):
    """An algorithm, a model, a package: a name under which versions are kept."""

    kind: str = ""
    project: str = ""
    is_public: bool = False
    scene: str = "other"
    description: str = ""
    versions_count: int = 0
    latest_version: int | None = None
    size_bytes: int = 0
    updated_at: datetime | None = None
    permissions: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Version(Named):
    """One version: a tree of files, free while a draft, fixed once committed."""

    asset_id: str = ""
    asset: str = ""
    kind: str = ""
    project: str = ""
    number: int = 0
    state: str = "draft"
    note: str = ""
    digest: str | None = None
    files: int = 0
    size_bytes: int = 0
    revision: int = 0
    origin: str = ""
    format: str | None = None
    metrics: dict[str, Any] = field(default_factory=dict)
    signature: Any = None
    committed_at: datetime | None = None
    can_edit: bool = False


@dataclass(frozen=True, kw_only=True)
class Entry(Record):
    """A file or folder in a version."""

    path: str = ""
    name: str = ""
    type: str = "file"
    size_bytes: int = 0
    digest: str | None = None
    files: int | None = None
    media_type: str | None = None
    is_text: bool | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ManifestLine(Record):
    """A file in a version's list of all files."""

    path: str = ""
    sha256: str = ""
    size_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Change(Record):
    """A difference between two versions."""

    path: str = ""
    change: str = ""
    size_bytes: int | None = None
    old_size_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Reference(Record):
    """Something that refers to an asset."""

    kind: str = ""
    id: str = ""
    name: str = ""
    version: int | None = None
    project: str = ""
    relation: str = ""


@dataclass(frozen=True, kw_only=True)
class LineageNode(Named):
    """A version in the graph of what was made from what."""

    kind: str = ""
    version: int | None = None
    project: str | None = None
    label: str = ""
    exists: bool = True
    is_self: bool = False


@dataclass(frozen=True, kw_only=True)
class Lineage(Record):
    """Where a version comes from and what came of it; edges are `{"from", "to", "relation"}` by node id."""

    nodes: list[LineageNode] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Upload(Named):
    """A large file on its way."""

    state: str = "open"
    offset: int = 0
    size_bytes: int = 0
    sha256: str = ""
    chunk_bytes: int = 8 * 1024 * 1024
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Job(Named):
    """Background work."""

    kind: str = ""
    state: str = "waiting"
    progress: float | None = None
    done: int | None = None
    total: int | None = None
    unit: str | None = None
    message: str | None = None
    error: Any = None
    result: dict[str, Any] = field(default_factory=dict)
    project: str | None = None
    link: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in {"completed", "failed", "cancelled"}


@dataclass(frozen=True, kw_only=True)
class BinEntry(Named):
    """Something deleted that can still come back."""

    kind: str = ""
    size_bytes: int = 0
    deleted_at: datetime | None = None
    deleted_by: str = ""
    purge_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class AuditEntry(Named):
    """A change: who, what, when, from where."""

    at: datetime | None = None
    actor: str = ""
    actor_kind: str = ""
    address: str | None = None
    project: str | None = None
    action: str = ""
    target_kind: str = ""
    target_id: str | None = None
    target_name: str | None = None
    before: Any = None
    after: Any = None
    request_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Webhook(Named):
    """An address told of a project's events."""

    url: str = ""
    events: list[str] = field(default_factory=list)
    enabled: bool = True


@dataclass(frozen=True, kw_only=True)
class Delivery(Named):
    """One attempt to tell a webhook."""

    event: str = ""
    state: str = ""
    status_code: int | None = None
    error: str | None = None
    attempts: int = 0
    duration_ms: float | None = None


@dataclass(frozen=True, kw_only=True)
class Found(Record):
    """A hit of the global search."""

    kind: str = ""
    id: str = ""
    name: str = ""
    project: str | None = None
    description: str = ""
    link: str = ""


@dataclass(frozen=True, kw_only=True)
class System(Record):
    """The platform as a whole."""

    version: str = ""
    home: str | None = None
    database: Any = None
    store: dict[str, Any] = field(default_factory=dict)
    projects: int = 0
    users: int = 0
    uptime_s: float = 0


@dataclass(frozen=True, kw_only=True)
class Limits(Record):
    """What the server takes in one piece."""

    name: int = 50
    description: int = 500
    chunk_bytes: int = 16 * 1024 * 1024
    batch_files: int = 1000
    batch_bytes: int = 64 * 1024 * 1024
    text_edit_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Meta(Record):
    """The server's introduction, for anyone."""

    name: str = ""
    version: str = ""
    languages: list[str] = field(default_factory=list)
    password: dict[str, int] = field(default_factory=dict)
    apps_url: str | None = None
    limits: Limits = field(default_factory=Limits)
