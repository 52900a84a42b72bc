"""Content used by something that is no tree: an image, a package. Each pin is one use in the books."""

from collections.abc import Iterable, Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import upsert
from tidemill.store import blobs
from tidemill.store.sql import among
from tidemill.store.tables import PinRow


def pin(
    session: Session, project_id: str, owner: str, sizes: Mapping[str, int], *, touched_at: datetime | None = None
) -> None:
    """The owner uses these contents from now on; those it uses already are only touched.

    Raises Invalid for content the project must send first, TooLarge when its limit leaves no room.
    """
    blobs.lock_project(session, project_id)
    pinned = pinned_sizes(session, project_id, owner, sizes)
    # Also what is pinned already is told to the books: who sent it again no longer waits to use it.
    blobs.hold(session, project_id, {digest: (size, int(digest not in pinned)) for digest, size in sizes.items()})
    rows = [
        {"project_id": project_id, "owner": owner, "digest": digest, "size_bytes": size, "touched_at": touched_at}
        for digest, size in sorted(sizes.items())
    ]
    if rows:
        insert = upsert(session, PinRow)
        touched = {"touched_at": insert.excluded.touched_at}
        keys = ["project_id", "owner", "digest"]
        session.connection().execute(insert.on_conflict_do_update(index_elements=keys, set_=touched), rows)


def unpin(session: Session, project_id: str, owner: str, digests: Iterable[str]) -> None:
    """The owner uses them no more; those it does not use are left alone."""
    blobs.lock_project(session, project_id)
    gone = set(pinned_sizes(session, project_id, owner, digests))
    session.execute(sa.delete(PinRow).where(_these(session, project_id, owner, gone)))
    blobs.release(session, project_id, dict.fromkeys(gone, 1))


def unpin_all(session: Session, project_id: str, owner: str) -> None:
    """The owner is no more."""
    mine = sa.select(PinRow.digest).where(PinRow.project_id == project_id, PinRow.owner == owner)
    unpin(session, project_id, owner, session.scalars(mine).all())


def unpin_project(session: Session, project_id: str) -> None:
    """The project is no more."""
    blobs.lock_project(session, project_id)
    counted = sa.select(
        PinRow.digest, sa.func.max(PinRow.size_bytes).label("size_bytes"), sa.func.count().label("uses")
    )
    blobs.release_selected(session, project_id, counted.where(PinRow.project_id == project_id).group_by(PinRow.digest))
    session.execute(sa.delete(PinRow).where(PinRow.project_id == project_id))


def pinned_sizes(session: Session, project_id: str, owner: str, digests: Iterable[str]) -> dict[str, int]:
    """Those of the contents that the owner uses, with their sizes."""
    found = sa.select(PinRow.digest, PinRow.size_bytes).where(_these(session, project_id, owner, digests))
    return {row.digest: row.size_bytes for row in session.execute(found)}


def _these(session: Session, project_id: str, owner: str, digests: Iterable[str]) -> sa.ColumnElement[bool]:
    listed = among(session, PinRow.digest, digests)
    return sa.and_(PinRow.project_id == project_id, PinRow.owner == owner, listed)
