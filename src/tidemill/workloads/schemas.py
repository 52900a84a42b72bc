"""Workloads, specs and machines on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.accounts.schemas.projects import AcceleratorName
from tidemill.kernel.fields import Description, Name, View, Wire
from tidemill.workloads.lifecycle import State
from tidemill.workloads.wanted import Priority

Cpus = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Memory = Annotated[int, Field(ge=1024 * 1024, le=2**53 - 1)]
Accelerators = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]
Fabrics = Annotated[list[Literal["ib", "roce"]], Field(max_length=2)]
Position = Annotated[int, Field(ge=0, le=1_000_000)]


class SpecCreate(Wire):
    """What one node gets. A fraction of an accelerator is a share of one that can be divided."""

    name: Name
    description: Description = ""
    cpus: Cpus
    memory_bytes: Memory
    accelerator: AcceleratorName | None = None
    accelerators: Accelerators = 0.0
    fabrics: Fabrics = Field(default_factory=list)
    is_enabled: bool = True
    position: Position | None = None


class SpecPatch(Wire):
    name: Name | None = None
    description: Description | None = None
    cpus: Cpus | None = None
    memory_bytes: Memory | None = None
    accelerator: AcceleratorName | None = None
    accelerators: Accelerators | None = None
    fabrics: Fabrics | None = None
    is_enabled: bool | None = None
    position: Position | None = None


class SpecView(View):
    id: str
    name: str
    description: str
    cpus: float
    memory_bytes: int
    accelerator: str | None
    accelerators: float
    fabrics: list[str]
    is_enabled: bool
    position: int
    fits: bool
    """Whether a node of this size has room on some machine while nothing runs."""
    created_at: datetime
    created_by: str
    updated_at: datetime


class DeviceView(View):
    kind: str
    id: str
    memory_bytes: int | None
    shares: int
    used: float
    """From 0 to 1."""


class MachineView(View):
    name: str
    cpus: float
    memory_bytes: int
    cpus_used: float
    memory_used_bytes: int
    devices: list[DeviceView]
    fabrics: list[str]
    runtimes: list[str]
    enforced: dict[str, list[str]]
    """By runtime: which limits (`cpu`, `memory`, `pids`) workloads are really held to."""
    workloads: int
    seen_at: datetime


class ResourcesView(View):
    """What each node gets."""

    cpus: float
    memory_bytes: int
    accelerator: str | None
    accelerators: float
    fabrics: list[str]


class NodeView(View):
    index: int
    host_name: str
    machine: str
    state: str
    exit_code: int | None
    devices: list[str]


class WaitingView(View):
    """Why it has not been started."""

    code: str
    text: str
    resource: str | None
    place: int
    of: int


class HolderView(View):
    """Somebody who holds what is short. What is of another project has no name."""

    id: str | None
    name: str | None
    kind: str
    project: str | None
    amount: float


class WaitingDetailView(WaitingView):
    holders: list[HolderView]
    smallest_change: str
    """The least that would let it start, in words."""


class WorkloadView(View):
    id: str
    kind: str
    owner_id: str
    name: str
    project: str
    state: State
    stop_reason: str | None
    message: str
    exit_code: int | None
    attempt: int
    retries: int
    retries_used: int
    priority: Priority
    preemptible: bool
    spec: str | None
    resources: ResourcesView
    nodes_count: int
    nodes: list[NodeView]
    image: str | None
    command: list[str]
    time_limit_s: float | None
    idle_limit_s: float | None
    window: list[str] | None
    created_at: datetime
    created_by: str
    started_at: datetime | None
    ended_at: datetime | None
    waiting: WaitingView | None
    place: int | None
    outputs_state: str
    output_version_id: str | None


class EventView(View):
    id: str
    at: datetime
    from_state: str | None
    to_state: str
    reason: str | None
    message: str
    by: str
    attempt: int


class LogView(View):
    text: str
    offset: int
    next_offset: int
    end_offset: int
    is_over: bool


class LogLineView(View):
    offset: int
    at: datetime | None
    text: str


class LogFoundView(View):
    items: list[LogLineView]
    next: str | None


class UsagePointView(View):
    at: datetime
    cpus: float
    memory_bytes: int
    disk_read_bytes_s: float
    disk_write_bytes_s: float
    net_read_bytes_s: float | None
    """null: not measured, for the node shares its machine's network."""
    net_write_bytes_s: float | None
    devices: dict[str, dict[str, float]]


class UsageLimitsView(View):
    cpus: float
    memory_bytes: int


class UsageView(View):
    points: list[UsagePointView]
    limits: UsageLimitsView
