"""What is left of runs that are gone: rows of results, taken away in short steps, safe to repeat."""

import sqlalchemy as sa

from tidemill.datasets.pacing import Pace
from tidemill.inference.tables import RESULT_LABELS, RESULTS, InferenceRunRow
from tidemill.kernel.db import Database

EVERY_S = 600.0


def sweep(db: Database) -> int:
    """Removes rows of results whose run is gone; of how many runs."""
    gone = sorted({*_orphaned(db, RESULTS), *_orphaned(db, RESULT_LABELS)})
    for rid in gone:
        _remove(db, RESULT_LABELS, rid, ("label", "seq"))
        _remove(db, RESULTS, rid, ("seq",))
    return len(gone)


def _orphaned(db: Database, table: sa.Table) -> list[int]:
    """One step in the index a run, however many rows it has."""
    found: list[int] = []
    rid = 0
    while True:
        with db.read() as session:
            rid = session.scalar(sa.select(sa.func.min(table.c.rid)).where(table.c.rid > rid)) or 0
            if not rid:
                return found
            if session.get(InferenceRunRow, rid) is None:
                found.append(rid)


def _remove(db: Database, table: sa.Table, rid: int, key: tuple[str, ...]) -> None:
    pace = Pace()
    columns = [table.c[name] for name in key]
    here = sa.tuple_(*columns)
    while True:
        with pace.step() as size, db.write() as session:
            ahead = sa.select(*columns).where(table.c.rid == rid).order_by(*columns)
            last = session.execute(ahead.offset(size - 1).limit(1)).one_or_none()
            upto = here <= sa.tuple_(*map(sa.literal, last)) if last else sa.true()
            session.connection().execute(sa.delete(table).where(table.c.rid == rid, upto))
        if last is None:
            return
