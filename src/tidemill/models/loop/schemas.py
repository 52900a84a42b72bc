"""The loop on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.assets.schemas import Reference
from tidemill.datasets.schemas import ItemView
from tidemill.datasets.works.schemas import WorkErrorView
from tidemill.kernel.fields import Text, View, Wire
from tidemill.models.evaluations.schemas import RunName
from tidemill.models.training.schemas import Budget
from tidemill.training.settings import Parameters

Step = Literal["publishing", "copying", "training", "annotating", "done"]


class RetrainStart(Wire):
    """What is not given is chosen, as with training from a dataset."""

    algorithm: Reference | None = None
    parameters: Parameters = Field(default_factory=dict)
    model: Annotated[Text, Field(max_length=400)] | None = None
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    time_budget_s: Budget | None = None
    then_annotate: bool = False
    """Let the new model look at the new draft."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5


class LoopAuto(Wire):
    model: Reference | None = None
    """The newest one trained from the dataset when not given."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5


class RoundRun(RunName):
    state: str


class RoundView(View):
    id: str
    step: Step
    state: Literal["running", "done", "failed", "stopped"]
    version: int
    draft: int | None
    run: RoundRun | None
    model: str | None
    auto: str | None
    error: WorkErrorView | None
    created_at: datetime
    created_by: str
    finished_at: datetime | None


class LoopPoint(View):
    """A model that was trained from the dataset, and how good it is."""

    labelled: int
    version: int
    model: str | None
    evaluation: str | None
    run: RunName
    metric: str | None
    value: float | None
    created_at: datetime


class Advice(View):
    code: Literal[
        "label_first", "train_first", "auto_annotate", "look_at_suggestions", "label_more", "retrain", "good_enough",
        "wait",
    ]  # fmt: skip
    message: str
    action: Literal["label", "train", "auto", "suggestions", "retrain"] | None


class ActionView(View):
    allowed: bool
    reason: str | None


class LoopView(View):
    dataset: str
    task: str
    draft: int | None
    latest_published: int | None
    items: int
    labelled: int
    suggested: int
    unlabelled: int
    progress: float
    curve: list[LoopPoint]
    primary: str | None
    best: LoopPoint | None
    model: str | None
    next_items: list[ItemView]
    next_order: Literal["uncertainty", "seq"]
    advice: Advice
    actions: dict[str, ActionView]
    round: RoundView | None
