"""How far each source of a run has been read: written with the points, so that a crash repeats or loses nothing."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import upsert
from tidemill.training.tables import CursorRow


def load(session: Session, run_id: str) -> dict[str, CursorRow]:
    """By source."""
    rows = session.scalars(sa.select(CursorRow).where(CursorRow.run_id == run_id))
    return {row.source: row for row in rows}


def find_offset(session: Session, run_id: str, source: str) -> int | None:
    return session.scalar(sa.select(CursorRow.offset).where(CursorRow.run_id == run_id, CursorRow.source == source))


def save(session: Session, run_id: str, source: str, offset: int, *, is_done: bool = False) -> None:
    values = {"offset": offset, "is_done": is_done}
    session.execute(
        upsert(session, CursorRow)
        .values(run_id=run_id, source=source, **values)
        .on_conflict_do_update(index_elements=["run_id", "source"], set_=values)
    )
