"""Training from a dataset on the wire."""

from typing import Annotated, Any

from pydantic import Field

from tidemill.assets.schemas import Reference
from tidemill.kernel.fields import Name, Text, View, Wire
from tidemill.models.manifests import Value
from tidemill.models.schemas import AlgorithmView, ManifestView, ParameterView
from tidemill.training.schemas import RunView
from tidemill.training.settings import Parameters

Budget = Annotated[float, Field(gt=0, le=7 * 86400)]


class TrainStart(Wire):
    """What is not given is chosen."""

    algorithm: Reference | None = None
    parameters: Parameters = Field(default_factory=dict)
    model: Annotated[Text, Field(max_length=400)] | None = None
    """To start from; an empty text: from scratch."""
    save_model: Name | None = None
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    time_budget_s: Budget | None = None
    name: Name | None = None
    """Of the task; a new one is made, or that of an earlier training is used again."""


class ProblemView(View):
    code: str
    message: str
    hint: str | None


class ChoiceView(ParameterView):
    value: Value
    is_default: bool
    reason: str


class StartModelView(View):
    reference: str
    title: str
    reason: str
    metrics: dict[str, float]


class TrainingPlan(View):
    """What one click would do, and why."""

    dataset: str
    task: str
    algorithm: str | None
    image: str | None
    model: str | None
    model_reason: str
    spec: str | None
    save_model: str
    time_budget_s: float
    can_train: bool
    problems: list[ProblemView]
    algorithms: list[AlgorithmView]
    models: list[StartModelView]
    facts: dict[str, Any]
    choices: list[ChoiceView]
    manifest: ManifestView | None


class TrainingStarted(View):
    run: RunView
    task: str
    plan: TrainingPlan


class ChosenView(View):
    name: str
    value: Value
    is_default: bool
    reason: str


class TrainingView(View):
    """A run that was started from a dataset."""

    run: str
    dataset: str
    dataset_name: str
    dataset_version: int
    algorithm: str
    labelled: int
    choices: list[ChosenView]
    evaluation: str | None
    model: str | None
    progress: float | None
    remaining_s: float | None
