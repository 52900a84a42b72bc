"""Fixtures every room's tests use: both databases, the application, and people to call it as."""

import gc
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings as hypothesis_settings

from tests.containers import podman, podman_service  # noqa: F401 — fixtures
from tests.jupyter_packages import jupyter_packages  # noqa: F401 — a fixture
from tests.postgres import Postgres, start_postgres
from tidemill.kernel.db import Base, Database
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app
from tidemill.server.rooms import ROOMS
from tidemill.server.schema import upgrade

# A worker keeps what it has loaded to its end: it need not look through it for rubbish again and again.
gc.freeze()
gc.set_threshold(50_000, 20, 50)

# The same examples in every run, however busy the machine is.
hypothesis_settings.register_profile("tidemill", derandomize=True, deadline=None)
hypothesis_settings.load_profile("tidemill")

ADMIN_PASSWORD = "correct-horse-battery"
USER_PASSWORD = "stapled-to-the-wall"


DATABASES = ["sqlite", "postgres"]
SLOW_ROOMS = ["kill", "builds", "devenv", "training", "engines", "annotation", "workloads", "images"]


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "sqlite, postgres, or both with a comma; spread: what speaks to the database on both, the rest on one"
    parser.addoption("--databases", default="spread", help=words)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rooms whose tests take long begin: no worker then has them before it when the others are done."""
    items.sort(key=lambda item: SLOW_ROOMS.index(room) if (room := _room(item)) in SLOW_ROOMS else len(SLOW_ROOMS))


def _room(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database_kind" in metafunc.fixturenames:
        metafunc.parametrize("database_kind", _databases(metafunc), scope="function")


def _databases(metafunc: pytest.Metafunc) -> list[str]:
    """Tests of the whole application are many and slow: half of them run on each database, by their names."""
    wanted = str(metafunc.config.getoption("--databases"))
    if wanted != "spread":
        return wanted.split(",")
    is_marked = metafunc.definition.get_closest_marker("both_databases") is not None
    if is_marked or "app" not in metafunc.fixturenames:
        return DATABASES
    return [DATABASES[zlib.crc32(metafunc.definition.nodeid.encode()) % 2]]


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A PostgreSQL of our own, on a free loopback port."""
    with start_postgres(tmp_path_factory.mktemp("postgres")) as server:
        db = Database(server.url)
        upgrade(db)
        db.close()
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file, made once and copied for each test."""
    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    db = Database(f"sqlite:///{file}")
    upgrade(db)
    with db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return file


@pytest.fixture
def database_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """An empty database at the newest schema."""
    if database_kind == "sqlite":
        file = tmp_path / "home" / "tidemill.db"
        file.parent.mkdir(exist_ok=True)
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        return f"sqlite:///{file}"
    server: Postgres = request.getfixturevalue("postgres_server")
    server.empty(table.name for table in Base.metadata.sorted_tables)
    return server.url


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Embedded defaults, quick password hashing, no background loops."""
    return Settings(
        home=tmp_path / "home",
        database_url=database_url,
        admin_password=ADMIN_PASSWORD,  # type: ignore[arg-type]
        argon2_time_cost=1,
        argon2_memory_kib=64,
        store_fsync=False,
        background=False,
    )


@pytest.fixture
def db(database_url: str) -> Iterator[Database]:
    """The database alone, for tests below HTTP."""
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    """The whole application after its first start."""
    application = create_app(settings)
    for room in ROOMS:
        room.first_start(application)
    yield application
    application.state.engine.close()
    application.state.db.close()


class Person:
    """Somebody calling the API with a session, as the browser does."""

    def __init__(self, app: FastAPI, name: str, password: str) -> None:
        self.name = name
        self.http = TestClient(
            app, base_url="http://127.0.0.1", headers={"X-Tidemill": "1"}, raise_server_exceptions=False
        )
        answer = self.http.post("/api/v1/session", json={"user": name, "password": password})
        assert answer.status_code == 200, answer.text

    def __getattr__(self, verb: str) -> Any:
        def call(path: str, **options: Any) -> Any:
            return getattr(self.http, verb)(f"/api/v1{path}", **options)

        return call

    def ok(self, verb: str, path: str, **options: Any) -> Any:
        """The answer's JSON; fails the test when the call is refused."""
        answer = getattr(self, verb)(path, **options)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


class Api:
    """The API and the people who call it."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.admin = Person(app, "admin", ADMIN_PASSWORD)
        self.nobody = TestClient(app, base_url="http://127.0.0.1/api/v1", raise_server_exceptions=False)

    def user(self, name: str, *, project: str | None = None, role: str = "member", kind: str = "member") -> Person:
        """A new user, perhaps a member of a project, signed in."""
        body = {"name": name, "password": USER_PASSWORD, "kind": kind, "must_change_password": False}
        self.admin.ok("post", "/users", json=body)
        if project:
            self.admin.ok("post", f"/projects/{project}/members", json={"user": name, "role": role})
        return Person(self.app, name, USER_PASSWORD)

    def project(self, name: str = "tides", **fields: Any) -> str:
        """A new project's name."""
        created: str = self.admin.ok("post", "/projects", json={"name": name, **fields})["name"]
        return created


@pytest.fixture
def api(app: FastAPI) -> Api:
    """The API with an administrator signed in."""
    return Api(app)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Real datasets and models beside the repository; tests that need them say so where they are absent."""
    folder = Path(os.environ.get("TIDEMILL_TEST_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set TIDEMILL_TEST_DATA")
    return folder


def count(db: Database, table: type[Base]) -> int:
    """Rows in a table."""
    with db.read() as session:
        return session.scalar(sa.select(sa.func.count()).select_from(table)) or 0
