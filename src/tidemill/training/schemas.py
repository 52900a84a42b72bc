"""Training on the wire."""

import unicodedata
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from tidemill.kernel.fields import Description, Name, Text, View, Wire, is_unprintable
from tidemill.kernel.ids import looks_like_id
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

EXPERIMENT_NAME_MAX = 500
TAGS_MAX = 200
RunState = Literal["pending", "starting", "running", "stopping", "completed", "failed", "stopped"]

METRIC_KEY_MAX = 200
METRICS_IN_ONE = 10_000
POINTS_SHOWN = 1000
POINTS_SHOWN_MAX = 20_000
COMPARED_MAX = 20


def _check_experiment_name(text: str) -> str:
    name = unicodedata.normalize("NFC", text).strip()
    if not name or any(is_unprintable(character) for character in name):
        raise PydanticCustomError("experiment_name_unfit", "unfit")
    if looks_like_id(name, "exp"):
        raise PydanticCustomError("name_like_id", "looks like an id")
    return name


ExperimentName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=EXPERIMENT_NAME_MAX),
    AfterValidator(_check_experiment_name),
    Field(examples=["learning-rates"]),
]
"""Wider than other names: what other tools call their experiments is taken as it is."""
TagKey = Annotated[Text, Field(min_length=1, max_length=250)]
Tags = Annotated[dict[TagKey, Annotated[Text, Field(max_length=20_000)]], Field(max_length=TAGS_MAX)]
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


class ExperimentCreate(Wire):
    name: ExperimentName
    description: Description = ""
    tags: Tags = Field(default_factory=dict)


class ExperimentPatch(Wire):
    """Only what is named changes; tags are replaced as a whole."""

    name: ExperimentName | None = None
    description: Description | None = None
    tags: Tags | None = None


class ExperimentView(View):
    id: str
    name: str
    description: str
    tags: dict[str, str]
    runs_count: int
    created_at: datetime
    created_by: str
    updated_at: datetime
    deleted_at: datetime | None


class DatasetUsed(View):
    """Data that a run says it read."""

    name: str
    digest: str
    source: str
    context: str | None


class RunView(View):
    id: str
    name: str
    number: int
    """Of its task; 0 for a run from outside."""
    experiment_id: str
    experiment: str
    task_id: str | None
    """None for a run that was logged from outside; it has no settings and no workload either."""
    task: str | None
    state: RunState
    status: RunState = Field(description="The same as `state`")
    stop_reason: str | None
    message: str | None
    exit_code: int | None
    attempt: int
    """Launches so far, resumes among them."""
    retries: int
    resumed_from: str | None
    settings: SettingsView | None
    workload_id: str | None
    workload: WorkloadView | None
    parameters: dict[str, str]
    tags: dict[str, str]
    datasets: list[DatasetUsed]
    metrics: dict[str, float | None]
    """The newest value of each curve."""
    files_count: int
    """Files that were logged to it, beside its workspace."""
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
    source: Literal["sdk", "mlflow", "tensorboard", "log"]
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
