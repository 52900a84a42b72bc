"""A version's items with their annotations, one JSON line each, in pieces of one short read each."""

from collections.abc import Iterator
from typing import Any

import orjson
import sqlalchemy as sa

from tidemill.datasets.states import ITEM_STATES
from tidemill.datasets.tables import ItemRow, RevisionRow
from tidemill.kernel.db import Database

PIECE = 1000

_item = ItemRow.__table__.c
_revision = RevisionRow.__table__.c
_COLUMNS = (
    _item.seq, _item.path, _item.digest, _item.size_bytes, _item.media, _item.width, _item.height, _item.duration,
    _item.info, _item.state, _item.revision, _revision.body,
)  # fmt: skip


def stream_items(db: Database, vid: int, after: int = 0) -> Iterator[bytes]:
    """All items after a number, by number. No transaction is open while the reader takes its time."""
    joined = ItemRow.__table__.outerjoin(RevisionRow.__table__, _revision.id == _item.revision)
    statement = sa.select(*_COLUMNS).select_from(joined).where(_item.vid == vid).order_by(_item.seq).limit(PIECE)
    while True:
        with db.read() as session:
            rows = session.connection().execute(statement.where(_item.seq > after)).all()
        if not rows:
            return
        yield b"".join(map(_line, rows))
        after = rows[-1].seq


def _line(row: Any) -> bytes:
    return orjson.dumps(
        {
            "seq": row.seq,
            "path": row.path,
            "sha256": row.digest,
            "size_bytes": row.size_bytes,
            "media": row.media,
            "width": row.width,
            "height": row.height,
            "duration": row.duration,
            "info": orjson.Fragment(row.info or "{}"),
            "state": ITEM_STATES[row.state],
            "revision": row.revision,
            "annotations": orjson.Fragment(row.body or "[]"),
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )
