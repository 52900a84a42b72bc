"""Groups of users, for administrators."""

from typing import Annotated

from tidemill.accounts import groups
from tidemill.accounts.access import Caller, needs
from tidemill.accounts.lookup import get_group as get_group_row
from tidemill.accounts.schemas.groups import GroupCreate, GroupPatch, GroupView
from tidemill.accounts.schemas.users import UserView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/groups", tags=["groups"])

Reader = Annotated[Caller, needs("group.read")]
Writer = Annotated[Caller, needs("group.write")]


@router.get("")
def list_groups(page: Paging, caller: Reader, session: ReadSession) -> Page[GroupView]:
    """Groups."""
    del caller
    return groups.list_groups(session, page)


@router.post("", status_code=201)
def create_group(body: GroupCreate, caller: Writer, session: WriteSession) -> GroupView:
    """Makes a group."""
    return groups.create_group(session, body, by=caller)


@router.get("/{group}")
def get_group(group: str, caller: Reader, session: ReadSession) -> GroupView:
    """One group, by name or id."""
    del caller
    return groups.view_group(session, get_group_row(session, group))


@router.patch("/{group}")
def update_group(group: str, body: GroupPatch, caller: Writer, session: WriteSession) -> GroupView:
    """Changes a group's name or description."""
    return groups.update_group(session, group, body, by=caller)


@router.delete("/{group}", status_code=204)
def delete_group(group: str, caller: Writer, session: WriteSession) -> None:
    """Deletes a group; its members lose the roles they had through it."""
    groups.delete_group(session, group, by=caller)


@router.get("/{group}/members")
def list_group_members(group: str, page: Paging, caller: Reader, session: ReadSession) -> Page[UserView]:
    """The users in a group."""
    del caller
    return groups.list_group_members(session, group, page)


@router.put("/{group}/members/{user}", status_code=204)
def add_group_member(group: str, user: str, caller: Writer, session: WriteSession) -> None:
    """Puts a user in a group."""
    groups.add_to_group(session, group, user, by=caller)


@router.delete("/{group}/members/{user}", status_code=204)
def remove_group_member(group: str, user: str, caller: Writer, session: WriteSession) -> None:
    """Takes a user out of a group."""
    groups.remove_from_group(session, group, user, by=caller)
