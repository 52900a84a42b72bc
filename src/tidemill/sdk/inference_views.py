"""Batch inference as the SDK tells of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Named, Record
from tidemill.sdk.work_views import Ending, LastRun, Workload


@dataclass(frozen=True, kw_only=True)
class Inference(Named):
    """An entry of batch inference."""

    scene: str = ""
    description: str = ""
    form: str = ""
    """`code` or `model`."""
    settings: dict[str, Any] = field(default_factory=dict)
    runs_count: int = 0
    last_run: LastRun | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class InferenceRun(Ending, Named):
    """One start of an entry."""

    number: int = 0
    inference_id: str = ""
    inference: str = ""
    form: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    workload_id: str = ""
    workload: Workload | None = None
    source: str = ""
    dataset: str = ""
    task: str = ""
    stage: str = ""
    done: int = 0
    total: int | None = None
    progress: float | None = None
    rate: float | None = None
    """Items a second."""
    remaining_s: float | None = None
    errors: int = 0
    annotations: int = 0
    empty: int = 0
    classes: list[dict[str, Any]] = field(default_factory=list)
    shards: int = 0
    size_bytes: int = 0
    can_resume: bool = False
    error: dict[str, Any] | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class InferenceResult(Record):
    """What was said of one item."""

    seq: int = 0
    path: str = ""
    label: str | None = None
    score: float | None = None
    annotations: list[Any] = field(default_factory=list)
    probabilities: dict[str, float] | None = None
    value: float | None = None
    uncertainty: float | None = None
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class WriteBack(Record):
    """Results on their way into a dataset."""

    id: str = ""
    run: str = ""
    form: str = ""
    state: str = ""
    threshold: float | None = None
    job: str | None = None
    dataset: str = ""
    version: int | None = None
    done: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    error: dict[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        return self.state in {"done", "failed", "stopped"}
