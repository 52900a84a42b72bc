"""Users on the wire."""

from datetime import datetime

from tidemill.accounts.schemas.fields import DisplayName, Mail, Secret, UserKind
from tidemill.kernel.fields import Name, View, Wire


class UserCreate(Wire):
    name: Name
    password: Secret
    mail: Mail = ""
    display_name: DisplayName = ""
    kind: UserKind = "member"
    must_change_password: bool = True


class UserPatch(Wire):
    mail: Mail | None = None
    display_name: DisplayName | None = None
    kind: UserKind | None = None
    disabled: bool | None = None


class PasswordReset(Wire):
    new_password: Secret
    must_change_password: bool = True


class UserView(View):
    id: str
    name: str
    display_name: str
    mail: str
    kind: UserKind
    disabled: bool
    must_change_password: bool
    last_seen_at: datetime | None
    projects_count: int
    created_at: datetime
    created_by: str


class SessionView(View):
    id: str
    name: str
    address: str
    user_agent: str
    current: bool
    created_at: datetime
    created_by: str
    last_seen_at: datetime
    expires_at: datetime
