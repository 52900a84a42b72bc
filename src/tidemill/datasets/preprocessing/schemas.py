"""Cleaning and preprocessing on the wire."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.schemas import Note
from tidemill.datasets.schemas import ItemFilter, Seq
from tidemill.datasets.works.schemas import WorkView
from tidemill.kernel.fields import View, Wire

PREVIEW_MAX = 24
SIDE_MAX = 65_535
Threshold = Annotated[float, Field(ge=0, le=5000)]


class DropBlurred(Wire):
    threshold: Threshold = 50.0
    """Pictures whose sharpness is below it are set aside and take no part in what follows."""


class CropStep(Wire):
    """A window of the picture."""

    x: Annotated[float, Field(ge=0, le=SIDE_MAX)] = 0
    y: Annotated[float, Field(ge=0, le=SIDE_MAX)] = 0
    w: Annotated[float, Field(gt=0, le=SIDE_MAX)]
    h: Annotated[float, Field(gt=0, le=SIDE_MAX)]
    unit: Literal["pixels", "share"] = "pixels"
    """Shares of the picture's width and height, 0 to 1."""
    keep: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Annotations of which less than this share of the area is in the window go."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.unit == "share" and (self.x + self.w > 1.000001 or self.y + self.h > 1.000001):
            raise PydanticCustomError("preprocess_crop", "beyond the picture")
        return self


class RotateStep(Wire):
    degrees: Literal[90, 180, 270]
    """Clockwise."""


class MirrorStep(Wire):
    horizontal: bool = False
    """Left and right change places."""
    vertical: bool = False


class ResizeStep(Wire):
    width: Annotated[int, Field(ge=1, le=SIDE_MAX)] | None = None
    height: Annotated[int, Field(ge=1, le=SIDE_MAX)] | None = None
    fit: Literal["stretch", "inside"] = "stretch"
    """With both sides given: exactly that size, or as large as fits into it."""

    @model_validator(mode="after")
    def _has_side(self) -> Self:
        if self.width is None and self.height is None:
            raise PydanticCustomError("preprocess_resize", "no side")
        return self


class Steps(Wire):
    """What is done, in this order; each may be left out."""

    drop_blurred: DropBlurred | None = None
    crop: CropStep | None = None
    rotate: RotateStep | None = None
    mirror: MirrorStep | None = None
    resize: ResizeStep | None = None

    @property
    def is_empty(self) -> bool:
        return not any((self.drop_blurred, self.crop, self.rotate, self.mirror, self.resize))


class PreprocessCreate(Wire):
    steps: Steps
    note: Note = ""
    """Of the new version."""


class PreprocessView(WorkView):
    steps: Steps
    target_version: int | None
    """The draft that is made."""


class PreviewAsk(Wire):
    steps: Steps
    seqs: Annotated[list[Seq], Field(min_length=1, max_length=PREVIEW_MAX)] | None = None
    """Items to show; a few from all over the version where none are named."""


class PreviewPicture(View):
    width: int
    height: int
    picture: str
    """A small JPEG, as a data address."""
    annotations: list[dict[str, Any]]


class PreviewItem(View):
    seq: int
    path: str
    sharpness: float | None
    is_blurred: bool
    before: PreviewPicture | None
    after: PreviewPicture | None
    """None where it is set aside, or nothing is left of it."""
    lost: int
    """Annotations that are no longer in the picture."""
    problem: str | None


class PreviewView(View):
    items: list[PreviewItem]


class ScanCreate(Wire):
    near_duplicates: bool = True
    distance: Annotated[int, Field(ge=0, le=10)] = 4
    """Bits of 64 in which the looks of two may differ."""
    blurred: bool = True
    threshold: Threshold = 50.0
    broken: bool = True

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.near_duplicates or self.blurred or self.broken):
            raise PydanticCustomError("scan_nothing", "nothing")
        return self


class ScanView(WorkView):
    near_duplicates: bool
    distance: int
    blurred: bool
    threshold: float
    broken: bool


class FoundItem(View):
    """A line of what was found."""

    what: Literal["near_duplicates", "item_blurred", "item_broken"]
    path: str
    seqs: list[int]
    """Of near duplicates the one to keep is the first."""
    sharpness: float | None = None
    message: str


class FoundPage(View):
    items: list[FoundItem]
    next: int | None = None
    total: int


class SetAside(Wire):
    """Which of what was found is set aside."""

    near_duplicates: bool = False
    """All but the sharpest of each group."""
    blurred: bool = False
    threshold: Threshold | None = None
    """Only those below it; the scan's own where it is not given."""
    broken: bool = False

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.near_duplicates or self.blurred or self.broken):
            raise PydanticCustomError("scan_nothing", "nothing")
        return self


class BringBack(Wire):
    """Items that were set aside: these, those a filter finds, or all."""

    seqs: Annotated[list[Seq], Field(min_length=1, max_length=5000)] | None = None
    filter: ItemFilter | None = None


class BroughtBack(View):
    changed: int
    more: bool
    """Whether there are more than one call brings back: call again."""
