"""Thousands of rows at once, as quickly as each database takes them."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.tables import RevisionRow
from tidemill.kernel.db import Base
from tidemill.store.sql import insert_rows


def insert_many(session: Session, table: type[Base], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts the rows, as PostgreSQL's COPY where it is that. Times are given through `moment`."""
    if not rows:
        return
    connection, name = session.connection(), table.__tablename__
    if connection.dialect.name == "sqlite":
        insert_rows(session, name, columns, rows)
        return
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {name} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def take_revision_ids(session: Session, count: int) -> range | list[int]:
    """Numbers for that many new revisions, nobody else's."""
    if session.get_bind().dialect.name == "sqlite":
        last = session.scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'dataset_revisions'")) or 0
        return range(last + 1, last + 1 + count)
    sequence = f"{RevisionRow.__tablename__}_id_seq"
    numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
    return list(session.scalars(numbers))
