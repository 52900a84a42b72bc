"""Objects of the data centre."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidemill.sdk.records import Named, Record

WORK_OVER = frozenset({"done", "ready", "failed", "stopped", "expired"})


@dataclass(frozen=True, kw_only=True)
class Dataset(Named):
    """Data with annotations, in numbered versions."""

    data_type: str = ""
    annotation_type: str = ""
    description: str = ""
    versions_count: int = 0
    latest_version: int | None = None
    size_bytes: int = 0
    latest: dict[str, Any] = field(default_factory=dict)
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class DatasetVersion(Record):
    """One version, and how far it is."""

    number: int = 0
    work: str = ""
    items: int = 0
    annotations: int = 0
    states: dict[str, int] = field(default_factory=dict)
    done: int = 0
    progress: float = 0.0
    note: str = ""
    created_at: datetime | None = None
    created_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Work(Record):
    """Long work on a version: an import, an export, preprocessing, a scan."""

    id: str = ""
    kind: str = ""
    state: str = ""
    stage: str = ""
    done: int = 0
    total: int | None = None
    progress: float | None = None
    counts: dict[str, Any] = field(default_factory=dict)
    notes: int = 0
    error: dict[str, Any] | None = None
    dry_run: bool = False
    dataset: str = ""
    version: int = 0
    format: str | None = None
    target_version: int | None = None
    file_name: str = ""
    size_bytes: int | None = None
    workload_id: str | None = None
    created_at: datetime | None = None
    created_by: str = ""
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in WORK_OVER


@dataclass(frozen=True, kw_only=True)
class ReportLine(Record):
    """What was skipped or changed, and why."""

    level: str = ""
    code: str = ""
    path: str = ""
    line: int | None = None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Format(Record):
    """A format that can be imported or exported."""

    name: str = ""
    title: str = ""
    description: str = ""
    reads: bool = False
    writes: bool = False
    types: list[str] = field(default_factory=list)
    has_sample: bool = False


@dataclass(frozen=True, kw_only=True)
class Found(Record):
    """Bad items that a scan found."""

    what: str = ""
    path: str = ""
    seqs: list[int] = field(default_factory=list)
    sharpness: float | None = None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Item(Record):
    """One picture, text, sound, frame or row of a version."""

    seq: int = 0
    path: str = ""
    digest: str = ""
    size_bytes: int = 0
    media: str = ""
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    info: dict[str, Any] = field(default_factory=dict)
    state: str = "unlabelled"
    owner: str | None = None
    annotator: str | None = None
    revision: int | None = None
    annotations_count: int = 0
    annotations: list[dict[str, Any]] | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Saved(Record):
    """What an item is after its annotations were saved."""

    seq: int = 0
    revision: int | None = None
    state: str = ""
    annotations_count: int = 0
    merged: list[dict[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True)
class ItemRevision(Record):
    """An item's annotations as somebody left them."""

    id: int = 0
    parent: int | None = None
    author: str | None = None
    at: datetime | None = None
    reason: str = ""
    state: str = ""
    annotations_count: int = 0
    annotations: list[dict[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True)
class Label(Record):
    """A class of a version, and how often it is used."""

    number: int = 0
    name: str = ""
    parent: int | None = None
    colour: str = ""
    shortcut: str | None = None
    attributes: list[dict[str, Any]] = field(default_factory=list)
    skeleton: dict[str, Any] | None = None
    items: int = 0
    annotations: int = 0


@dataclass(frozen=True, kw_only=True)
class LabelSet(Named):
    """A named list of labels."""

    project: str = ""
    description: str = ""
    labels_count: int = 0
    labels: list[dict[str, Any]] = field(default_factory=list)
    updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Statistics(Record):
    """What a version's counters say."""

    revision: int = 0
    items: int = 0
    annotations: int = 0
    size_bytes: int = 0
    duplicates: int = 0
    states: dict[str, int] = field(default_factory=dict)
    done: int = 0
    progress: float = 0.0
    labels: list[dict[str, Any]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    annotators: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ItemChange(Record):
    """An item that differs between two versions."""

    path: str = ""
    change: str = ""
    new: dict[str, Any] | None = None
    old: dict[str, Any] | None = None
    content_changed: bool = False
    annotations_added: int = 0
    annotations_removed: int = 0
    annotations_changed: int = 0
    author: str | None = None
    at: datetime | None = None
    reason: str | None = None
