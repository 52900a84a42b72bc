"""Annotation on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.datasets.annotations import Annotation, Annotations
from tidemill.datasets.schemas import RevisionId, Seq
from tidemill.datasets.states import ItemState, Reason
from tidemill.kernel.fields import Text, View, Wire

SAVES_MAX = 200


class AnnotationsPut(Wire):
    base: RevisionId | None
    """The revision that was changed; null where there was none."""
    annotations: Annotations
    state: ItemState | None = None
    """`labelled` where there are annotations, else as it was, when not given."""
    merge: bool = False
    """Join with what somebody else changed meanwhile, as long as no annotation was changed by both."""


class AnnotationsSave(AnnotationsPut):
    seq: Seq
    key: Annotated[Text, Field(max_length=200)] | None = None
    """Of the journal's entry: the same sent again is done once."""


class SavesPost(Wire):
    saves: Annotated[list[AnnotationsSave], Field(min_length=1, max_length=SAVES_MAX)]


class Saved(View):
    seq: int
    revision: int | None
    state: ItemState
    annotations_count: int
    merged: list[Annotation] | None = None
    """What is there now, where it was joined with somebody else's change."""


class SaveConflict(View):
    """Somebody else changed the item: what is there now."""

    seq: int
    revision: int | None
    state: ItemState
    annotator: str | None
    updated_at: datetime
    annotations: list[Annotation]
    clashes: list[str] = Field(default_factory=list)
    """With `merge`: ids of annotations that both changed."""


class SaveAnswer(View):
    """One of several saves."""

    seq: int
    outcome: Literal["saved", "conflict", "refused"]
    revision: int | None = None
    state: ItemState | None = None
    annotations_count: int | None = None
    merged: list[Annotation] | None = None
    conflict: SaveConflict | None = None
    code: str | None = None
    message: str | None = None


class SaveAnswers(View):
    answers: list[SaveAnswer]


class RevisionView(View):
    id: int
    parent: int | None
    author: str | None
    at: datetime
    reason: Reason
    state: ItemState
    annotations_count: int
    annotations: list[Annotation] | None = None


class History(View):
    items: list[RevisionView]
    next: int | None = None
    """Goes on before this revision."""


class Restore(Wire):
    revision: RevisionId | None
    """One of the item's history; null takes all annotations away."""
    base: RevisionId | None
    """The revision that is there now, as the caller believes."""
