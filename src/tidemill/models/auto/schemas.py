"""Auto-annotation on the wire."""

from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr

from tidemill.assets.schemas import Reference
from tidemill.datasets.annotations import Annotations
from tidemill.datasets.schemas import Chosen, ItemView, LabelNumber, RevisionId, Seq
from tidemill.datasets.states import ItemState
from tidemill.datasets.works.schemas import NOTES_MAX, Count, Counts, NoteIn, WorkView
from tidemill.kernel.fields import Name, Text, View, Wire

STEP_MAX = 500
MAPPED_MAX = 20_000
SHOWN_MAX = 200
Share = Annotated[float, Field(ge=0, le=1)]
ModelLabel = Annotated[Text, Field(max_length=200)]


Open = Literal["unlabelled", "suggested"]


def _open_states() -> list[Open]:
    return ["unlabelled", "suggested"]


class ModelSource(Wire):
    type: Literal["model"]
    model: Reference


class PresetSource(Wire):
    type: Literal["preset"]
    preset: Annotated[Text, Field(min_length=1, max_length=200)]
    """A model of the catalogue that is installed."""


class ServiceSource(Wire):
    """An online service of the project, or any address that speaks the Open Inference Protocol."""

    type: Literal["service"]
    service: Name | None = None
    """By name, through the gateway; then no address and no token are given."""
    url: Annotated[Text, Field(min_length=1, max_length=2000, examples=["https://models.example.org/v2"])] | None = None
    model: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    """Which of the service's models; of a service by name its first when not given."""
    token: SecretStr | None = None


Source = Annotated[ModelSource | PresetSource | ServiceSource, Field(discriminator="type")]


class MappingAsk(Wire):
    source: Source


class LabelName(View):
    number: int
    name: str


class MappedLabel(View):
    name: str
    suggested: LabelName | None
    reason: Literal["same", "case", "plural", "translation"] | None


class MappingView(View):
    """Which labels of the dataset a model's labels seem to mean."""

    source: str
    task: str
    labels: list[MappedLabel]
    unmatched: int
    fits: bool
    problem: str | None


class AutoCreate(Wire):
    source: Source
    mapping: Annotated[dict[ModelLabel, LabelNumber | ModelLabel | None], Field(max_length=MAPPED_MAX)] | None = None
    """From labels of the model to labels of the dataset, by number or name; null leaves one out. As suggested when not
    given."""
    make_labels: bool = False
    """Labels that are mapped to a name the dataset has not are made; without a mapping, all of the model's."""
    threshold: Share = 0.5
    states: Annotated[list[Open], Field(min_length=1, max_length=2)] = Field(default_factory=_open_states)
    """Which items get suggestions."""
    label_errors: bool = True
    """Look at labelled items, too, and list those whose labels seem wrong."""
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None


class AutoView(WorkView):
    source: str
    source_type: Literal["model", "preset", "service"]
    threshold: float
    states: list[str]
    label_errors: bool
    mapping: dict[str, LabelName]


class SuggestionIn(Wire):
    """What a model says of an item that nobody has annotated."""

    seq: Seq
    revision: RevisionId | None
    """The item's, when the model looked at it."""
    annotations: Annotations
    uncertainty: Share
    surprise: Share


class SuggestionsIn(Wire):
    at: Count
    done: Count
    total: Count | None = None
    stage: Annotated[Text, Field(max_length=50)] = ""
    items: Annotated[list[SuggestionIn], Field(max_length=STEP_MAX)]
    notes: Annotated[list[NoteIn], Field(max_length=NOTES_MAX, default_factory=list)]
    counts: Counts


class LabelErrorIn(Wire):
    seq: Seq
    revision: RevisionId
    kind: Literal["class", "missing", "extra"]
    score: Share
    given: LabelNumber | None = None
    predicted: LabelNumber | None = None
    about: Annotated[dict[str, Any], Field(max_length=30)]


class LabelErrorsIn(Wire):
    at: Count
    done: Count
    is_first: bool
    """What an earlier work found goes."""
    items: Annotated[list[LabelErrorIn], Field(max_length=STEP_MAX)]


class _Thresholded(Chosen):
    threshold: Share | None = None


class SuggestionsAccept(_Thresholded):
    below: Literal["leave", "drop"] = "leave"
    """An item with a suggestion below the threshold stays as it is, or is accepted without it."""


class SuggestionsReject(_Thresholded):
    """With a threshold only suggestions below it go."""


class ChangedItem(View):
    seq: int
    revision: int
    before: int | None
    state: ItemState


class SuggestionsChanged(View):
    changed: int
    left: int
    action: str
    """Takes it back, at `undo`."""
    job: str | None = None
    items: list[ChangedItem] | None = None


class SuggestionsUndo(Wire):
    action: Annotated[Text, Field(pattern=r"^act_[0-9a-z]{26}$")]


class SuggestionsSummary(View):
    suggested: int
    looked_at: int
    sampled: bool
    """Only some of very many were looked at for the shares."""
    mean_uncertainty: float | None
    by_certainty: list[int]
    """Suggested items by their least certain suggestion, in tenths."""
    source: str | None
    work: str | None


class LabelErrorView(View):
    seq: int
    path: str
    kind: Literal["class", "missing", "extra"]
    score: float
    given: LabelName | None
    predicted: LabelName | None
    annotation: dict[str, Any] | None
    annotation_id: str | None
    source: str
    item: ItemView


class LabelErrorPage(View):
    items: list[LabelErrorView]
    next: str | None
    total: int
    total_capped: bool


class LabelErrorsDismiss(Wire):
    seqs: Annotated[list[Seq], Field(min_length=1, max_length=5000)]


class Dismissed(View):
    changed: int
