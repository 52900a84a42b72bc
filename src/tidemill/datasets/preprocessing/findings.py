"""What a scan saw of items, kept with them: sharpness, looks, damage."""

from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets.marking import seq_among
from tidemill.datasets.tables import ITEMS, WorkRow
from tidemill.datasets.works import steps
from tidemill.datasets.works.schemas import FindingsIn
from tidemill.kernel.errors import Conflict

NAMES = ("sharpness", "phash", "broken")


def take(session: Session, row: WorkRow, told: FindingsIn, *, by: Caller) -> int:
    """Keeps what was seen and moves the cursor; how far the work is."""
    if row.done != told.at:
        if row.done >= told.done:
            return row.done
        raise Conflict("work_step", at=told.at, done=row.done, details={"done": row.done})
    _keep(session, row.vid, {one.seq: one.info for one in told.items})
    steps.advance(session, row, told.done, told.total, [note.model_dump() for note in told.notes], by)
    return row.done


def _keep(session: Session, vid: int, seen: dict[int, dict[str, Any]]) -> None:
    """Beside what is said of the items already. Their annotations are not touched, so that annotators do not wait."""
    if not seen:
        return
    here = sa.and_(ITEMS.c.vid == vid, seq_among(session, ITEMS.c.seq, sorted(seen)))
    rows = session.connection().execute(sa.select(ITEMS.c.seq, ITEMS.c.info).where(here)).all()
    changes = []
    for seq, text in rows:
        info = orjson.loads(text) if text else {}
        found = {name: seen[seq][name] for name in NAMES if seen[seq].get(name) is not None}
        merged = {name: value for name, value in info.items() if name not in NAMES} | found
        if merged != info:
            changes.append({"at_seq": seq, "new_info": orjson.dumps(merged).decode()})
    if changes:
        statement = sa.update(ITEMS).where(ITEMS.c.vid == vid, ITEMS.c.seq == sa.bindparam("at_seq"))
        session.connection().execute(statement.values(info=sa.bindparam("new_info")), changes)
