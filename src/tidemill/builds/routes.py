"""Making Python images, and their builds."""

import sysconfig
from typing import Annotated

from fastapi import Depends, Request

from tidemill.builds import service
from tidemill.images import catalogue
from tidemill.images.catalogue import Shown
from tidemill.images.requirements import check_requirements
from tidemill.images.routes import Reader, Registry, Writer
from tidemill.images.schemas import ImageView, PythonImageCreate
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.workloads.schemas import WorkloadView
from tidemill.workloads.service import get_workload
from tidemill.workloads.views import workload_view

router = Router(prefix="/projects/{project}/images", tags=["images"])


def _checked_requirements(caller: Writer, request: Request, body: PythonImageCreate) -> list[str]:
    """Addresses are looked up before the transaction begins."""
    del caller
    ours = sysconfig.get_python_version()
    if body.python is not None and body.python != ours:
        raise Invalid("python_unavailable", field="python", given=body.python, ours=ours)
    return check_requirements(body.requirements, request.app.state.settings.outbound_allow)


@router.post("", status_code=202)
def create_image(
    body: PythonImageCreate,
    requirements: Annotated[list[str], Depends(_checked_requirements)],
    caller: Writer,
    session: WriteSession,
    registry: Registry,
) -> ImageView:
    """A Python environment from a list of packages; a workload builds it."""
    row = catalogue.add_python(session, body, requirements, by=caller)
    service.start(session, row, by=caller)
    return catalogue.view(session, row, Shown(caller, registry))


@router.post("/{image}/build", status_code=202)
def build_image(image: str, caller: Writer, session: WriteSession, registry: Registry) -> ImageView:
    """Builds an environment again, with whatever newer packages its requirements allow."""
    row = catalogue.get_image(session, image, by=caller, lock=True)
    service.rebuild(session, row, by=caller)
    return catalogue.view(session, row, Shown(caller, registry))


@router.get("/{image}/build")
def get_image_build(image: str, caller: Reader, session: ReadSession) -> WorkloadView:
    """The workload that builds the image, or built it last."""
    row = catalogue.get_image(session, image, by=caller)
    if row.workload_id is None:
        raise NotFound("build_not_found", image=f"{row.name}:{row.version}")
    workload = get_workload(session, row.workload_id, project_id=row.project_id)
    return workload_view(session, workload, caller.language)


@router.post("/{image}/build/stop", status_code=202)
def stop_image_build(image: str, caller: Writer, session: WriteSession, registry: Registry) -> ImageView:
    """Stops the build under way."""
    row = catalogue.get_image(session, image, by=caller, lock=True)
    service.stop(session, row, by=caller)
    return catalogue.view(session, row, Shown(caller, registry))
