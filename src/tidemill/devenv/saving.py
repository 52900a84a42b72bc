"""A running environment's software as a new image of its project.

A list of Python packages is found in a moment, and then built like any other. A container takes as long as it has
changed files: the image is entered as being made, and background work fills it.
"""

from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow
from tidemill.devenv.apps import get_running
from tidemill.devenv.schemas import SavedImageView
from tidemill.devenv.service import record
from tidemill.devenv.tables import EnvironmentRow
from tidemill.doors.rights import Running
from tidemill.engines.base import Engine, EngineError, Snapshot
from tidemill.images import catalogue, making
from tidemill.images.depot import Images
from tidemill.images.saving import save_archive, save_packages
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import Conflict, Forbidden, TidemillError
from tidemill.workloads.tables import WorkloadRow

JOB = "environment_image"


def save_as_image(app: FastAPI, row: EnvironmentRow, body: NewImage, *, by: Caller) -> SavedImageView:
    """Freezes the first node; the image is there when this returns, and is ready when its state says so."""
    if not by.may("image.write"):
        raise Forbidden("forbidden_permission", permission="image.write")
    images: Images = app.state.images
    running = get_running(images.db, row)
    with images.db.read() as session:
        catalogue.refuse_taken(session, body, by=by)
        is_container = session.get_one(WorkloadRow, running.workload_id).resolved_image["kind"] == "oci"
    image_id = None if is_container else _save_packages(app, running, body, by)
    with images.db.write() as session:
        image = session.get_one(ImageRow, image_id) if image_id else catalogue.add_oci(session, body, by=by)
        title = f"{image.name}:{image.version}"
        if is_container:
            kept = body.model_dump(include={"name", "version", "description", "specs"})
            params = {"image_id": image.id, "launch_id": running.launch_id, "image": kept}
            jobs.submit(session, JOB, params=params, name=title, by=by, project_id=row.project_id)
        record(session, "environment.save_image", row, by=by, after={"image": title})
        return SavedImageView(id=image.id, name=image.name, version=image.version, kind=image.kind, state=image.state)


def finish(job: RunningJob) -> dict[str, Any]:
    """Fills the image. What a crash interrupted is begun again; what was made before it is left alone."""
    images: Images = job.app.state.images
    image_id = job.params["image_id"]
    if making.get_row(images, image_id).state != "building":
        return {"image_id": image_id}

    def check(done: int) -> None:
        job.check()
        job.progress(done, size_bytes, "bytes", "image_reading")

    try:
        job.progress(0, None, "", "environment_freezing")
        archive = _freeze(job.app, job.params["launch_id"]).archive
        assert archive is not None, "a container is saved as an archive"
        size_bytes = archive.stat().st_size
        save_archive(images, archive, image_id, NewImage(**job.params["image"]), by=_caller(job), check=check)
    except TidemillError as error:
        with images.db.write() as session:
            making.fail(session, image_id, error, now=job.now)
        raise
    return {"image_id": image_id}


def give_up_lost(app: FastAPI) -> None:
    """Images whose work was called off, or died too often, are not being made any more."""
    images: Images = app.state.images
    with images.db.read() as session:
        lost = list(session.scalars(_lost()))
    for image_id in lost:
        with images.db.write() as session:
            if session.scalar(_lost().where(ImageRow.id == image_id)):
                making.fail(session, image_id, Conflict("environment_image_lost"), now=images.clock())


def _save_packages(app: FastAPI, running: Running, body: NewImage, by: Caller) -> str:
    return save_packages(app.state.images, _freeze(app, running.launch_id).requirements, body, by=by)


def _freeze(app: FastAPI, launch_id: str) -> Snapshot:
    engine: Engine = app.state.engine
    try:
        return engine.snapshot(launch_id, 0)
    except EngineError as error:
        raise Conflict("environment_not_frozen", reason=str(error)) from None


def _caller(job: RunningJob) -> Caller:
    with job.db.read() as session:
        project = session.get_one(ProjectRow, job.project_id)
    return replace(job.caller(), project_ref=ProjectRef(project.id, project.name, project.is_public))


def _lost() -> sa.Select[str]:
    """Images that wait for work which is not there."""
    same = sa.and_(
        JobRow.project_id == ImageRow.project_id,
        JobRow.kind == JOB,
        JobRow.name == ImageRow.name + ":" + ImageRow.version,
    )
    active = sa.exists().where(same, JobRow.state.in_(("waiting", "running")))
    return sa.select(ImageRow.id).where(ImageRow.state == "building", ImageRow.kind == "oci", ~active)
