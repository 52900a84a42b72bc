"""Batch inference on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr

from tidemill.assets.kinds import Scene
from tidemill.assets.schemas import Reference
from tidemill.datasets.schemas import LabelNumber, Seq
from tidemill.datasets.works.schemas import Count, NoteIn, WorkErrorView
from tidemill.inference.settings import Form, Priority, Settings, Share, SpecName
from tidemill.kernel.fields import Description, Name, Text, View, Wire
from tidemill.models.auto.schemas import MappingView
from tidemill.training.schemas import RunState
from tidemill.training.settings import Launcher, Value
from tidemill.transfers.schemas import SIZE_MAX, Sha256
from tidemill.workloads.schemas import WorkloadView

ROWS_MAX = 10_000
LABELS_MAX = 20_000
LABELS_OF_ITEM_MAX = 2000
ModelLabel = Annotated[Text, Field(max_length=200)]
WriteBackForm = Literal["suggestions", "version"]
WriteBackState = Literal["waiting", "copying", "writing", "done", "failed", "stopped"]


class InferenceCreate(Wire):
    name: Name
    scene: Scene = Scene("other")
    description: Description = ""
    settings: Settings


class InferencePatch(Wire):
    """Only what is named changes; the settings as a whole. Runs keep what they were started with."""

    name: Name | None = None
    scene: Scene | None = None
    description: Description | None = None
    settings: Settings | None = None


class InferenceCopy(Wire):
    name: Name


class InferenceStart(Wire):
    """What this one run does otherwise than the entry says."""

    dataset: Reference | None = None
    """Without code only."""
    threshold: Share | None = None
    spec: SpecName | None = None
    priority: Priority | None = None
    token: SecretStr | None = None
    """For a service at an address that wants one; kept for this run only."""


class InferenceResume(Wire):
    token: SecretStr | None = None


class SourceView(View):
    type: Literal["model", "service"]
    model: str | None = None
    service: str | None = None
    url: str | None = None
    in_flight: int | None = None


class InferenceSettingsView(View):
    """Settings as they go out: fields of the other form are null."""

    form: Form
    datasets: list[str] | None = None
    algorithm: str | None = None
    models: list[str] | None = None
    image: str | None = None
    nodes: int | None = None
    launcher: Launcher | None = None
    command: str | None = None
    retries: int | None = None
    environment: dict[str, str] | None = None
    parameters: dict[str, Value] | None = None
    source: SourceView | None = None
    dataset: str | None = None
    threshold: float | None = None
    states: list[str] | None = None
    workers: int | None = None
    spec: str | None = None
    priority: Priority = "normal"
    time_limit_s: float | None = None


class LastInferenceRun(View):
    id: str
    number: int
    name: str
    state: RunState
    progress: float | None
    created_at: datetime


class InferenceView(View):
    id: str
    name: str
    scene: str
    description: str
    form: Form
    settings: InferenceSettingsView
    runs_count: int
    last_run: LastInferenceRun | None
    created_at: datetime
    created_by: str
    updated_at: datetime


class ClassCount(View):
    label: str
    items: int
    annotations: int


class InferenceRunView(View):
    id: str
    name: str
    number: int
    inference_id: str
    inference: str
    scene: str
    form: Form
    state: RunState
    status: RunState = Field(description="The same as `state`")
    stop_reason: str | None
    message: str | None
    exit_code: int | None
    attempt: int
    settings: InferenceSettingsView
    workload_id: str | None
    workload: WorkloadView | None
    """Its log, its events and what it uses are at the workload."""
    source: str
    """`flowers@3`, or the service's name."""
    model_version_id: str | None
    dataset: str
    dataset_name: str | None
    dataset_version: int | None
    dataset_project: str | None
    """None where the version is gone, or there is none."""
    dataset_version_id: str | None
    task: str
    stage: str
    """loading, predicting, sending, or nothing"""
    done: int
    total: int | None
    progress: float | None
    """Percent, where the end is known."""
    rate: float | None
    """Items a second, lately."""
    remaining_s: float | None
    errors: int
    annotations: int
    empty: int
    """Items of which nothing was said."""
    classes: list[ClassCount]
    """The most frequent first, 200 at most."""
    shards: int
    size_bytes: int
    has_results: bool
    can_resume: bool
    error: WorkErrorView | None
    created_at: datetime
    created_by: str
    started_at: datetime | None
    ended_at: datetime | None


class ResultView(View):
    """What was said of one item."""

    seq: int
    path: str
    label: str | None
    """Of its surest annotation."""
    score: float | None
    annotations: list[dict[str, Any]]
    """As datasets have them; labels by name, with `score`."""
    probabilities: dict[str, float] | None
    value: float | None
    """Where a number is predicted."""
    uncertainty: float | None
    error: str | None
    """Why nothing could be said of it."""
    width: int | None
    height: int | None
    media: str | None
    thumbnail: str | None
    """Addresses of its picture and its content; null where the dataset's version is gone."""
    content: str | None


class ResultPage(View):
    items: list[ResultView]
    next: str | None
    total: int
    total_capped: bool


class ShardView(View):
    number: int
    name: str
    items: int
    size_bytes: int
    sha256: str


class ShardList(View):
    items: list[ShardView]


class WriteBackTarget(Wire):
    form: WriteBackForm
    dataset: Reference | None = None
    """For suggestions: the draft they go to; that of the run's dataset when not given."""


class WriteBackMapping(MappingView):
    """Which labels of the dataset the labels that were found seem to mean."""

    dataset: str
    version: int
    """What would be written to, or what the new version would be made from: the labels are its."""


class WriteBackCreate(WriteBackTarget):
    threshold: Share | None = None
    """What is less sure is left out."""
    mapping: Annotated[dict[ModelLabel, LabelNumber | ModelLabel | None], Field(max_length=LABELS_MAX)] | None = None
    """From labels of the results to labels of the dataset, by number or name; null leaves one out. By name when not
    given."""
    make_labels: bool = True
    """Labels the dataset has not are made."""
    existing: Literal["keep", "replace"] = "keep"
    """For a version: items that are annotated already stay as they are, or get what was predicted instead."""
    note: Description = ""


class WriteBackView(View):
    id: str
    run: str
    form: WriteBackForm
    state: WriteBackState
    threshold: float | None
    job: str | None
    dataset: str
    version: int | None
    """The version that is written to, once it is there."""
    done: int
    counts: dict[str, int]
    """`written`, `empty`, `kept`, `missing`"""
    error: WorkErrorView | None
    created_at: datetime
    created_by: str
    finished_at: datetime | None


class InferenceTask(View):
    """What a run's program has to know."""

    id: str
    state: str
    """done where an attempt before ended it"""
    source: dict[str, Any]
    model_folder: str | None
    dataset_folder: str
    threshold: float
    states: list[str]
    workers: int
    seq: int
    """The last item whose result is kept."""
    done: int
    shards: int
    total: int
    upto: int


class ResultIn(Wire):
    """Where an item's line is, and what it is found by."""

    seq: Seq
    start: Count
    length: Annotated[int, Field(ge=1, le=2**40)]
    is_error: bool = False
    annotations: Count = 0
    labels: Annotated[list[tuple[ModelLabel, Share, Count]], Field(max_length=LABELS_OF_ITEM_MAX)] = Field(
        default_factory=list
    )
    """Each label once: its surest score, and how many annotations have it."""
    score: Share | None = None


class ShardIn(Wire):
    """A shard that was sent, kept whole or not at all. Sending it twice keeps it once."""

    number: Annotated[int, Field(ge=1, le=2**31)]
    after: Count
    """The last item before it."""
    sha256: Sha256
    size_bytes: Annotated[int, Field(ge=1, le=SIZE_MAX)]
    rows: Annotated[list[ResultIn], Field(min_length=1, max_length=ROWS_MAX)]
    rate: Annotated[float, Field(ge=0, le=1e12)] = 0.0


class ShardKept(View):
    seq: int
    done: int
    shards: int


class InferenceProgress(Wire):
    stage: Annotated[Text, Field(max_length=50)]
    rate: Annotated[float, Field(ge=0, le=1e12)] | None = None
    task: Annotated[Text, Field(max_length=100)] | None = None
    done: Count | None = None
    """Items that were looked at, kept or not yet."""


class InferenceFinish(Wire):
    seq: Count
    """The last item whose result was kept: said again, so that nothing is missing."""


InferenceFail = NoteIn
