"""The database's schema: brought to the newest revision at start, never taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

from tidemill.kernel.db import Database

_LOCK = 0x7469646D696C6C  # "tidmill": any number that nobody else locks


class SchemaTooNew(Exception):
    """The database was made by a newer Tidemill."""


def upgrade(db: Database) -> None:
    """Brings the database to this release's schema; raises SchemaTooNew when it is ahead of us."""
    config = alembic_config(db)
    script = ScriptDirectory.from_config(config)
    with db.engine.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
    if current is not None:
        try:
            script.get_revision(current)
        except CommandError:
            raise SchemaTooNew(current) from None
    if current == script.get_current_head():
        return
    with db.engine.connect() as connection, _alone(connection), _tables_may_be_remade(connection):
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _alone(connection: sa.Connection) -> Iterator[None]:
    """Several servers on one PostgreSQL may start at once: the first does the work. A SQLite file has one server."""
    if connection.dialect.name != "postgresql":
        yield
        return
    connection.execute(sa.select(sa.func.pg_advisory_lock(_LOCK)))
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.execute(sa.select(sa.func.pg_advisory_unlock(_LOCK)))
        connection.commit()


@contextmanager
def _tables_may_be_remade(connection: sa.Connection) -> Iterator[None]:
    """SQLite changes a table by making it anew and dropping the old one: rows that point at it must not go with that.

    The switch works outside of transactions only, so it is thrown before the first one; what points at nothing
    afterwards is a fault of the revision, and the start is refused.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.driver_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
        connection.rollback()
        if broken := driver.execute("PRAGMA foreign_key_check").fetchall():
            raise RuntimeError(f"rows that point at nothing: {broken[:10]}")
    finally:
        connection.rollback()
        driver.execute("PRAGMA foreign_keys=ON")


def alembic_config(db: Database) -> Config:
    """Alembic's settings, pointing at the revisions in the package."""
    config = Config()
    config.set_main_option("script_location", "tidemill:migrations")
    config.set_main_option("sqlalchemy.url", db.url.render_as_string(hide_password=False).replace("%", "%%"))
    return config
