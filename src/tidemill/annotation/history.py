"""An item's history: the revisions its annotations went through, newest first, back through older versions."""

from collections.abc import Iterator
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import people
from tidemill.datasets.lookup import open_version
from tidemill.datasets.states import ITEM_STATES
from tidemill.datasets.tables import ITEMS, REVISIONS
from tidemill.kernel.errors import NotFound

_revision = REVISIONS.c
STEP = 50
SEARCHED = 2000
"""How far back a revision is looked for: the last that an item of this many changes can be taken back to."""


def list_history(
    session: Session, place: Place, seq: int, *, before: int | None, limit: int, with_annotations: bool, by: Caller
) -> bytes:
    """Revisions of an item, newest first, as JSON."""
    opened = open_version(session, place, project_id=by.project.id)
    here = sa.and_(ITEMS.c.vid == opened.vid, ITEMS.c.seq == seq)
    found = session.execute(sa.select(ITEMS.c.revision).where(here)).one_or_none()
    if found is None:
        raise NotFound("item_not_found", seq=seq, name=opened.name)
    newest = found.revision if before is None else find(session, found.revision, before).parent
    rows = chain(session, newest, limit)
    names = people.names_of(session, (row.author for row in rows))
    shown = [
        {
            "id": row.id,
            "parent": row.parent,
            "author": names.get(row.author),
            "at": row.at,
            "reason": row.reason,
            "state": ITEM_STATES[row.state],
            "annotations_count": len(orjson.loads(row.body)),
            "annotations": orjson.Fragment(row.body) if with_annotations else None,
        }
        for row in rows
    ]
    goes_on = rows[-1].id if len(rows) == limit and rows[-1].parent is not None else None
    return orjson.dumps({"items": shown, "next": goes_on})


def find(session: Session, newest: int | None, wanted: int) -> Any:
    """A revision of the history that begins with the newest; raises NotFound when it is none of it."""
    for row in walk(session, newest):
        if row.id == wanted:
            return row
        if row.id < wanted:
            break
    raise NotFound("revision_not_found", revision=wanted)


def walk(session: Session, newest: int | None) -> Iterator[Any]:
    """The history from a revision on back, as far as is looked."""
    seen = 0
    while newest is not None and seen < SEARCHED:
        rows = chain(session, newest, STEP)
        yield from rows
        seen += len(rows)
        newest = rows[-1].parent if rows else None


def chain(session: Session, newest: int | None, limit: int) -> list[Any]:
    """That many revisions, each the parent of the one before."""
    if newest is None:
        return []
    start = sa.select(_revision.id, _revision.parent, sa.literal(1).label("depth")).where(_revision.id == newest)
    back = start.cte("back", recursive=True)
    back = back.union_all(
        sa.select(_revision.id, _revision.parent, back.c.depth + 1)
        .join(back, back.c.parent == _revision.id)
        .where(back.c.depth < limit)
    )
    rows = sa.select(REVISIONS).join(back, back.c.id == _revision.id).order_by(back.c.depth)
    return list(session.connection().execute(rows))
