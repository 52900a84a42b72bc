"""Evaluations on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tidemill.assets.schemas import Reference
from tidemill.datasets.works.schemas import Count, NoteIn, WorkErrorView
from tidemill.kernel.fields import Text, View, Wire
from tidemill.transfers.schemas import SIZE_MAX, Sha256

COMPARED_MAX = 10
State = Literal["waiting", "running", "done", "failed", "stopped"]
Part = Literal["test", "all"]


class EvaluationCreate(Wire):
    model: Reference
    dataset: Reference
    """A published version."""
    part: Part = "test"
    """`test`: the items that a training with the model's seed kept apart; `all`: every labelled item."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5
    """For what counts as found or not."""
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None


class RunName(View):
    id: str
    name: str


class EvaluationView(View):
    id: str
    state: State
    origin: Literal["asked", "run"]
    model: str
    model_version_id: str
    dataset: str
    dataset_name: str
    dataset_version: int | None
    dataset_project: str | None
    dataset_version_id: str | None
    task: str
    part: str
    threshold: float | None
    items: int | None
    metrics: dict[str, float]
    primary: str | None
    primary_value: float | None
    stage: str
    progress: float | None
    """Percent, where the end is known."""
    error: WorkErrorView | None
    run: RunName | None
    workload_id: str | None
    has_predictions: bool
    created_at: datetime
    created_by: str
    finished_at: datetime | None


class EvaluationDetail(EvaluationView):
    result: dict[str, Any] | None
    """`evaluation.json`: classes, confusion, curves, thresholds, worst examples."""


class ComparedMetric(View):
    name: str
    goal: Literal["max", "min"]
    values: list[float | None]
    best: int | None
    """Which of the evaluations."""


class ComparedClass(View):
    label: str
    support: int | None
    values: list[dict[str, Any] | None]


class ComparedCurves(View):
    evaluation: str
    pr: list[dict[str, Any]]


class DifferingItem(View):
    seq: int
    path: str
    bad: list[float | None]
    """How wrong each was; null where it is not among an evaluation's worst."""


class EvaluationComparison(View):
    dataset: str
    task: str
    primary: str | None
    evaluations: list[EvaluationView]
    metrics: list[ComparedMetric]
    classes: list[ComparedClass]
    curves: list[ComparedCurves]
    differing: list[DifferingItem]


class EvaluationTask(View):
    """What the program has to know."""

    id: str
    state: State
    model: str
    model_folder: str
    dataset: str
    dataset_folder: str
    part: str
    threshold: float


class FileIn(Wire):
    sha256: Sha256
    size_bytes: Annotated[int, Field(ge=1, le=SIZE_MAX)]


class EvaluationProgress(Wire):
    stage: Annotated[Text, Field(max_length=50)]
    done: Count = 0
    total: Count | None = None


class EvaluationFinish(Wire):
    evaluation: FileIn
    predictions: FileIn | None = None


EvaluationFail = NoteIn
