"""Objects of models: facts, evaluations, plans, suggestions, the catalogue."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Record
from tidemill.sdk.work_views import Run

ENDED = frozenset({"done", "failed", "stopped"})


@dataclass(frozen=True, kw_only=True)
class Facts(Record):
    """What a model version says of itself."""

    reference: str = ""
    model: str = ""
    version: int = 0
    state: str = ""
    task: str = ""
    format: str | None = None
    labels: list[Any] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    primary: str | None = None
    primary_value: float | None = None
    signature: dict[str, Any] | None = None
    made_with: dict[str, Any] = field(default_factory=dict)
    dataset: str | None = None
    run: dict[str, Any] | None = None
    can_evaluate: bool = False
    can_annotate: bool = False
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Evaluation(Record):
    """A model version measured on a dataset version."""

    id: str = ""
    state: str = ""
    origin: str = ""
    model: str = ""
    dataset: str = ""
    task: str = ""
    part: str = ""
    items: int | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    primary: str | None = None
    primary_value: float | None = None
    stage: str = ""
    progress: float | None = None
    error: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    workload_id: str | None = None
    created_at: datetime | None = None
    created_by: str = ""
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    @property
    def per_class(self) -> list[dict[str, Any]]:
        """Numbers of each class; only where the evaluation was asked for by itself."""
        found: list[dict[str, Any]] = (self.result or {}).get("classes") or []
        return found


@dataclass(frozen=True, kw_only=True)
class Choice(Record):
    """A parameter's value, and why."""

    name: str = ""
    value: Any = None
    default: Any = None
    is_default: bool = True
    reason: str = ""
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class TrainingPlan(Record):
    """What training from a version would do."""

    dataset: str = ""
    task: str = ""
    algorithm: str | None = None
    model: str | None = None
    spec: str | None = None
    save_model: str = ""
    time_budget_s: float = 0.0
    can_train: bool = False
    problems: list[Any] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class TrainingStarted(Record):
    run: Run = field(default_factory=Run)
    task: str = ""
    plan: TrainingPlan = field(default_factory=TrainingPlan)


@dataclass(frozen=True, kw_only=True)
class SuggestionsChanged(Record):
    """What became of suggestions; `action` takes it back."""

    changed: int = 0
    left: int = 0
    action: str = ""
    job: str | None = None


@dataclass(frozen=True, kw_only=True)
class LabelError(Record):
    """A labelled item whose label seems wrong."""

    seq: int = 0
    path: str = ""
    kind: str = ""
    score: float = 0.0
    given: dict[str, Any] | None = None
    predicted: dict[str, Any] | None = None
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry(Record):
    """A well-known model."""

    name: str = ""
    title: str = ""
    description: str = ""
    task: str = ""
    licence: str = ""
    size_bytes: int = 0
    state: str = ""
    model: str | None = None
    available: str = ""
    package: str | None = None
    files: list[Any] = field(default_factory=list)
