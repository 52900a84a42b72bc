"""Experiments on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.kernel.fields import Text, View, Wire
from tidemill.training.schemas import ExperimentName, RunState, TagKey
from tidemill.training.settings import Parameters

SHOWN_MAX = 200
RunName = Annotated[Text, Field(min_length=1, max_length=500)]
RunTags = Annotated[dict[TagKey, Annotated[Text, Field(max_length=8000)]], Field(max_length=200)]


class RunCreate(Wire):
    """A run that goes on somewhere else and is logged here."""

    experiment: ExperimentName = "Default"
    """Its name; made when there is none of that name."""
    name: RunName | None = None
    parameters: Parameters = Field(default_factory=dict)
    tags: RunTags = Field(default_factory=dict)


class RunPatch(Wire):
    """Only what is named changes. A tag set to nothing goes."""

    name: RunName | None = None
    tags: Annotated[dict[TagKey, Annotated[Text, Field(max_length=8000)] | None], Field(max_length=200)] | None = None
    parameters: Parameters | None = None
    """Added; what was said before cannot change."""
    state: Literal["running", "completed", "failed", "stopped"] | None = None
    """Of a run from outside: `completed`, `failed` or `stopped` end it."""


class TrackedRun(View):
    """A row of an experiment's table."""

    id: str
    name: str
    state: RunState
    task: str | None
    created_by: str
    started_at: datetime
    ended_at: datetime | None
    duration_s: float | None
    metrics: dict[str, float | None]
    parameters: dict[str, str]
    tags: dict[str, str]


class TrackedRunPage(View):
    items: list[TrackedRun]
    next: str | None
    total: int
    total_capped: bool


class KeysView(View):
    """Names that runs of an experiment have, in order."""

    metrics: list[str]
    parameters: list[str]
    tags: list[str]
    is_cut: bool
    """There are more than are listed."""


class LoggedFile(View):
    path: str
    name: str
    type: str
    size_bytes: int
    updated_at: datetime


class LoggedFilePage(View):
    items: list[LoggedFile]
    next: str | None
    total: int
    total_capped: bool
