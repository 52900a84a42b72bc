"""Migrations: from nothing to the newest, on both databases."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tidemill.kernel.db import Base, Database
from tidemill.server import tables
from tidemill.server.schema import SchemaTooNew, upgrade


def test_the_revisions_make_exactly_the_tables_the_code_expects(db: Database) -> None:
    assert tables.ALL
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []


def test_upgrading_twice_changes_nothing(db: Database) -> None:
    before = sorted(sa.inspect(db.engine).get_table_names())
    upgrade(db)
    assert sorted(sa.inspect(db.engine).get_table_names()) == before


def test_a_database_from_a_newer_release_is_refused(db: Database) -> None:
    with db.write() as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    try:
        with pytest.raises(SchemaTooNew):
            upgrade(db)
    finally:
        with db.write() as session:
            session.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
