"""Datasets on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.schemas import AssetView, Digest, FilePath, Note, VersionView
from tidemill.datasets.annotations import Annotation, Annotations
from tidemill.datasets.states import FITTING, AnnotationType, DataType, ItemState, Reason
from tidemill.kernel.fields import Description, Name, Text, View, Wire

BULK_MAX = 2000
CONTENT_MAX = 64 * 1024
SEQS_MAX = 5000
LABELS_MAX = 10_000

Seq = Annotated[int, Field(ge=1, le=2**53)]
RevisionId = Annotated[int, Field(ge=1, le=2**53)]
LabelNumber = Annotated[int, Field(ge=1, le=2**53)]
LabelName = Annotated[Text, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
Shortcut = Annotated[Text, StringConstraints(min_length=1, max_length=30)]
Info = Annotated[dict[str, Any], Field(max_length=200)]


class DatasetCreate(Wire):
    name: Name
    data_type: DataType
    annotation_type: AnnotationType
    description: Description = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.annotation_type not in FITTING[self.data_type]:
            context = {"data_type": str(self.data_type), "fitting": ", ".join(sorted(FITTING[self.data_type]))}
            raise PydanticCustomError("annotation_type_unfit", "unfit", context)
        return self


class DatasetPatch(Wire):
    """Only the name can be changed."""

    name: Name


class VersionSummary(View):
    """How far a version is."""

    number: int
    state: str
    items: int
    done: int
    """Labelled or reviewed."""
    aside: int
    progress: float
    """Percent of the items that are not set aside."""


class DatasetView(AssetView):
    data_type: DataType
    annotation_type: AnnotationType
    latest: VersionSummary | None = None


class DatasetVersionCreate(Wire):
    note: Note = ""


class VersionPublish(Wire):
    note: Note | None = None


class DatasetVersionPatch(Wire):
    """What annotators are told."""

    guidelines: Annotated[Text, Field(max_length=100_000)] | None = None
    """Markdown."""
    examples: Annotated[list[Seq], Field(max_length=100)] | None = None
    """Numbers of items that show good annotation."""


class DatasetVersionView(VersionView):
    data_type: DataType
    annotation_type: AnnotationType
    work: Literal["copying", "draft", "publishing", "published"]
    items: int
    annotations: int
    states: dict[str, int]
    done: int
    progress: float
    item_revision: int
    """Goes up with every change of items, annotations and labels."""
    changed_at: datetime
    guidelines: str
    examples: list[int]
    can_annotate: bool


class LabelAttribute(Wire):
    name: Annotated[Text, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]
    type: Literal["text", "number", "choice", "flag"]
    choices: Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=500)] | None = None
    default: str | float | bool | None = None
    required: bool = False


PointIndex = Annotated[int, Field(ge=0, le=999)]
Pairs = Annotated[list[Annotated[list[PointIndex], Field(min_length=2, max_length=2)]], Field(max_length=5000)]


class Skeleton(Wire):
    """Named points, which of them are joined, and which change sides in a mirror."""

    points: Annotated[
        list[Annotated[Text, StringConstraints(min_length=1, max_length=100)]], Field(min_length=1, max_length=1000)
    ]
    edges: Pairs = Field(default_factory=list)
    flips: Pairs = Field(default_factory=list)

    @model_validator(mode="after")
    def _points_exist(self) -> Self:
        if any(index >= len(self.points) for pair in (*self.edges, *self.flips) for index in pair):
            raise PydanticCustomError("skeleton_point", "no such point")
        return self


class LabelFields(Wire):
    name: LabelName
    parent: LabelNumber | None = None
    """The number of the label it is under; there are two levels."""
    colour: Colour | None = None
    """One of a palette when not given."""
    shortcut: Shortcut | None = None
    attributes: Annotated[list[LabelAttribute], Field(default_factory=list, max_length=100)]
    skeleton: Skeleton | None = None


class LabelPut(LabelFields):
    number: LabelNumber | None = None
    """Of a label that is there already; without it the label is new."""
    parent_name: LabelName | None = None
    """Instead of `parent`, for labels that are sent together."""


class LabelsPut(Wire):
    """All labels, in order. What is left out goes, unless annotations use it or it is not among the `known` ones."""

    labels: Annotated[list[LabelPut], Field(max_length=LABELS_MAX)]
    known: Annotated[list[LabelNumber], Field(max_length=LABELS_MAX)] | None = None
    """Numbers of the labels that the caller had seen: others, added meanwhile, stay. Without it all are known."""


class LabelsAdd(Wire):
    """Labels to add; those whose name is there already (under the same parent) are found instead."""

    labels: Annotated[list[LabelPut], Field(min_length=1, max_length=LABELS_MAX)]


class LabelPatch(Wire):
    name: LabelName | None = None
    colour: Colour | None = None
    shortcut: Shortcut | None = None
    attributes: Annotated[list[LabelAttribute], Field(max_length=100)] | None = None
    skeleton: Skeleton | None = None
    parent: LabelNumber | None = None
    position: Annotated[int, Field(ge=0, le=LABELS_MAX)] | None = None


class LabelView(View):
    number: int
    name: str
    parent: int | None
    colour: str
    shortcut: str | None
    attributes: list[LabelAttribute]
    skeleton: Skeleton | None
    items: int
    annotations: int


class LabelList(View):
    items: list[LabelView]


class ItemView(View):
    seq: int
    path: str
    digest: str
    size_bytes: int
    media: str
    width: int | None
    height: int | None
    duration: float | None
    info: dict[str, Any]
    state: ItemState
    owner: str | None
    annotator: str | None
    """Who changed its annotations last."""
    revision: int | None
    annotations_count: int
    updated_at: datetime
    annotations: list[Annotation] | None = None
    """Only where they were asked for."""
    uncertainty: float | None = None
    surprise: float | None = None
    """What a model thought of it, from 0 to 1, where that was asked for and one has looked."""


class ItemPage(View):
    items: list[ItemView]
    next: str | None = None
    total: int
    total_capped: bool = False


class BulkItem(Wire):
    path: FilePath
    sha256: Digest | None = None
    """Of content that was sent before; without it the annotations are for an item that is there already."""
    size_bytes: Annotated[int, Field(ge=0, le=2**53)] = 0
    media: Annotated[Text, Field(max_length=100)] | None = None
    width: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    height: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    duration: Annotated[float, Field(ge=0, le=1e9)] | None = None
    info: Info | None = None
    annotations: Annotations | None = None
    state: ItemState | None = None
    """`labelled` where there are annotations, else `unlabelled`, when not given."""


class ItemAdd(BulkItem):
    content: Annotated[str, Field(max_length=CONTENT_MAX)] | None = None
    """The content itself, where it is a short text; `sha256` and `size_bytes`, when given all the same, are checked."""


class BulkAdd(Wire):
    items: Annotated[list[ItemAdd], Field(min_length=1, max_length=BULK_MAX)]
    existing: Literal["keep", "replace"] = "keep"
    """What becomes of annotations of an item that is there already and has some."""
    reason: Reason = Reason("import")


class BulkRefusal(View):
    index: int
    path: str
    code: str
    message: str


class BulkResult(View):
    added: int
    annotated: int
    """Were there already, and got these annotations."""
    unchanged: int
    refused: list[BulkRefusal]
    first_seq: int | None
    last_seq: int | None


class ItemFilter(Wire):
    state: ItemState | None = None
    label: LabelNumber | None = None
    annotator: Annotated[Text, Field(max_length=400)] | None = None
    owner: Annotated[Text, Field(max_length=400)] | None = None
    q: Annotated[Text, Field(max_length=200)] | None = None


class Chosen(Wire):
    """Items by number, or all that a filter finds."""

    seqs: Annotated[list[Seq], Field(min_length=1, max_length=SEQS_MAX)] | None = None
    filter: ItemFilter | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.seqs is None) == (self.filter is None):
            raise PydanticCustomError("chosen_one_way", "seqs or filter")
        return self


class StateChange(Chosen):
    state: ItemState


class OwnerChange(Chosen):
    owner: Annotated[Text, Field(max_length=400)] | None
    """A member's name or id; null gives them up."""


class ChangedCount(View):
    changed: int
    job: str | None = None
    """The background work that does the rest, where there are many."""


class AnnotatorCount(View):
    name: str
    items: int


class StatisticsView(View):
    revision: int
    """Of the version, at which these numbers were so."""
    items: int
    annotations: int
    size_bytes: int
    duplicates: int
    """Items whose content another item has, too."""
    states: dict[str, int]
    done: int
    progress: float
    labels: list[LabelView]
    sizes: dict[str, int]
    """Shapes below 32², below 96² and above, in square pixels."""
    types: dict[str, int]
    annotators: list[AnnotatorCount]
    """Whose change is the last, with how many items."""


class ItemSide(View):
    """An item as it is in one of two versions."""

    seq: int
    digest: str
    state: ItemState
    revision: int | None
    annotations_count: int


class ItemChange(View):
    path: str
    change: Literal["added", "removed", "changed"]
    new: ItemSide | None
    old: ItemSide | None
    content_changed: bool
    annotations_added: int
    annotations_removed: int
    annotations_changed: int
    author: str | None
    """Who annotated it last, where the annotations differ."""
    at: datetime | None
    reason: Reason | None


class ItemChangePage(View):
    items: list[ItemChange]
    next: str | None = None
    added: int | None = None
    """How many there are of each, on the first page; up to a cap."""
    removed: int | None = None
    changed: int | None = None
    capped: bool | None = None


class SetLabel(Wire):
    """A label of a set: as one of a version, but for its number; the parent is named."""

    name: LabelName
    parent: LabelName | None = None
    colour: Colour | None = None
    shortcut: Shortcut | None = None
    attributes: Annotated[list[LabelAttribute], Field(default_factory=list, max_length=100)]
    skeleton: Skeleton | None = None


SetLabels = Annotated[list[SetLabel], Field(max_length=LABELS_MAX)]


class LabelSetCreate(Wire):
    name: Name
    description: Description = ""
    labels: SetLabels = Field(default_factory=list)


class LabelSetPatch(Wire):
    name: Name | None = None
    description: Description | None = None
    labels: SetLabels | None = None
    seen: datetime | None = None
    """`updated_at` of the set that the caller changed: refused where somebody changed it since."""


class LabelSetFromVersion(Wire):
    """A new set with the labels of a version: `name@3`."""

    name: Name
    description: Description = ""
    version: Annotated[Text, Field(min_length=1, max_length=400)]


class LabelSetView(View):
    id: str
    name: str
    project: str
    description: str
    labels_count: int
    labels: list[SetLabel]
    created_at: datetime
    created_by: str
    updated_at: datetime


class LabelSetApply(Wire):
    label_set: Annotated[Text, Field(min_length=1, max_length=400)]
    """Its name or id; `public/name` for one of the public project."""
