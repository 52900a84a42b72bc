"""A running node's software, frozen by the engine, as a new image."""

from fastapi import FastAPI

from tidemill.accounts.access import Caller
from tidemill.engines.base import Snapshot
from tidemill.images import archives, catalogue
from tidemill.images.depot import Images
from tidemill.images.entering import enter
from tidemill.images.importing import SIZE_MAX, scratch
from tidemill.images.requirements import check_frozen
from tidemill.images.schemas import NewImage
from tidemill.store.backends import BLOCK_BYTES


def _unseen(done: int) -> None:
    del done


def save_snapshot(app: FastAPI, snapshot: Snapshot, body: NewImage, *, by: Caller) -> str:
    """The new image's id: ready at once from a container, still to be built from a list of packages.

    For a thread with no transaction open. The snapshot's archive is removed.
    """
    images: Images = app.state.images
    if snapshot.kind == "python":
        frozen = check_frozen(snapshot.requirements, images.settings.outbound_allow)
        with images.db.write() as session:
            return catalogue.add_python(session, body, frozen, by=by).id
    assert snapshot.archive is not None, "a container is saved as an archive"
    try:
        with scratch(images) as folder, snapshot.archive.open("rb") as file:
            blocks = iter(lambda: file.read(BLOCK_BYTES), b"")
            contents = archives.unpack(blocks, folder, limit_bytes=SIZE_MAX, check=_unseen)
            return enter(images, archives.read_image(contents), by.project.id, body, by=by)
    finally:
        snapshot.archive.unlink(missing_ok=True)
