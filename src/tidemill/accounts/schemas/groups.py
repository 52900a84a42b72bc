"""Groups on the wire."""

from datetime import datetime

from tidemill.kernel.fields import Description, Name, View, Wire


class GroupCreate(Wire):
    name: Name
    description: Description = ""


class GroupPatch(Wire):
    name: Name | None = None
    description: Description | None = None


class GroupView(View):
    id: str
    name: str
    description: str
    members_count: int
    projects_count: int
    created_at: datetime
    created_by: str
