"""Contents that come with their items: short texts, for which a request of their own would cost more than they do.

As with all content, the bytes are in place before anything points at them, and no transaction waits for the disk: they
are placed for all items of a request, then settled and held in the transaction that adds each of the items.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets.lookup import Opened
from tidemill.datasets.schemas import BulkItem, ItemAdd
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid
from tidemill.store import blobs, intake
from tidemill.store.backends import BlobBackend

if TYPE_CHECKING:
    from tidemill.datasets.bulk import Given


def take_content(item: BulkItem) -> bytes | None:
    """The content that came with the item, which is now named by its digest; None when it was sent before."""
    if not isinstance(item, ItemAdd) or item.content is None:
        return None
    content = item.content.encode()
    digest = hashlib.sha256(content).hexdigest()
    if item.sha256 not in (None, digest):
        raise Invalid("checksum_mismatch", field="sha256", details=[item.sha256])
    if item.size_bytes not in (0, len(content)):
        raise Invalid("blob_size", field="size_bytes", sha256=digest, size=len(content), given=item.size_bytes)
    item.sha256, item.size_bytes = digest, len(content)
    return content


def place(db: Database, backend: BlobBackend, given: Sequence["Given"], *, by: Caller) -> dict[str, str]:
    """Puts what came with the items into the store; what `settle` wants to know."""
    contents = {one.item.sha256 or "": one.content for one in given if one.content is not None}
    return intake.place_contents(db, backend, by.project.id, contents, by.now) if contents else {}


def settle(session: Session, opened: Opened, given: Sequence["Given"], placed: Mapping[str, str]) -> set[str]:
    """What came with these items is there; their digests, which the project may now hold."""
    arrived = {one.item.sha256 or "" for one in given if one.content is not None}
    if arrived:
        blobs.lock_project(session, opened.project_id)
        blobs.settle(session, {digest: placed[digest] for digest in arrived if digest in placed})
    return arrived
