"""Images from an uploaded archive, or from another registry, as background work."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow
from tidemill.images import archives, catalogue, remote
from tidemill.images.depot import Images
from tidemill.images.entering import enter
from tidemill.images.schemas import ImageImport, ImagePull, NewImage
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob, register
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import NotFound
from tidemill.store import blobs
from tidemill.store.backends import BlobMissing
from tidemill.store.tables import BlobRow

IMPORT = "image_import"
PULL = "image_pull"
SIZE_MAX = 512 * 1024**3
"""Of one image, where the project has no limit of its own."""


def install(app: FastAPI) -> None:
    """Gives the runner both kinds."""
    register(app, IMPORT, _import)
    register(app, PULL, _pull)


def submit_import(session: Session, body: ImageImport, *, by: Caller) -> JobRow:
    """Asks for an image to be made of an archive the caller's project has."""
    catalogue.refuse_taken(session, body, by=by)
    if not blobs.known(session, by.project.id, [body.sha256], by.now):
        raise NotFound("archive_missing", field="sha256")
    return _submit(session, IMPORT, body, {"sha256": body.sha256}, by)


def submit_pull(session: Session, images: Images, body: ImagePull, source: remote.Source, *, by: Caller) -> JobRow:
    """Asks for an image of another registry. Its password is kept aside for as long as the work takes."""
    catalogue.refuse_taken(session, body, by=by)
    params: dict[str, Any] = {"reference": str(source)}
    if body.user is not None and body.password is not None:
        params["credentials"] = remote.keep_credentials(
            _folder(images), secrets.token_hex(16), body.user, body.password
        )
    return _submit(session, PULL, body, params, by)


def _submit(session: Session, kind: str, body: NewImage, params: dict[str, Any], by: Caller) -> JobRow:
    kept = body.model_dump(include={"name", "version", "description", "specs"})
    title = f"{body.name}:{body.version}"
    job = jobs.submit(session, kind, params={"image": kept, **params}, name=title, by=by, project_id=by.project.id)
    session.flush()
    return job


def _import(job: RunningJob) -> dict[str, Any]:
    images: Images = job.app.state.images
    digest = job.params["sha256"]
    with job.db.read() as session:
        blob = session.get(BlobRow, digest)
    if blob is None:
        raise NotFound("archive_missing", field="sha256")

    def check(done: int) -> None:
        job.check()
        job.progress(done, blob.size_bytes, "bytes", "image_reading")

    with scratch(images) as folder:
        try:
            stream = images.store.backend.read(digest)
        except BlobMissing:
            raise NotFound("archive_missing", field="sha256") from None
        contents = archives.unpack(stream, folder, limit_bytes=_room(job), check=check)
        image_id = _enter(job, archives.read_image(contents))
    with job.db.write() as session:
        # The archive itself is of no more use; nobody need wait for its time of grace.
        blobs.drop_unused(session, _project_id(job), [digest], images.clock())
    return {"image_id": image_id}


def _pull(job: RunningJob) -> dict[str, Any]:
    images: Images = job.app.state.images
    key = job.params.get("credentials")
    credentials = remote.find_credentials(_folder(images), key) if key else None
    source = remote.parse_source(job.params["reference"])

    def progress(done: int, total: int) -> None:
        job.check()
        job.progress(done, total, "bytes", "image_pulling", host=source.host)

    with scratch(images) as folder:
        registry = remote.Remote(source, images.settings.outbound_allow, credentials)
        saved = registry.fetch(folder, limit_bytes=_room(job), progress=progress)
        image_id = _enter(job, saved)
    if key:
        remote.forget_credentials(_folder(images), key)
    return {"image_id": image_id, "reference": str(source), "digest": f"sha256:{saved.manifests[-1].digest}"}


def _enter(job: RunningJob, saved: archives.SavedImage) -> str:
    body = NewImage(**job.params["image"])
    return enter(job.app.state.images, saved, _project_id(job), body, by=_caller(job))


def _caller(job: RunningJob) -> Caller:
    with job.db.read() as session:
        project = session.get_one(ProjectRow, _project_id(job))
    return replace(job.caller(), project_ref=ProjectRef(project.id, project.name, project.is_public))


def _project_id(job: RunningJob) -> str:
    assert job.project_id is not None, "images belong to a project"
    return job.project_id


def _room(job: RunningJob) -> int:
    """How many bytes the image may have."""
    with job.db.read() as session:
        room = blobs.room_left(session, _project_id(job))
    return SIZE_MAX if room is None else max(min(room, SIZE_MAX), 0)


@contextmanager
def scratch(images: Images) -> Iterator[Path]:
    """On the store's own file system, so that files need no copy; what a crash leaves there is collected."""
    folder = images.store.temporary_file()
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folder(images: Images) -> Path:
    return images.settings.home / "pulls"
