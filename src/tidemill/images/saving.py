"""A running node's software, frozen by the engine, as a new image."""

from collections.abc import Callable
from pathlib import Path

from tidemill.accounts.access import Caller
from tidemill.images import archives, catalogue
from tidemill.images.depot import Images
from tidemill.images.entering import enter
from tidemill.images.importing import SIZE_MAX, scratch
from tidemill.images.requirements import check_frozen
from tidemill.images.schemas import NewImage
from tidemill.store.backends import BLOCK_BYTES


def save_packages(images: Images, requirements: tuple[str, ...], body: NewImage, *, by: Caller) -> str:
    """The id of an image of these packages, which is soon built. For a thread with no transaction open."""
    frozen = check_frozen(requirements, images.settings.outbound_allow)
    with images.db.write() as session:
        return catalogue.add_python(session, body, frozen, by=by).id


def save_archive(
    images: Images, archive: Path, image_id: str, body: NewImage, *, by: Caller, check: Callable[[int], None]
) -> None:
    """Fills the image, which was entered as being made, from an archive that is then removed.

    For a thread with no transaction open. `check` is told how many bytes are read, and may raise to stop it.
    """
    try:
        with scratch(images) as folder, archive.open("rb") as file:
            blocks = iter(lambda: file.read(BLOCK_BYTES), b"")
            contents = archives.unpack(blocks, folder, limit_bytes=SIZE_MAX, check=check)
            enter(images, archives.read_image(contents), by.project.id, body, by=by, into=image_id)
    finally:
        archive.unlink(missing_ok=True)
