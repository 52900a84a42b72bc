"""Images of a project. Making Python images is in `builds`, pushing and pulling by container engines in `registry`."""

from typing import Annotated, Literal

from fastapi import Depends, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.images import catalogue, contents, importing, remote
from tidemill.images.catalogue import Shown
from tidemill.images.schemas import ImageContentsView, ImageImport, ImagePatch, ImagePull, ImageView
from tidemill.jobs.schemas import JobView
from tidemill.jobs.views import job_view
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession, never_replayed
from tidemill.kernel.settings import Settings

router = Router(prefix="/projects/{project}/images", tags=["images"])

Reader = Annotated[Caller, needs("image.read")]
Writer = Annotated[Caller, needs("image.write")]
Deleter = Annotated[Caller, needs("image.delete")]


def registry_of(request: Request) -> str:
    """Host and port of the registry, as the caller reaches it."""
    settings: Settings = request.app.state.settings
    return (settings.public_url or str(request.base_url)).partition("://")[2].strip("/")


Registry = Annotated[str, Depends(registry_of)]


@router.get("")
def list_images(
    caller: Reader,
    page: Paging,
    session: ReadSession,
    registry: Registry,
    kind: Annotated[Literal["oci", "python"] | None, Query()] = None,
    state: Annotated[Literal["ready", "building", "failed", "not_made"] | None, Query()] = None,
) -> Page[ImageView]:
    """Images, newest first."""
    return catalogue.list_images(session, page, kind=kind, state=state, shown=Shown(caller, registry))


@router.post("/import", status_code=202)
def import_image(body: ImageImport, caller: Writer, session: WriteSession) -> JobView:
    """Makes an image of an uploaded archive, as background work."""
    return job_view(session, importing.submit_import(session, body, by=caller), caller.language)


def _checked_source(caller: Writer, request: Request, body: ImagePull) -> remote.Source:
    """The address is looked up before the transaction begins."""
    del caller
    source = remote.parse_source(body.reference)
    remote.check_source(source, request.app.state.settings.outbound_allow)
    return source


@router.post("/pull", status_code=202)
@never_replayed
def pull_image(
    body: ImagePull,
    source: Annotated[remote.Source, Depends(_checked_source)],
    request: Request,
    caller: Writer,
    session: WriteSession,
) -> JobView:
    """Brings an image from another registry, as background work."""
    job = importing.submit_pull(session, request.app.state.images, body, source, by=caller)
    return job_view(session, job, caller.language)


@router.get("/{image}")
def get_image(image: str, caller: Reader, session: ReadSession, registry: Registry) -> ImageView:
    """One image."""
    return catalogue.view(session, catalogue.get_image(session, image, by=caller), Shown(caller, registry))


@router.get("/{image}/contents")
def read_image_contents(image: str, request: Request, caller: Reader, session: ReadSession) -> ImageContentsView:
    """What an image is made of, and what of this project runs in it."""
    return contents.read_contents(session, request.app.state.images, image, by=caller)


@router.patch("/{image}")
def update_image(image: str, body: ImagePatch, caller: Writer, session: WriteSession, registry: Registry) -> ImageView:
    """Changes the description."""
    return catalogue.view(session, catalogue.update_image(session, image, body, by=caller), Shown(caller, registry))


@router.delete("/{image}", status_code=204)
def delete_image(
    image: str,
    request: Request,
    caller: Deleter,
    session: WriteSession,
    force: Annotated[bool, Query(description="Also when workloads run in it; they go on to their end")] = False,
) -> None:
    """Deletes an image that nothing runs in, or any when the caller insists."""
    catalogue.delete_image(session, request.app.state.images, image, force=force, by=caller)
