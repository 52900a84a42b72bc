"""Saving annotations over HTTP."""

from typing import Annotated

from fastapi import Header

from tidemill.annotation import saving
from tidemill.annotation.saving import Wish
from tidemill.annotation.schemas import AnnotationsPut, Saved
from tidemill.datasets.lookup import Annotator, VersionPlace
from tidemill.datasets.routes.items import ItemPath
from tidemill.kernel.routing import KEY_MAX, Router, WriteSession, never_replayed

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}/items", tags=["annotation"])

Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=KEY_MAX)]


@router.put("/{seq}/annotations")
@never_replayed  # the revision itself keeps the key, for good
def save_annotations(
    caller: Annotator,
    place: VersionPlace,
    seq: ItemPath,
    body: AnnotationsPut,
    session: WriteSession,
    key: Key = None,
) -> Saved:
    """Saves an item's annotations; 409 with what is there now when that is not the revision that was changed."""
    wish = Wish(seq, body.base, body.annotations, body.state, key)
    return Saved(**saving.save(session, place, wish, by=caller).view())
