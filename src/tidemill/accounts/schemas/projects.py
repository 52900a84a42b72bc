"""Projects and their members on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.kernel.fields import Description, Name, Text, View, Wire

BYTES_MAX = 2**53 - 1
"""The largest whole number every JSON reader understands."""
ACCELERATOR_PATTERN = r"^[A-Za-z0-9]([A-Za-z0-9._/-]{0,98}[A-Za-z0-9])?$"

Bytes = Annotated[int, Field(ge=0, le=BYTES_MAX)]
AcceleratorName = Annotated[str, Field(pattern=ACCELERATOR_PATTERN, examples=["nvidia.com/gpu"])]


class Quota(Wire):
    """The most the project's workloads may hold together; null is no limit."""

    cpu: Annotated[float | None, Field(ge=0, le=1_000_000, allow_inf_nan=False)] = None
    memory_bytes: Bytes | None = None
    accelerators: Annotated[dict[AcceleratorName, Annotated[int, Field(ge=0, le=1_000_000)]], Field(max_length=50)] = (
        Field(default_factory=dict)
    )


class ProjectCreate(Wire):
    name: Name
    description: Description = ""
    storage_limit_bytes: Bytes | None = None
    quota: Quota = Quota()


class ProjectPatch(Wire):
    name: Name | None = None
    description: Description | None = None
    storage_limit_bytes: Bytes | None = None
    quota: Quota | None = None


class ProjectRestore(Wire):
    name: Annotated[Name | None, Field(description="Another name, where the old one is taken by now.")] = None


class ProjectView(View):
    id: str
    name: str
    description: str
    is_public: bool
    storage_limit_bytes: int | None
    storage_used_bytes: int
    quota: Quota
    members_count: int
    assets_count: int
    permissions: list[str]
    created_at: datetime
    created_by: str
    updated_at: datetime
    deleted_at: datetime | None


class MemberCreate(Wire):
    """A user or a group, not both, and their role."""

    user: Annotated[Text | None, Field(max_length=400)] = None
    group: Annotated[Text | None, Field(max_length=400)] = None
    role: Annotated[Text, Field(max_length=400)]


class MemberPatch(Wire):
    role: Annotated[Text, Field(max_length=400)]


class MemberRole(View):
    id: str
    name: str
    builtin: bool


class MembershipView(View):
    id: str
    subject_kind: Literal["user", "group"]
    subject_id: str
    name: str
    display_name: str
    role: MemberRole
    created_at: datetime
    created_by: str


class CandidateView(View):
    """Somebody who could be made a member."""

    subject_kind: Literal["user", "group"]
    id: str
    name: str
    display_name: str
    created_at: datetime
    created_by: str


class Candidates(View):
    items: list[CandidateView]
