"""Migrations: from nothing to the newest, on both databases."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tidemill.kernel.db import Base, Database
from tidemill.server import tables
from tidemill.server.schema import SchemaTooNew, upgrade


@pytest.fixture
def empty(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database without any table."""
    if database_kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server = request.getfixturevalue("postgres_server")
    name = f"empty_{secrets.token_hex(4)}"
    with psycopg.connect(server.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.url.rpartition("/")[0] + f"/{name}"
        connection.execute(f"DROP DATABASE {name}")


class _PowerCut(Exception):
    pass


def test_an_upgrade_that_breaks_off_leaves_no_trace(empty: str) -> None:
    made: list[str] = []

    def cut_after_five(*_: object, **__: object) -> None:
        made.append("table")
        if len(made) > 5:
            raise _PowerCut

    with closing(Database(empty)) as db:
        sa.event.listen(sa.Table, "after_create", cut_after_five)
        try:
            with pytest.raises(_PowerCut):
                upgrade(db)
        finally:
            sa.event.remove(sa.Table, "after_create", cut_after_five)
        assert set(sa.inspect(db.engine).get_table_names()) <= {"alembic_version"}
        upgrade(db)
        expected = {table.name for table in Base.metadata.sorted_tables}
        assert expected <= set(sa.inspect(db.engine).get_table_names())


def test_servers_that_start_together_upgrade_once(empty: str) -> None:
    if empty.startswith("sqlite"):
        pytest.skip("a home, and so its SQLite file, has one server at a time")
    together = Barrier(3)

    def start() -> None:
        with closing(Database(empty)) as db:
            together.wait()
            upgrade(db)

    with ThreadPoolExecutor(3) as servers:
        for started in [servers.submit(start) for _ in range(3)]:
            started.result()


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
        revision = session.scalar(sa.text("SELECT version_num FROM alembic_version"))
        session.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    try:
        with pytest.raises(SchemaTooNew):
            upgrade(db)
    finally:
        with db.write() as session:
            session.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
