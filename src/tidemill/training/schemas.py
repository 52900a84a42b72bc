"""Training on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.kernel.fields import Description, Name, Text, View, Wire
from tidemill.training.settings import (
    Command,
    Launcher,
    Parameters,
    References,
    StartWindow,
    TaskSettings,
    Value,
    Variables,
)
from tidemill.workloads.schemas import WorkloadView

RunState = Literal["pending", "starting", "running", "stopping", "completed", "failed", "stopped"]

METRIC_KEY_MAX = 200
METRICS_IN_ONE = 10_000
POINTS_SHOWN = 1000
POINTS_SHOWN_MAX = 20_000
COMPARED_MAX = 20

MetricKey = Annotated[Text, Field(min_length=1, max_length=METRIC_KEY_MAX, examples=["train/loss"])]
Step = Annotated[int, Field(ge=-(2**62), le=2**62)]


class TaskCreate(TaskSettings):
    name: Name
    description: Description = ""


class TaskPatch(Wire):
    """Only what is named changes. Runs that were started keep the settings they were started with."""

    name: Name | None = None
    description: Description | None = None
    algorithm: Text | None = None
    models: References | None = None
    inputs: References | None = None
    image: Text | None = None
    spec: Text | None = None
    nodes: int | None = None
    launcher: Launcher | None = None
    processes_per_node: int | None = None
    command: Command | None = None
    save_model: Name | None = None
    priority: Literal["low", "normal", "high"] | None = None
    preemptible: bool | None = None
    retries: int | None = None
    time_limit_s: float | None = None
    window: StartWindow | None = None
    environment: Variables | None = None
    parameters: Parameters | None = None


class TaskCopy(Wire):
    name: Name


class TaskStart(Wire):
    """What this one run does otherwise than the task says."""

    parameters: Parameters | None = None
    """Put over the task's, one by one."""
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    priority: Literal["low", "normal", "high"] | None = None


class LastRun(View):
    id: str
    number: int
    name: str
    state: RunState
    created_at: datetime


class SettingsView(View):
    """A task's settings as they go out."""

    algorithm: str | None
    models: list[str]
    inputs: list[str]
    image: str | None
    spec: str | None
    nodes: int
    launcher: Launcher
    processes_per_node: int | None
    command: str
    save_model: str | None
    priority: Literal["low", "normal", "high"]
    preemptible: bool
    retries: int
    time_limit_s: float | None
    window: StartWindow | None
    environment: dict[str, str]
    parameters: dict[str, Value]


class TaskView(SettingsView):
    id: str
    name: str
    description: str
    runs_count: int
    last_run: LastRun | None
    created_at: datetime
    created_by: str
    updated_at: datetime


class RunView(View):
    id: str
    name: str
    number: int
    task_id: str
    task: str
    state: RunState
    status: RunState = Field(description="The same as `state`")
    stop_reason: str | None
    message: str | None
    exit_code: int | None
    attempt: int
    """Launches so far, resumes among them."""
    retries: int
    resumed_from: str | None
    settings: SettingsView
    workload_id: str
    workload: WorkloadView | None
    metrics: dict[str, float | None]
    """The newest value of each curve."""
    model: str | None
    """`name@version` of what it wrote to `persistent-model`."""
    created_at: datetime
    created_by: str
    started_at: datetime | None
    ended_at: datetime | None


class MetricPoint(Wire):
    key: MetricKey
    value: float
    """`"nan"`, `"inf"` and `"-inf"` are understood."""
    step: Step | None = None
    """One past the last when not given."""
    at: datetime | None = None


class MetricsAdd(Wire):
    points: Annotated[list[MetricPoint], Field(min_length=1, max_length=METRICS_IN_ONE)]
    sender: Annotated[Text, Field(min_length=1, max_length=64)] | None = None
    batch: Annotated[int, Field(ge=0, le=2**53)] | None = None
    """Goes up with every call of a sender: one that comes again is not counted twice."""


class MetricsAdded(View):
    series: int


class SeriesView(View):
    key: str
    source: Literal["sdk", "tensorboard", "log"]
    points: list[tuple[int, float | None, int]]
    """Step, value, milliseconds since 1970; no value where it was not a number."""
    last: float | None
    last_step: int
    min: float | None
    max: float | None
    count: int


class MetricsView(View):
    series: list[SeriesView]
    is_over: bool
    """Nothing will be added any more."""


class ComparedRun(View):
    run: str
    name: str
    state: RunState
    series: SeriesView | None


class ComparisonView(View):
    key: str
    keys: list[str]
    """Keys that any of the runs has."""
    runs: list[ComparedRun]


class RunFileView(View):
    path: str
    name: str
    type: Literal["file", "dir"]
    size_bytes: int
    updated_at: datetime


class RunFilePage(View):
    items: list[RunFileView]
    next: str | None
    total: int


class TensorboardView(View):
    state: Literal["starting", "open"]
    url: str | None
    workload: WorkloadView
