"""Jobs and notifications on the wire."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from tidemill.jobs.states import State
from tidemill.kernel.fields import Text, View, Wire


class JobErrorView(View):
    """Why a job failed, in the reader's language."""

    code: str
    message: str
    hint: str | None = None
    field: str | None = None
    details: Any | None = None


class JobView(View):
    """A piece of background work."""

    id: str
    kind: str
    name: str = Field(description="Its title, in the reader's language")
    state: State
    progress: float | None = Field(ge=0, le=1)
    done: int
    total: int | None
    unit: str
    message: str
    error: JobErrorView | None
    result: dict[str, Any]
    project: str | None
    link: str | None
    cancel_requested: bool
    created_at: datetime
    created_by: str
    started_at: datetime | None
    finished_at: datetime | None


class NotificationView(View):
    """Something the reader should hear of."""

    id: str
    kind: str
    title: str
    body: str
    link: str | None
    state: str
    read_at: datetime | None
    created_at: datetime


class NotificationsRead(Wire):
    """Which notifications were read; none named: all."""

    ids: Annotated[list[Annotated[Text, Field(max_length=40)]], Field(max_length=500, default_factory=list)]


class NotificationsReadView(View):
    """How many became read, and how many are still unread."""

    read: int
    unread: int
