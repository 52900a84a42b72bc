"""Thousands of rows at once, as quickly as each database takes them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.tables import RevisionRow
from tidemill.kernel.db import Base


def insert_many(session: Session, table: type[Base], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts the rows: SQLite's own executemany, PostgreSQL's COPY. Times are given through `moment`."""
    if not rows:
        return
    connection, name = session.connection(), table.__tablename__
    listed = ", ".join(columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {name} ({listed}) VALUES ({marks})", list(map(tuple, rows)))  # noqa: S608
        return
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {name} ({listed}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def moment(session: Session, at: datetime) -> Any:
    """A time as the database's driver takes it."""
    if session.get_bind().dialect.name == "sqlite":
        return at.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    return at


def take_revision_ids(session: Session, count: int) -> range | list[int]:
    """Numbers for that many new revisions, nobody else's."""
    if session.get_bind().dialect.name == "sqlite":
        last = session.scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'dataset_revisions'")) or 0
        return range(last + 1, last + 1 + count)
    sequence = f"{RevisionRow.__tablename__}_id_seq"
    numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
    return list(session.scalars(numbers))
