"""Long work on the wire: what users see of it, and what its programs send."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tidemill.datasets.schemas import BULK_MAX, BulkItem, LabelPut, LabelView, Seq
from tidemill.datasets.works.states import Kind, State
from tidemill.kernel.fields import Text, View, Wire
from tidemill.transfers.schemas import SIZE_MAX, Sha256

NOTES_MAX = 5000
Count = Annotated[int, Field(ge=0, le=2**53)]
Counts = Annotated[dict[Annotated[str, Field(max_length=100)], Count], Field(max_length=500, default_factory=dict)]


class WorkErrorView(View):
    """Why a work failed, in the reader's language."""

    code: str
    message: str
    hint: str | None = None
    path: str | None = None


class WorkView(View):
    id: str
    kind: Kind
    state: State
    stage: str
    """What it is at: fetching, reading, writing, looking, sending …"""
    done: int
    total: int | None
    progress: float | None
    """Percent, where the end is known."""
    counts: dict[str, Any]
    notes: int
    """How many lines its report has."""
    error: WorkErrorView | None
    dry_run: bool
    dataset: str
    version: int
    workload_id: str | None
    created_at: datetime
    created_by: str
    finished_at: datetime | None


class NoteView(View):
    """A line of a report."""

    level: str
    code: str
    path: str
    line: int | None
    message: str


class NotePage(View):
    items: list[NoteView]
    next: int | None = None
    """`after` of the next page."""
    total: int


class NoteIn(Wire):
    code: Annotated[str, Field(max_length=100)]
    path: Annotated[str, Field(max_length=4096)] = ""
    line: Count | None = None
    level: Literal["skipped", "changed", "info"] = "skipped"
    params: Annotated[dict[str, Any], Field(max_length=30, default_factory=dict)]


class WorkTaskView(View):
    """What a work's program has to know."""

    id: str
    kind: Kind
    state: State
    asked: dict[str, Any]
    format: str | None
    dry_run: bool
    data_type: str
    annotation_type: str
    dataset: str
    version: int
    done: int
    """How far the one before it came: go on from here."""
    labels: list[LabelView]
    """Of the version it reads."""
    target_labels: list[LabelView]
    """Of the version it writes."""
    items: int
    """How many there are in the version it reads."""


class StepIn(Wire):
    """What was done between `at` and `done`, kept whole or not at all. Sending it twice does it once."""

    at: Count
    done: Count
    total: Count | None = None
    stage: Annotated[Text, Field(max_length=50)] = ""
    format: Annotated[Text, Field(max_length=50)] | None = None
    items: Annotated[list[BulkItem], Field(max_length=BULK_MAX, default_factory=list)]
    notes: Annotated[list[NoteIn], Field(max_length=NOTES_MAX, default_factory=list)]
    counts: Counts
    """To be added to what is there."""


class StepView(View):
    done: int


class ProgressIn(Wire):
    stage: Annotated[Text, Field(max_length=50)]
    total: Count | None = None
    format: Annotated[Text, Field(max_length=50)] | None = None
    version_revision: Count | None = None


class LabelsIn(Wire):
    labels: Annotated[list[LabelPut], Field(min_length=1, max_length=10_000)]


class LabelsView(View):
    items: list[LabelView]


class FinishIn(Wire):
    sha256: Sha256 | None = None
    """Of content that was sent: the file that was made."""
    size_bytes: Annotated[int, Field(ge=0, le=SIZE_MAX)] = 0
    file_name: Annotated[Text, Field(max_length=255)] = ""
    counts: Counts


class FindingIn(Wire):
    """What was seen of an item."""

    seq: Seq
    info: Annotated[dict[str, Any], Field(max_length=20)]


class FindingsIn(Wire):
    at: Count
    done: Count
    total: Count | None = None
    items: Annotated[list[FindingIn], Field(max_length=BULK_MAX)]
    notes: Annotated[list[NoteIn], Field(max_length=NOTES_MAX, default_factory=list)]
