"""Migrations: from nothing to the newest, on both databases."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tidemill.kernel.db import Base, Database
from tidemill.server import tables
from tidemill.server.schema import SchemaTooNew, alembic_config, upgrade
from tidemill.training.tables import ExperimentRow, ParameterRow, RunRow


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


def test_runs_of_an_older_release_keep_what_is_known_of_them(empty: str) -> None:
    with closing(Database(empty)) as db:
        config = alembic_config(db)
        with db.engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "0003")
            connection.commit()
            _enter_old_runs(connection)
            connection.commit()
        upgrade(db)
        with db.read() as session:
            experiment = session.scalars(sa.select(ExperimentRow)).one()
            assert (experiment.name, experiment.runs_count, experiment.tags) == ("hello", 1, {})
            run = session.scalars(sa.select(RunRow)).one()
            assert (run.experiment_id, run.links, run.settings["command"]) == (experiment.id, {}, "true")
            parameters = session.execute(sa.select(ParameterRow.key, ParameterRow.value, ParameterRow.number))
            assert sorted(map(tuple, parameters)) == [("lr", "0.1", 0.1), ("name", "x", None)]


def _enter_old_runs(connection: sa.Connection) -> None:
    table = sa.MetaData()
    table.reflect(connection, only=("projects", "tasks", "runs"), resolve_fks=False)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    at = at.replace(tzinfo=None) if connection.dialect.name == "sqlite" else at
    settings = {"command": "true", "parameters": {"lr": 0.1, "name": "x"}}
    by = {"created_at": at, "created_by": "ada"}
    own = {"project_id": "prj_1", "name_key": "hello", "settings": settings, **by}
    rows = {
        "projects": {"id": "prj_1", "name": "tides", "name_key": "tides", "updated_at": at, **by},
        "tasks": {"id": "tsk_1", "name": "hello", "runs_count": 1, "last_number": 1, "updated_at": at, **own},
        "runs": {"id": "run_1", "task_id": "tsk_1", "number": 1, "name": "hello-1", "workload_id": "wkl_1",
                 "state": "completed", "changed_at": at, **own},
    }  # fmt: skip
    for name, values in rows.items():
        connection.execute(sa.insert(table.tables[name]).values(**_complete(table.tables[name], values)))


def _complete(table: sa.Table, values: dict[str, Any]) -> dict[str, Any]:
    """With something in every column that must have something."""
    blanks: dict[type, Any] = {str: "", int: 0, bool: False, dict: {}, object: {}}
    needed = [c for c in table.columns if not c.nullable and c.name not in values and c.server_default is None]
    return {**values, **{column.name: blanks[column.type.python_type] for column in needed}}
