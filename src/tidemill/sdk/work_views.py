"""Objects of the API that run, and what they run in."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Named, Record

FINAL = frozenset({"completed", "failed", "stopped"})


@dataclass(frozen=True, kw_only=True)
class Spec(Named):
    """A size that workloads are asked for in: what one node gets."""

    description: str = ""
    cpus: float = 0.0
    memory_bytes: int = 0
    accelerator: str | None = None
    accelerators: float = 0.0
    fabrics: list[str] = field(default_factory=list)
    is_enabled: bool = True
    fits: bool = True
    position: int = 0


@dataclass(frozen=True, kw_only=True)
class Machine(Record):
    """What can be given out in one place."""

    name: str = ""
    cpus: float = 0.0
    cpus_used: float = 0.0
    memory_bytes: int = 0
    memory_used_bytes: int = 0
    devices: list[dict[str, Any]] = field(default_factory=list)
    runtimes: list[str] = field(default_factory=list)
    enforced: dict[str, list[str]] = field(default_factory=dict)
    workloads: int = 0


@dataclass(frozen=True, kw_only=True)
class Waiting(Record):
    """Why something has not been started."""

    code: str = ""
    text: str = ""
    place: int = 0
    of: int = 0
    holders: list[dict[str, Any]] = field(default_factory=list)
    smallest_change: str = ""


@dataclass(frozen=True, kw_only=True)
class Node(Record):
    """One node of a workload."""

    index: int = 0
    host_name: str = ""
    machine: str = ""
    state: str = ""
    exit_code: int | None = None
    devices: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What is the same for all that runs and ends."""

    state: str = ""
    stop_reason: str | None = None
    message: str = ""
    exit_code: int | None = None
    attempt: int = 0

    @property
    def is_over(self) -> bool:
        return self.state in FINAL


@dataclass(frozen=True, kw_only=True)
class Workload(Ending, Named):
    """Something that runs."""

    kind: str = ""
    owner_id: str = ""
    project: str = ""
    retries: int = 0
    retries_used: int = 0
    priority: str = "normal"
    spec: str | None = None
    image: str | None = None
    nodes: list[Node] = field(default_factory=list)
    nodes_count: int = 1
    waiting: Waiting | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    outputs_state: str = "none"


@dataclass(frozen=True, kw_only=True)
class WorkloadEvent(Record):
    """One move of a workload."""

    id: str = ""
    at: datetime | None = None
    from_state: str | None = None
    to_state: str = ""
    reason: str | None = None
    message: str = ""
    by: str = ""
    attempt: int = 0


@dataclass(frozen=True, kw_only=True)
class LogPage(Record):
    """A piece of a node's output; offsets are in bytes."""

    text: str = ""
    offset: int = 0
    next_offset: int = 0
    end_offset: int = 0
    is_over: bool = False


@dataclass(frozen=True, kw_only=True)
class LogLine(Record):
    """A line of a node's output."""

    offset: int = 0
    at: datetime | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class LastRun(Record):
    """A task's newest run, in short."""

    id: str = ""
    number: int = 0
    name: str = ""
    state: str = ""


@dataclass(frozen=True, kw_only=True)
class TaskSettings(Record):
    """What is to be trained, and how."""

    algorithm: str | None = None
    models: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    image: str | None = None
    spec: str | None = None
    nodes: int = 1
    launcher: str = "command"
    processes_per_node: int | None = None
    command: str = ""
    save_model: str | None = None
    priority: str = "normal"
    preemptible: bool = False
    retries: int = 0
    time_limit_s: float | None = None
    window: dict[str, str] | None = None
    environment: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Task(TaskSettings, Named):
    """A training task."""

    description: str = ""
    runs_count: int = 0
    last_run: LastRun | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment(Named):
    """Runs that belong together."""

    description: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    runs_count: int = 0
    updated_at: datetime | None = None
    deleted_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class TrackedRun(Named):
    """A row of an experiment's table."""

    state: str = ""
    task: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_s: float | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Run(Ending, Named):
    """One start of a task, or a run from outside: that has neither task, settings nor workload."""

    number: int = 0
    experiment_id: str = ""
    experiment: str = ""
    task_id: str = ""
    task: str = ""
    retries: int = 0
    resumed_from: str | None = None
    settings: TaskSettings = field(default_factory=TaskSettings)
    workload_id: str = ""
    workload: Workload | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float | None] = field(default_factory=dict)
    files_count: int = 0
    model: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Series(Record):
    """A curve: `points` are [step, value, milliseconds since 1970]."""

    key: str = ""
    source: str = ""
    points: list[Any] = field(default_factory=list)
    last: float | None = None
    last_step: int = 0
    min: float | None = None
    max: float | None = None
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class RunFile(Record):
    """A file or folder a run left in its workspace."""

    path: str = ""
    name: str = ""
    type: str = ""
    size_bytes: int = 0
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Image(Named):
    """What workloads run in."""

    version: str = ""
    kind: str = ""
    state: str = ""
    size_bytes: int = 0
    digest: str | None = None
    description: str = ""
    specs: list[str] = field(default_factory=list)
    requirements: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    error: dict[str, Any] | None = None
    workload_id: str | None = None
    pull_command: str | None = None


@dataclass(frozen=True, kw_only=True)
class SshKey(Named):
    """A public key somebody comes in with."""

    algorithm: str = ""
    fingerprint: str = ""
    public_key: str = ""
    last_used_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class SshAccess(Record):
    """How to reach an environment by SSH; the password is there only when it was just made."""

    command: str = ""
    host: str = ""
    port: int = 0
    user: str = ""
    password: str | None = None


@dataclass(frozen=True, kw_only=True)
class Environment(Named):
    """A place to work in: notebook, terminal, SSH."""

    state: str = ""
    description: str = ""
    image: str | None = None
    spec: str | None = None
    nodes: int = 1
    inputs: list[Any] = field(default_factory=list)
    time_limit_s: float | None = None
    idle_limit_s: float | None = None
    stops_at: datetime | None = None
    warning: Any = None
    ssh: SshAccess | None = None
    workload: Workload | None = None
    updated_at: datetime | None = None
