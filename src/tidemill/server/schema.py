"""The database's schema: brought to the newest revision at start, never taken back."""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

from tidemill.kernel.db import Database


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
    with db.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def alembic_config(db: Database) -> Config:
    """Alembic's settings, pointing at the revisions in the package."""
    config = Config()
    config.set_main_option("script_location", "tidemill:migrations")
    config.set_main_option("sqlalchemy.url", db.url.render_as_string(hide_password=False).replace("%", "%%"))
    return config
