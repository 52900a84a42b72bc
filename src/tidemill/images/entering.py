"""A whole image that is on this machine's disk becomes a tag of the registry."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.images.archives import SavedImage
from tidemill.images.depot import Images
from tidemill.images.registry.repositories import Repository, add_blob, find_tag, put_manifest
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict
from tidemill.store import intake
from tidemill.store.backends import Staged


def enter(
    images: Images, saved: SavedImage, project_id: str, body: NewImage, *, by: Caller, into: str | None = None
) -> str:
    """Takes the bytes in, then enters everything at once; the image's id. Their files are gone afterwards.

    `into` is the image that was entered as being made, and waits for this.
    """
    place = Repository(project_id, body.name)
    needed = _needed(saved)
    intake.keep_files(images.db, images.store.backend, project_id, list(needed.values()), by.now)
    for each in saved.manifests:
        intake.keep_bytes(images.db, images.store.backend, project_id, each.data, by.now)
    with images.db.write() as session:
        _check_place(find_tag(session, place, body.version), body, into)
        for file in needed.values():
            add_blob(session, place, file.digest, file.size_bytes, by.now)
        for each in saved.manifests:
            tag = body.version if each is saved.manifests[-1] else None
            put_manifest(session, place, each.digest, len(each.data), each.manifest, tag=tag, by=by)
        return _describe(session, place, body).id


def _check_place(row: ImageRow | None, body: NewImage, into: str | None) -> None:
    if into is not None and (row is None or row.id != into):
        raise Conflict("image_gone")
    if row is not None and (into is None or row.state != "building"):
        raise Conflict("image_taken", field="version", image=f"{body.name}:{body.version}")


def _needed(saved: SavedImage) -> Mapping[str, Staged]:
    """Files that are layers and configurations; what else an archive holds is left out."""
    children = [child for each in saved.manifests for child in each.manifest.children.values()]
    return {child.digest: saved.blobs[child.digest] for child in children if not child.is_manifest}


def _describe(session: Session, place: Repository, body: NewImage) -> ImageRow:
    row = find_tag(session, place, body.version)
    assert row is not None, "it was just entered"
    row.description, row.specs = body.description, list(body.specs)
    return row
