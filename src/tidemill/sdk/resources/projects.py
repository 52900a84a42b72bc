"""Projects and who is in them."""

from collections.abc import Mapping
from typing import Any

from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import Membership, Project


class Projects(Resource):
    """`client.projects`"""

    def list(
        self, *, q: str | None = None, everyones: bool = False, deleted: bool = False, sort: str | None = None
    ) -> Listing[Project]:
        """The caller's projects; an administrator may ask for `everyones`, or for those in the bin."""
        params = {"q": q, "sort": sort, "all": everyones or None, "deleted": deleted or None}
        return self._listing("/projects", Project.read, params)

    def get(self, project: str) -> Project:
        return Project.read(self._call("GET", address("projects", project)))

    def create(
        self,
        name: str,
        *,
        description: str = "",
        storage_limit_bytes: int | None = None,
        quota: Mapping[str, Any] | None = None,
    ) -> Project:
        body = given(name=name, description=description, storage_limit_bytes=storage_limit_bytes, quota=quota)
        return Project.read(self._call("POST", "/projects", json=body))

    def update(self, project: str, **changes: Any) -> Project:
        """Changes `name`, `description`, `storage_limit_bytes`, `quota`; a limit of None takes it away."""
        return Project.read(self._call("PATCH", address("projects", project), json=changes))

    def delete(self, project: str) -> None:
        """To the bin, from where an administrator can restore it."""
        self._call("DELETE", address("projects", project))

    def restore(self, project: str, *, name: str | None = None) -> Project:
        """Back from the bin; under another name where the old one is taken by now."""
        return Project.read(self._call("POST", address("projects", project, "restore"), json=given(name=name)))

    def members(self, project: str | None = None, *, q: str | None = None) -> Listing[Membership]:
        return self._listing(self._in_project(project, "members"), Membership.read, {"q": q})

    def candidates(self, project: str | None = None, *, q: str | None = None) -> dict[str, Any]:
        """Users and groups that are not members yet."""
        answer: dict[str, Any] = self._call("GET", self._in_project(project, "candidates"), params={"q": q})
        return answer

    def add_member(
        self, role: str, *, user: str | None = None, group: str | None = None, project: str | None = None
    ) -> Membership:
        body = given(user=user, group=group, role=role)
        return Membership.read(self._call("POST", self._in_project(project, "members"), json=body))

    def set_role(self, membership: str, role: str, *, project: str | None = None) -> Membership:
        path = self._in_project(project, "members", membership)
        return Membership.read(self._call("PATCH", path, json={"role": role}))

    def remove_member(self, membership: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._in_project(project, "members", membership))
