"""Packages over HTTP; what they share with all assets (files, lineage, deletion) is in the assets' own routes.

GET    /projects/{project}/packages                                    list (q, sort, cursor, mine, scene, state)
POST   /projects/{project}/packages                                    create
GET    /projects/{project}/packages/{package}
PATCH  /projects/{project}/packages/{package}                          description
DELETE /projects/{project}/packages/{package}                          (assets)
POST   /projects/{project}/packages/{package}/check                    what a recipe would come to, nothing made
GET    /projects/{project}/packages/{package}/versions
POST   /projects/{project}/packages/{package}/versions                 202: a version, being built
GET    /projects/{project}/packages/{package}/versions/{n}
DELETE /projects/{project}/packages/{package}/versions/{n}             (assets)
POST   /projects/{project}/packages/{package}/versions/{n}/copy        202: another version from its recipe
POST   /projects/{project}/packages/{package}/versions/{n}/build       202: builds a failed or stopped one again
POST   /projects/{project}/packages/{package}/versions/{n}/stop        202
GET    /projects/{project}/packages/{package}/versions/{n}/build       the workload
GET    /projects/{project}/packages/{package}/versions/{n}/export      a file to run elsewhere
GET    /projects/{project}/package-settings, PUT the same              owners only
"""

from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from tidemill.accounts.access import Caller, needs
from tidemill.assets.kinds import Scene
from tidemill.assets.lookup import get_asset
from tidemill.images.requirements import check_requirements
from tidemill.kernel.errors import NotFound
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.packages import containers, exporting, pickles, service, versions, works
from tidemill.packages.lookup import PackagePlace, Program, Reader, VersionPlace, Writer, get_package_version
from tidemill.packages.planning import exact, find_named, make_plan
from tidemill.packages.plans import digest_of
from tidemill.packages.rows import same_digest
from tidemill.packages.schemas import (
    BuildFail,
    BuildTask,
    PackageCreate,
    PackagePatch,
    PackageSettingsPatch,
    PackageSettingsView,
    PackageVersionCopy,
    PackageVersionCreate,
    PackageVersionView,
    PackageView,
    Recipe,
    RecipeCheck,
    State,
)
from tidemill.packages.versions import Planned
from tidemill.packages.views import package_view, version_view
from tidemill.store import serving
from tidemill.workloads.schemas import WorkloadView
from tidemill.workloads.service import get_workload
from tidemill.workloads.views import workload_view

router = Router(prefix="/projects/{project}/packages", tags=["packages"])
settings = Router(prefix="/projects/{project}/package-settings", tags=["packages"])
programs = Router(prefix="/projects/{project}/package-works/{version}", tags=["packages"])

Owner = Annotated[Caller, needs(pickles.MAY_CHANGE)]
VersionId = Annotated[str, Path(max_length=100)]
_ARCHIVES: dict[str, dict[str, object]] = {"application/gzip": {}, "application/x-tar": {}}


def plan_recipe(request: Request, recipe: Recipe, *, by: Caller) -> Planned:
    """What the recipe comes to: read, and looked up, before any transaction begins."""
    state = request.app.state
    requirements = check_requirements(recipe.requirements, state.settings.outbound_allow)
    with state.db.read() as session:
        named = find_named(session, recipe, by=by)
    for version_id in named.version_ids:
        state.facts.ensure(version_id)
    own_python = state.settings.models_own_python
    with state.db.read() as session:
        plan = make_plan(session, recipe, named, requirements, own_python=own_python, by=by)
    if plan.base.kind == "oci":
        containers.require_engine(state.settings)
    return Planned(exact(recipe, plan), plan)


def _planned(caller: Writer, body: PackageVersionCreate, request: Request) -> Planned:
    return plan_recipe(request, body, by=caller)


def _checked(caller: Reader, body: Recipe, request: Request) -> Planned:
    return plan_recipe(request, body, by=caller)


def _copied(caller: Writer, place: VersionPlace, request: Request) -> Planned:
    with request.app.state.db.read() as session:
        _, _, row = get_package_version(session, place, project_id=caller.project.id)
    return plan_recipe(request, versions.recipe_of(row), by=caller)


@router.get("")
def list_packages(
    caller: Reader,
    page: Paging,
    session: ReadSession,
    scene: Scene | None = None,
    state: Annotated[State | None, Query(description="Only those whose newest version is so")] = None,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
) -> Page[PackageView]:
    """Packages; sort by name, created_at, updated_at or size_bytes."""
    return service.list_packages(session, page, scene=scene, state=state, mine=mine, by=caller)


@router.post("", status_code=201)
def create_package(caller: Writer, body: PackageCreate, session: WriteSession) -> PackageView:
    """Makes a package, without versions yet."""
    return service.create_package(session, body, by=caller)


@router.get("/{package}")
def get_package(caller: Reader, place: PackagePlace, session: ReadSession) -> PackageView:
    """One package."""
    return package_view(session, get_asset(session, place, project_id=caller.project.id), by=caller)


@router.patch("/{package}")
def update_package(caller: Writer, place: PackagePlace, body: PackagePatch, session: WriteSession) -> PackageView:
    """Changes the description."""
    return service.update_package(session, place, body, by=caller)


@router.post("/{package}/check")
def check_recipe(
    caller: Reader, place: PackagePlace, planned: Annotated[Planned, Depends(_checked)], session: ReadSession
) -> RecipeCheck:
    """What a recipe would come to; nothing is made."""
    get_asset(session, place, project_id=caller.project.id)
    digest = digest_of(planned.plan, planned.recipe)
    return RecipeCheck(
        digest=digest,
        same_as=[name for _, name, _ in same_digest(session, caller.project.id, [digest]).get(digest, [])],
        server=planned.plan.server,
        protocol=planned.plan.protocol,
        has_grpc=planned.plan.has_grpc,
        task=planned.plan.task,
        runtime=planned.plan.base.kind,
        base_image=planned.plan.base.name,
        start=planned.plan.start,
    )


@router.get("/{package}/versions")
def list_package_versions(
    caller: Reader, place: PackagePlace, page: Paging, session: ReadSession
) -> Page[PackageVersionView]:
    """Versions, newest first."""
    return versions.list_versions(session, place, page, by=caller)


@router.post("/{package}/versions", status_code=202)
def create_package_version(
    caller: Writer,
    place: PackagePlace,
    body: PackageVersionCreate,
    planned: Annotated[Planned, Depends(_planned)],
    session: WriteSession,
) -> PackageVersionView:
    """A version from a recipe, built in the background."""
    made = versions.create_version(session, place, planned, note=body.note, by=caller)
    return version_view(session, *made, by=caller)


@router.get("/{package}/versions/{version}")
def get_package_version_view(caller: Reader, place: VersionPlace, session: ReadSession) -> PackageVersionView:
    """One version, and how far its build is."""
    found = get_package_version(session, place, project_id=caller.project.id)
    return version_view(session, *found, by=caller)


@router.post("/{package}/versions/{version}/copy", status_code=202)
def copy_package_version(
    caller: Writer,
    place: VersionPlace,
    body: PackageVersionCopy,
    planned: Annotated[Planned, Depends(_copied)],
    session: WriteSession,
) -> PackageVersionView:
    """Another version from the same recipe."""
    made = versions.create_version(session, place, planned, note=body.note, by=caller)
    return version_view(session, *made, by=caller)


@router.post("/{package}/versions/{version}/build", status_code=202)
def build_package_version(caller: Writer, place: VersionPlace, session: WriteSession) -> PackageVersionView:
    """Builds a version again whose build failed or was stopped."""
    return version_view(session, *versions.rebuild(session, place, by=caller), by=caller)


@router.post("/{package}/versions/{version}/stop", status_code=202)
def stop_package_version(caller: Writer, place: VersionPlace, session: WriteSession) -> PackageVersionView:
    """Stops the build under way."""
    return version_view(session, *versions.stop(session, place, by=caller), by=caller)


@router.get("/{package}/versions/{version}/build")
def get_package_build(caller: Reader, place: VersionPlace, session: ReadSession) -> WorkloadView:
    """The workload that builds the version, or built it last."""
    _, _, row = get_package_version(session, place, project_id=caller.project.id)
    if row.workload_id is None:
        raise NotFound("workload_not_found", id="-")
    workload = get_workload(session, row.workload_id, project_id=caller.project.id)
    return workload_view(session, workload, caller.language)


@router.get("/{package}/versions/{version}/export", response_class=Response, responses={200: {"content": _ARCHIVES}})
def export_package(
    caller: Reader,
    place: VersionPlace,
    request: Request,
    wheels: Annotated[
        bool, Query(description="With the Python packages it needs, for machines without network")
    ] = False,
) -> Response:
    """The version as one file that runs elsewhere with one command."""
    file = exporting.open_export(request.app, place, with_wheels=wheels, by=caller)
    headers = {"Content-Disposition": serving.attachment(file.name, download=True)}
    return StreamingResponse(file.blocks, media_type=file.media_type, headers=headers)


@settings.get("")
def get_package_settings(caller: Reader, session: ReadSession) -> PackageSettingsView:
    """What the project allows."""
    return pickles.settings_view(session, by=caller)


@settings.put("")
def update_package_settings(caller: Owner, body: PackageSettingsPatch, session: WriteSession) -> PackageSettingsView:
    """Allows or forbids models in pickle files; for those who look after the project."""
    return pickles.change_settings(session, body, by=caller)


@programs.post("/begin")
def begin_package_build(caller: Program, version: VersionId, request: Request) -> BuildTask:
    """What a build's program has to do."""
    return works.begin(request.app, version, by=caller)


@programs.post("/assemble", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def assemble_package(caller: Program, version: VersionId, request: Request) -> Response:
    """Puts the version together, and says how it goes."""
    return StreamingResponse(works.assemble(request.app, version, by=caller), media_type="text/plain; charset=utf-8")


@programs.post("/fail", status_code=204)
def fail_package_build(caller: Program, version: VersionId, body: BuildFail, request: Request) -> None:
    """The program could not do its part."""
    works.note_failure(request.app, version, body.params.get("status", 1), by=caller)
