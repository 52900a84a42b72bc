"""Migrations: from nothing to the newest, on both databases."""

import hashlib
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

from tidemill import migrations
from tidemill.kernel.db import Base, Database
from tidemill.server import tables
from tidemill.server.schema import SchemaTooNew, alembic_config, upgrade
from tidemill.serving.tables import MetricRow
from tidemill.training.tables import ExperimentRow, ParameterRow, RunRow

AT = datetime(2026, 1, 1, tzinfo=UTC)
RELEASED = {
    "0001_initial_schema": "a7f1f0eb2e231df2",
    "0002_workloads": "a960635832f7a6ff",
    "0003_datasets": "c1602b53146afaf7",
    "0004_tracking": "71d5fd84a75622fe",
    "0005_models": "e245745b3bdfad34",
    "0006_serving": "3eda8617257372b0",
    "0007_shadow_metrics": "f224d8c9e86f1d42",
}
"""Revisions that databases out there were made by, with the beginning of their digests. They are never changed: what is
to be different is a new revision, which gets its line here."""


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


def test_revisions_that_databases_were_made_by_are_never_changed() -> None:
    folder = Path(migrations.__file__).parent / "versions"
    found = {file.stem: hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in folder.glob("0*.py")}
    assert found == RELEASED


@pytest.mark.parametrize("has_column", [False, True])
def test_metrics_of_an_older_release_are_those_of_callers(empty: str, has_column: bool) -> None:
    with closing(Database(empty)) as db:
        config = alembic_config(db)
        with db.engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "0006")
            if has_column:
                connection.execute(sa.text("ALTER TABLE service_metrics ADD is_shadow BOOLEAN DEFAULT FALSE NOT NULL"))
            connection.commit()
            _enter(connection, _old_metrics())
            connection.commit()
        upgrade(db)
        with db.write() as session:
            assert session.scalars(sa.select(MetricRow.is_shadow)).all() == [False]
            if not has_column:
                key = {"service_id": "svc_1", "step_s": 10, "at": 0, "number": 1, "replica_id": "rpl_1"}
                session.add(MetricRow(**key, is_shadow=True, counts={}))


def _old_metrics() -> dict[str, dict[str, Any]]:
    return {
        "projects": {"id": "prj_1", "name": "tides"},
        "services": {"id": "svc_1", "project_id": "prj_1", "name": "s"},
        "service_metrics": {"service_id": "svc_1", "step_s": 10, "at": 0, "number": 1, "replica_id": "rpl_1"},
    }


def test_runs_of_an_older_release_keep_what_is_known_of_them(empty: str) -> None:
    with closing(Database(empty)) as db:
        config = alembic_config(db)
        with db.engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "0003")
            connection.commit()
            _enter(connection, _old_runs())
            connection.commit()
        upgrade(db)
        with db.read() as session:
            experiment = session.scalars(sa.select(ExperimentRow)).one()
            assert (experiment.name, experiment.runs_count, experiment.tags) == ("hello", 1, {})
            run = session.scalars(sa.select(RunRow)).one()
            assert (run.experiment_id, run.links, run.settings["command"]) == (experiment.id, {}, "true")
            parameters = session.execute(sa.select(ParameterRow.key, ParameterRow.value, ParameterRow.number))
            assert sorted(map(tuple, parameters)) == [("lr", "0.1", 0.1), ("name", "x", None)]


def _old_runs() -> dict[str, dict[str, Any]]:
    settings = {"command": "true", "parameters": {"lr": 0.1, "name": "x"}}
    own = {"project_id": "prj_1", "name_key": "hello", "settings": settings}
    return {
        "projects": {"id": "prj_1", "name": "tides", "name_key": "tides"},
        "tasks": {"id": "tsk_1", "name": "hello", "runs_count": 1, "last_number": 1, **own},
        "runs": {"id": "run_1", "task_id": "tsk_1", "number": 1, "name": "hello-1", "workload_id": "wkl_1",
                 "state": "completed", **own},
    }  # fmt: skip


def _enter(connection: sa.Connection, rows: dict[str, dict[str, Any]]) -> None:
    table = sa.MetaData()
    table.reflect(connection, only=tuple(rows), resolve_fks=False)
    for name, values in rows.items():
        connection.execute(sa.insert(table.tables[name]).values(**_complete(table.tables[name], values)))


def _complete(table: sa.Table, values: dict[str, Any]) -> dict[str, Any]:
    """With something in every column that must have something."""
    blanks: dict[type, Any] = {str: "", int: 0, float: 0.0, bool: False, dict: {}, object: {}, datetime: AT}
    needed = [c for c in table.columns if not c.nullable and c.name not in values and c.server_default is None]
    return {**values, **{column.name: blanks[column.type.python_type] for column in needed}}
