"""The caller's own things on the wire."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tidemill.accounts.schemas.fields import DisplayName, LanguageChoice, Mail, Secret, UserKind
from tidemill.kernel.fields import Name, Text, View, Wire

TOKEN_DAYS_MAX = 3650


class SignIn(Wire):
    user: Annotated[Text, Field(min_length=1, max_length=400, examples=["admin"])]
    password: Secret


class MyProject(View):
    """A project as its member sees it."""

    id: str
    name: str
    role_names: list[str]
    permissions: list[str]
    is_public: bool


class MeView(View):
    id: str
    name: str
    display_name: str
    mail: str
    kind: UserKind
    language: LanguageChoice | None
    must_change_password: bool
    permissions: list[str]
    projects: list[MyProject]
    created_at: datetime
    created_by: str


class MePatch(Wire):
    display_name: DisplayName | None = None
    mail: Mail | None = None
    language: LanguageChoice | None = None


class PasswordChange(Wire):
    old_password: Secret
    new_password: Secret


class TokenCreate(Wire):
    name: Name
    days: Annotated[int | None, Field(ge=1, le=TOKEN_DAYS_MAX, description="Null: it never expires.")] = None
    scopes: Annotated[
        list[Annotated[str, Field(max_length=100)]],
        Field(max_length=200, description="Permissions it is limited to; empty: all that its user has."),
    ] = Field(default_factory=list)
    project: Annotated[Text | None, Field(max_length=400, description="Name or id of the one project it works in.")] = (
        None
    )


class TokenView(View):
    id: str
    name: str
    scopes: list[str]
    project: str | None
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenCreated(TokenView):
    token: str
    """Shown this once."""
