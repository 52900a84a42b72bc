"""Roles and permissions on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.kernel.fields import Description, Name, View, Wire

Permissions = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=200)]


class RoleCreate(Wire):
    name: Name
    description: Description = ""
    permissions: Permissions


class RolePatch(Wire):
    name: Name | None = None
    description: Description | None = None
    permissions: Permissions | None = None


class RoleView(View):
    id: str
    name: str
    description: str
    builtin: bool
    scope: Literal["platform", "project"]
    permissions: list[str]
    members_count: int
    created_at: datetime
    created_by: str


class PermissionView(View):
    permission: str
    resource: str
    action: str
    scope: Literal["platform", "project"]
