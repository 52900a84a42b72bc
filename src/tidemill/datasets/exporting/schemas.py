"""Exports on the wire."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tidemill.datasets.states import ItemState
from tidemill.datasets.works.schemas import WorkView
from tidemill.kernel.fields import Text, Wire

ExportState = Literal["generating", "ready", "failed", "stopped", "expired"]


class ExportCreate(Wire):
    format: Annotated[Text, Field(max_length=50)]
    with_data: bool = False
    """With the files themselves, not only the annotations."""
    states: Annotated[list[ItemState], Field(min_length=1, max_length=6)] | None = None
    """Only items in these states; all that are not set aside where nothing is said."""
    options: Annotated[dict[Annotated[Text, Field(max_length=100)], Any], Field(max_length=50, default_factory=dict)]
    """Of the format; see its description."""
    fresh: bool = False
    """Makes a new one also where one of the same is there and the data has not changed since."""


class ExportView(WorkView):
    state: ExportState  # type: ignore[assignment]
    format: str
    with_data: bool
    states: list[str] | None
    options: dict[str, Any]
    file_name: str
    size_bytes: int | None
    is_current: bool
    """Whether the version is still as it was."""
