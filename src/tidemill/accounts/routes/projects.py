"""Projects."""

from typing import Annotated

from fastapi import Query, Request

from tidemill.accounts import projects
from tidemill.accounts.access import Caller, needs, signed_in
from tidemill.accounts.schemas.projects import ProjectCreate, ProjectPatch, ProjectRestore, ProjectView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects", tags=["projects"])


@router.get("")
def list_projects(
    request: Request,
    page: Paging,
    caller: Annotated[Caller, signed_in()],
    session: ReadSession,
    everyones: Annotated[bool, Query(alias="all", description="All projects, for administrators.")] = False,
    deleted: Annotated[bool, Query(description="Deleted projects, for administrators.")] = False,
) -> Page[ProjectView]:
    """The caller's projects and the public one."""
    if deleted:
        return projects.list_deleted_projects(session, page, bin_days=request.app.state.settings.bin_days, by=caller)
    return projects.list_projects(session, page, everyones=everyones, by=caller)


@router.post("", status_code=201)
def create_project(
    body: ProjectCreate, caller: Annotated[Caller, needs("project.create")], session: WriteSession
) -> ProjectView:
    """Makes a project, owned by whoever makes it."""
    return projects.create_project(session, body, by=caller)


@router.get("/{project}")
def get_project(caller: Annotated[Caller, needs("project.read")], session: ReadSession) -> ProjectView:
    """One project, by name or id."""
    return projects.get_project(session, by=caller)


@router.patch("/{project}")
def update_project(
    body: ProjectPatch, caller: Annotated[Caller, needs("project.update")], session: WriteSession
) -> ProjectView:
    """Changes the description; administrators also change name, storage limit and quotas."""
    return projects.update_project(session, body, by=caller)


@router.delete("/{project}", status_code=204)
def delete_project(caller: Annotated[Caller, needs("project.delete")], session: WriteSession) -> None:
    """Puts the project in the bin."""
    projects.delete_project(session, by=caller)


@router.post("/{project}/restore")
def restore_project(
    request: Request,
    caller: Annotated[Caller, needs("project.manage", in_bin=True)],
    session: WriteSession,
    body: ProjectRestore | None = None,
) -> ProjectView:
    """Brings a project back from the bin."""
    name = body.name if body else None
    return projects.restore_project(session, name=name, bin_days=request.app.state.settings.bin_days, by=caller)
