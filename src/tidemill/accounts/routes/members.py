"""Members of a project."""

from typing import Annotated

from tidemill.accounts import memberships
from tidemill.accounts.access import Caller, needs
from tidemill.accounts.schemas.projects import Candidates, MemberCreate, MemberPatch, MembershipView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}", tags=["members"])

Writer = Annotated[Caller, needs("member.write")]


@router.get("/members")
def list_members(
    page: Paging, caller: Annotated[Caller, needs("member.read")], session: ReadSession
) -> Page[MembershipView]:
    """Users and groups with a role in the project."""
    return memberships.list_members(session, page, by=caller)


@router.post("/members", status_code=201)
def add_member(body: MemberCreate, caller: Writer, session: WriteSession) -> MembershipView:
    """Gives a user or a group a role in the project."""
    return memberships.add_member(session, body, by=caller)


@router.patch("/members/{membership}")
def update_member(membership: str, body: MemberPatch, caller: Writer, session: WriteSession) -> MembershipView:
    """Gives a member another role."""
    return memberships.update_member(session, membership, body.role, by=caller)


@router.delete("/members/{membership}", status_code=204)
def remove_member(membership: str, caller: Writer, session: WriteSession) -> None:
    """Takes a member out of the project."""
    memberships.remove_member(session, membership, by=caller)


@router.get("/candidates")
def list_candidates(page: Paging, caller: Writer, session: ReadSession) -> Candidates:
    """Users and groups who are not members yet."""
    return memberships.list_candidates(session, page, by=caller)
