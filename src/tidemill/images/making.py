"""Making Python images: wheels become blobs of the project, then the environment is made of them."""

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.images import wheels
from tidemill.images.depot import Images
from tidemill.images.environments import OWN_ENTRY, Progress, lock_digest, sdk_requirements, unseen
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.jobs.texts import error_text
from tidemill.kernel.errors import Conflict, TidemillError
from tidemill.kernel.ids import new_id
from tidemill.store import pins

ALWAYS = "pip"
"""In every environment, so that people can install more into their workspace."""


def all_requirements(requirements: Sequence[str]) -> list[str]:
    """What is asked for, and what the platform needs in every environment."""
    return [ALWAYS, *sdk_requirements(), *requirements]


def materialise(images: Images, lock: Sequence[Sequence[Any]], on_progress: Progress = unseen) -> Path:
    """The folder of the environment with these wheels, made from the store when it is not there."""
    digest = lock_digest(lock)
    if not images.environments.is_made(digest):
        on_progress(f"installing {len(lock)} packages")
    scratch = images.environments.scratch()
    try:
        return images.environments.ensure(digest, wheels.install(lock, images.store.backend, scratch))
    finally:
        shutil.rmtree(scratch)


def finish_python(images: Images, image_id: str, folder: Path, on_progress: Progress = unseen) -> None:
    """Makes a Python image of the wheels in a folder; safe to repeat as long as they are there."""
    project_id = get_row(images, image_id).project_id
    lock = wheels.take_in(images.db, images.store, project_id, folder, images.clock())
    materialise(images, lock, on_progress)
    digest, sizes = lock_digest(lock), {str(digest): int(size) for _, digest, size in lock}
    with images.db.write() as session:
        row = session.get(ImageRow, image_id, with_for_update=True)
        if row is None:
            raise Conflict("image_gone")
        pins.pin(session, project_id, owner(image_id), sizes)
        pins.unpin(session, project_id, owner(image_id), {digest for _, digest, _ in row.lock} - set(sizes))
        row.lock, row.digest, row.state, row.problem = list(lock), digest, "ready", None
        row.size_bytes, row.updated_at = images.environments.size_bytes(digest), images.clock()


def fail(session: Session, image_id: str, error: TidemillError, *, now: datetime) -> None:
    """The image could not be made. What it was before a rebuild stays usable."""
    row = session.get(ImageRow, image_id, with_for_update=True)
    if row is not None:
        row.state, row.problem, row.updated_at = "ready" if row.lock else "failed", error_text(error), now


def owner(image_id: str) -> str:
    """Who uses the wheels, as the store's pins say it."""
    return f"image/{image_id}"


def make_builtin(images: Images, image_id: str, on_progress: Progress) -> ImageRow:
    """Finds and fetches the wheels of one of our own images, once."""
    with images.environments.turn(image_id):
        row = get_row(images, image_id)
        if row.state == "ready":
            return row
        scratch = images.environments.scratch()
        folder = scratch / "download"
        folder.mkdir()
        try:
            wheels.download(all_requirements(row.requirements), folder, on_progress)
            finish_python(images, image_id, folder, on_progress)
        except TidemillError as error:
            with images.db.write() as session:
                fail(session, image_id, error, now=images.clock())
            raise
        finally:
            shutil.rmtree(scratch)
    return get_row(images, image_id)


def get_row(images: Images, image_id: str) -> ImageRow:
    """The image as it is now; raises Conflict when it was deleted meanwhile."""
    with images.db.read() as session:
        row = session.get(ImageRow, image_id)
    if row is None:
        raise Conflict("image_gone")
    return row


def add_made(
    session: Session,
    images: Images,
    body: NewImage,
    lock: Sequence[Sequence[Any]],
    requirements: Sequence[str],
    *,
    project_id: str,
    by: Caller,
) -> ImageRow:
    """A Python image of wheels that the store has already and whose environment was made (`materialise`)."""
    digest = lock_digest(lock)
    row = ImageRow(
        id=new_id("img"),
        project_id=project_id,
        name=body.name,
        version=body.version,
        kind="python",
        state="ready",
        digest=digest,
        size_bytes=images.environments.size_bytes(digest),
        description=body.description,
        specs=list(body.specs),
        requirements=list(requirements),
        lock=[list(one) for one in lock],
        search_key=f"{body.name}:{body.version}".casefold(),
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    sizes = {str(digest): int(size) for name, digest, size in lock if name != OWN_ENTRY}
    pins.pin(session, project_id, owner(row.id), sizes)
    return row
