"""Users, groups, roles."""

from collections.abc import Sequence
from typing import Any

from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import Group, Permission, Role, Session, User


class Users(Resource):
    """`client.users`, for administrators."""

    def list(self, *, q: str | None = None, kind: str | None = None, sort: str | None = None) -> Listing[User]:
        return self._listing("/users", User.read, {"q": q, "kind": kind, "sort": sort})

    def get(self, user: str) -> User:
        return User.read(self._call("GET", address("users", user)))

    def create(
        self,
        name: str,
        password: str,
        *,
        kind: str = "member",
        mail: str | None = None,
        display_name: str | None = None,
        must_change_password: bool = True,
    ) -> User:
        body = given(
            name=name,
            password=password,
            kind=kind,
            mail=mail,
            display_name=display_name,
            must_change_password=must_change_password,
        )
        return User.read(self._call("POST", "/users", json=body))

    def update(self, user: str, **changes: Any) -> User:
        """Changes `mail`, `display_name`, `kind`, `disabled`."""
        return User.read(self._call("PATCH", address("users", user), json=changes))

    def delete(self, user: str) -> None:
        self._call("DELETE", address("users", user))

    def set_password(self, user: str, new_password: str) -> None:
        self._call("POST", address("users", user, "password"), json={"new_password": new_password})

    def sessions(self, user: str) -> Listing[Session]:
        return self._listing(address("users", user, "sessions"), Session.read)

    def end_sessions(self, user: str) -> None:
        self._call("DELETE", address("users", user, "sessions"))


class Groups(Resource):
    """`client.groups`"""

    def list(self, *, q: str | None = None, sort: str | None = None) -> Listing[Group]:
        return self._listing("/groups", Group.read, {"q": q, "sort": sort})

    def get(self, group: str) -> Group:
        return Group.read(self._call("GET", address("groups", group)))

    def create(self, name: str, *, description: str = "") -> Group:
        return Group.read(self._call("POST", "/groups", json={"name": name, "description": description}))

    def update(self, group: str, **changes: Any) -> Group:
        """Changes `name`, `description`."""
        return Group.read(self._call("PATCH", address("groups", group), json=changes))

    def delete(self, group: str) -> None:
        self._call("DELETE", address("groups", group))

    def members(self, group: str) -> Listing[User]:
        return self._listing(address("groups", group, "members"), User.read)

    def add_member(self, group: str, user: str) -> None:
        self._call("PUT", address("groups", group, "members", user))

    def remove_member(self, group: str, user: str) -> None:
        self._call("DELETE", address("groups", group, "members", user))


class Roles(Resource):
    """`client.roles`"""

    def list(self, *, q: str | None = None, sort: str | None = None) -> Listing[Role]:
        return self._listing("/roles", Role.read, {"q": q, "sort": sort})

    def get(self, role: str) -> Role:
        return Role.read(self._call("GET", address("roles", role)))

    def create(self, name: str, permissions: Sequence[str], *, description: str = "") -> Role:
        body = {"name": name, "description": description, "permissions": [*permissions]}
        return Role.read(self._call("POST", "/roles", json=body))

    def update(self, role: str, **changes: Any) -> Role:
        """Changes `name`, `description`, `permissions`."""
        return Role.read(self._call("PATCH", address("roles", role), json=changes))

    def delete(self, role: str) -> None:
        self._call("DELETE", address("roles", role))

    def permissions(self) -> Sequence[Permission]:
        """Everything a role may allow."""
        answer = self._call("GET", "/permissions")
        return [Permission.read(item) for item in (answer["items"] if isinstance(answer, dict) else answer)]
