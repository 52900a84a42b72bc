"""Manifests and facts on the wire."""

from datetime import datetime
from typing import Any, Literal

from tidemill.kernel.fields import View
from tidemill.models.evaluations.schemas import RunName
from tidemill.models.manifests import Value


class FunctionView(View):
    command: str
    launcher: str
    dataset: str
    model: str


class ParameterView(View):
    name: str
    type: Literal["int", "float", "bool", "choice", "text"]
    default: Value
    min: float | None
    max: float | None
    log: bool
    choices: list[Value] | None
    title: str
    help: str
    group: Literal["basic", "optimiser", "augmentation", "model", "run"]


class MetricView(View):
    name: str
    goal: Literal["max", "min"]
    title: str


class AlgorithmView(View):
    """An algorithm that says what it is for."""

    reference: str
    name: str
    project: str
    version: int
    task: str
    title: str
    description: str


class AlgorithmList(View):
    items: list[AlgorithmView]


class ManifestView(AlgorithmView):
    manifest: int
    image: str | None
    functions: dict[str, FunctionView]
    parameters: list[ParameterView]
    metrics: list[MetricView]
    primary: str | None


class FactsView(View):
    """What is known of a model version."""

    version_id: str
    model: str
    version: int
    project: str
    reference: str
    state: Literal["read", "none", "broken"]
    problem: str | None
    task: str
    format: str | None
    labels: list[dict[str, Any]]
    input: dict[str, Any]
    signature: dict[str, Any] | None
    metrics: dict[str, float]
    primary: str | None
    primary_value: float | None
    adapter: str | None
    made_with: dict[str, Any]
    run: RunName | None
    dataset: str | None
    can_evaluate: bool
    can_annotate: bool
    created_at: datetime
