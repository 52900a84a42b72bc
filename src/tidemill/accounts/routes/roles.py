"""Roles and permissions.

Everyone signed in may list them: owners choose roles for their members, and tokens are limited to permissions.
"""

from typing import Annotated

from tidemill.accounts import roles
from tidemill.accounts.access import Caller, needs, signed_in
from tidemill.accounts.lookup import get_role as get_role_row
from tidemill.accounts.schemas.roles import PermissionView, RoleCreate, RolePatch, RoleView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(tags=["roles"])

Writer = Annotated[Caller, needs("role.write")]


@router.get("/roles")
def list_roles(page: Paging, caller: Annotated[Caller, signed_in()], session: ReadSession) -> Page[RoleView]:
    """Roles, built-in and made here."""
    del caller
    return roles.list_roles(session, page)


@router.post("/roles", status_code=201)
def create_role(body: RoleCreate, caller: Writer, session: WriteSession) -> RoleView:
    """Makes a role of project permissions."""
    return roles.create_role(session, body, by=caller)


@router.get("/roles/{role}")
def get_role(role: str, caller: Annotated[Caller, needs("role.read")], session: ReadSession) -> RoleView:
    """One role, by name or id."""
    del caller
    return roles.view_role(session, get_role_row(session, role))


@router.patch("/roles/{role}")
def update_role(role: str, body: RolePatch, caller: Writer, session: WriteSession) -> RoleView:
    """Changes a role that is not built in."""
    return roles.update_role(session, role, body, by=caller)


@router.delete("/roles/{role}", status_code=204)
def delete_role(role: str, caller: Writer, session: WriteSession) -> None:
    """Deletes a role nobody has."""
    roles.delete_role(session, role, by=caller)


@router.get("/permissions")
def list_permissions(caller: Annotated[Caller, signed_in()]) -> list[PermissionView]:
    """Every permission there is."""
    del caller
    return roles.list_permissions()
