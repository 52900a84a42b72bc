"""Webhooks on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tidemill.hooks.patterns import PATTERN
from tidemill.kernel.fields import Name, Text, View, Wire
from tidemill.kernel.outbound import URL_MAX

Url = Annotated[Text, Field(min_length=1, max_length=URL_MAX, examples=["https://ci.example.org/hooks/tidemill"])]
Pattern = Annotated[str, Field(pattern=PATTERN, examples=["model.*"])]
Events = Annotated[list[Pattern], Field(min_length=1, max_length=50)]
Secret = Annotated[Text, Field(min_length=8, max_length=200)]
DeliveryState = Literal["waiting", "delivered", "failed"]


class WebhookCreate(Wire):
    name: Name
    url: Url
    events: Annotated[Events, Field(description="Audit actions: `model.commit`, `model.*`, `*.delete`, `*`")]
    secret: Annotated[Secret | None, Field(description="Signs what is sent; it is never shown again")] = None
    enabled: bool = True


class WebhookPatch(Wire):
    """Only what is named changes; `secret: null` removes the secret."""

    name: Name | None = None
    url: Url | None = None
    events: Events | None = None
    secret: Secret | None = None
    enabled: bool | None = None


class WebhookView(View):
    id: str
    name: str
    url: str
    events: list[str]
    has_secret: bool
    enabled: bool
    last_state: Literal["delivered", "failed"] | None
    last_at: datetime | None
    created_at: datetime
    created_by: str
    updated_at: datetime


class DeliveryView(View):
    """One event on its way to one webhook."""

    id: str
    name: str = Field(description="The event")
    event: str
    state: DeliveryState
    attempts: int
    next_at: datetime | None = Field(description="When it is tried next")
    status_code: int | None
    error: str | None
    duration_ms: int | None
    payload: dict[str, Any]
    created_at: datetime
    created_by: str
    finished_at: datetime | None
