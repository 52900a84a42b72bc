"""Versions of assets."""

from typing import Annotated

from fastapi import Depends, Query, Request

from tidemill.assets import commits, git_import, graph, lineage, versions, viewer
from tidemill.assets.browsing import compare
from tidemill.assets.callers import Deleter, Reader, Writer
from tidemill.assets.lookup import NUMBER_PATTERN, AssetPlace, VersionPlace
from tidemill.assets.lookup import get_version as get_version_rows
from tidemill.assets.schemas import (
    ChangePage,
    GitImport,
    LineageView,
    SourcesAdd,
    VersionCommit,
    VersionCreate,
    VersionPatch,
    VersionView,
    ViewerOpen,
    ViewerView,
)
from tidemill.assets.views import version_view
from tidemill.jobs.schemas import JobView
from tidemill.jobs.views import job_views
from tidemill.kernel.outbound import Target
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/{kind:asset_kind}/{asset}/versions", tags=["versions"])
plain = Router(prefix="/projects/{project}/{kind:plain_kind}/{asset}/versions", tags=["versions"])
"""What a room above does its own way for kinds whose versions have items."""


@plain.get("")
def list_versions(caller: Reader, place: AssetPlace, page: Paging, session: ReadSession) -> Page[VersionView]:
    """Versions, newest first."""
    return versions.list_versions(session, place, page, by=caller)


@plain.post("", status_code=201)
def create_version(caller: Writer, place: AssetPlace, body: VersionCreate, session: WriteSession) -> VersionView:
    """Starts a draft, empty or from another version."""
    return versions.create_version(session, place, body, by=caller)


@plain.get("/{version}")
def get_version(caller: Reader, place: VersionPlace, session: ReadSession) -> VersionView:
    """One version."""
    asset, version = get_version_rows(session, place, project_id=caller.project.id)
    return version_view(session, asset, version, by=caller)


@router.patch("/{version}")
def update_version(caller: Writer, place: VersionPlace, body: VersionPatch, session: WriteSession) -> VersionView:
    """Changes what is said about a version: note; for models format, metrics and signature too."""
    return versions.update_version(session, place, body, by=caller)


@router.delete("/{version}", status_code=204)
def delete_version(caller: Deleter, place: VersionPlace, request: Request, session: WriteSession) -> None:
    """Puts a version into the recycle bin, unless something was made from it."""
    versions.delete_version(session, place, by=caller, bin_days=request.app.state.settings.bin_days)


@plain.post("/{version}/commit")
def commit_version(
    caller: Writer, place: VersionPlace, request: Request, body: VersionCommit | None = None
) -> VersionView:
    """Makes a draft unchanging."""
    state = request.app.state
    return commits.commit_version(state.db, state.store, place, note=body.note if body else None, by=caller)


@router.post("/{version}/sources")
def add_sources(caller: Writer, place: VersionPlace, body: SourcesAdd, session: WriteSession) -> LineageView:
    """Says what a version was made from or trained on, which from then on cannot be deleted."""
    version = lineage.add_sources(session, place, body, by=caller)
    return graph.lineage_graph(session, version.id, depth=1, by=caller)


@router.get("/{version}/lineage")
def get_lineage(
    caller: Reader, place: VersionPlace, session: ReadSession, depth: Annotated[int, Query(ge=1, le=10)] = 3
) -> LineageView:
    """What a version came from and what came from it."""
    _, version = get_version_rows(session, place, project_id=caller.project.id)
    return graph.lineage_graph(session, version.id, depth=depth, by=caller)


@plain.get("/{version}/compare")
def compare_versions(
    caller: Reader,
    place: VersionPlace,
    page: Paging,
    session: ReadSession,
    other: Annotated[str, Query(alias="with", pattern=NUMBER_PATTERN, description="The older version")],
) -> ChangePage:
    """Which files differ from another version of the same asset."""
    return compare(session, place, other, page, by=caller)


def _checked_import(caller: Writer, request: Request, body: GitImport) -> Target:
    """The address is looked up before the transaction begins."""
    del caller
    return git_import.check_import(body, request.app.state.settings)


@router.post("/{version}/import-git", status_code=202)
def import_git(
    caller: Writer,
    place: VersionPlace,
    body: GitImport,
    target: Annotated[Target, Depends(_checked_import)],
    session: WriteSession,
) -> JobView:
    """Brings the files of a Git repository into a draft, as background work."""
    job = git_import.submit_import(session, place, body, target, by=caller)
    session.flush()
    return job_views(session, [job], caller.language)[0]


@router.post("/{version}/viewer")
def open_viewer(
    caller: Reader, place: VersionPlace, body: ViewerOpen, request: Request, session: ReadSession
) -> ViewerView:
    """An address at which the structure of a model file is shown, for a short while."""
    return viewer.open_viewer(session, place, body.path, request=request, by=caller)
