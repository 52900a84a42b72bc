"""Whatever is sent, to any operation of the OpenAPI document, by an administrator or a member: no answer is a 500."""

import json
import shutil
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode

from tests.conftest import ADMIN_PASSWORD, Api
from tests.postgres import Postgres
from tidemill.kernel.db import Base
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app
from tidemill.server.rooms import ROOMS

DESCRIPTION = Path(__file__).parents[2] / "web" / "src" / "api" / "openapi.json"
EXAMPLES = 3
"""Of each operation and caller; what is sent is the same in every run."""
NEVER_ENDS = {"follow_my_events"}
SPARED = {"delete_project": "project"}
"""What would take the ground from under all that follows keeps its random name."""
WHERE = {"project": "tides", "kind": "models", "asset": "wheel", "version": "latest", "user": "bob", "group": "crew"}
CALLERS = [("sqlite", "admin"), ("postgres", "member")]


@schemathesis.serializer("application/x-tidemill-batch")
def as_batch(_context: Any, value: Any) -> bytes:
    """Something like frames of a batch: whatever was made up, as bytes."""
    return value if isinstance(value, bytes) else str(value).encode()


def find_operations() -> dict[str, Any]:
    """From the description that is kept with the web client, and checked to be the code's: making it takes seconds."""
    schema = schemathesis.openapi.from_dict(json.loads(DESCRIPTION.read_text("utf-8")))
    found = {each.ok().definition.raw["operationId"]: each.ok() for each in schema.get_all_operations()}
    return {name: operation for name, operation in found.items() if name not in NEVER_ENDS}


OPERATIONS = find_operations()


class Ground:
    """An application with something in it, and a caller with a token."""

    def __init__(self, api: Api, caller: str) -> None:
        self.api = api
        person = api.admin
        api.project("tides")
        if caller == "member":
            person = api.user("mia", project="tides", role="member")
        self.http = TestClient(api.app, raise_server_exceptions=False)
        self.token = person.ok("post", "/me/tokens", json={"name": "fuzz"})["token"]

    def prepare(self) -> None:
        """Puts back what an operation before may have taken away."""
        admin = self.api.admin
        admin.post("/users", json={"name": "bob", "password": ADMIN_PASSWORD})
        admin.post("/groups", json={"name": "crew"})
        version = "/projects/tides/models/wheel/versions/latest"
        if admin.get(version).json().get("state") != "draft":
            admin.post("/projects/tides/models", json={"name": "wheel", "scene": "other"})
            admin.ok("post", "/projects/tides/models/wheel/versions", json={})
        admin.ok("put", f"{version}/files/a.txt", content=b"a")

    def send(self, case: Case) -> Any:
        request = case.as_transport_kwargs(base_url="http://127.0.0.1")
        headers = {name: value for name, value in request.pop("headers").items() if is_sendable(value)}
        headers["Authorization"] = f"Bearer {self.token}"
        request.pop("cookies", None)
        return self.http.request(request.pop("method"), request.pop("url"), headers=headers, **as_client_takes(request))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each operation on the databases that are asked for; where they are spread, on one of them."""
    wanted = str(metafunc.config.getoption("--databases"))
    names = sorted(OPERATIONS)
    pairs = [
        pytest.param(place, name, id=f"{'-'.join(place)}-{name}")
        for number, place in enumerate(CALLERS)
        for name in names
        if (zlib.crc32(name.encode()) % len(CALLERS) == number if wanted == "spread" else place[0] in wanted.split(","))
    ]
    metafunc.parametrize(("ground", "name"), pairs, indirect=["ground"], scope="module")


@pytest.fixture(scope="module")
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    database, caller = request.param
    home = tmp_path_factory.mktemp("fuzz")
    app = create_app(
        Settings(
            home=home,
            database_url=empty_database(request, database, home),
            admin_password=ADMIN_PASSWORD,  # type: ignore[arg-type]
            argon2_time_cost=1,
            argon2_memory_kib=64,
            store_fsync=False,
            background=False,
        )
    )
    for room in ROOMS:
        room.first_start(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", refuse_to_resolve)
        yield Ground(Api(app), caller)
    app.state.db.close()


def empty_database(request: pytest.FixtureRequest, kind: str, home: Any) -> str:
    if kind == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), home / "tidemill.db")
        return f"sqlite:///{home / 'tidemill.db'}"
    server: Postgres = request.getfixturevalue("postgres_server")
    server.empty(table.name for table in Base.metadata.sorted_tables)
    return server.url


def refuse_to_resolve(*_: Any, **__: Any) -> Any:
    """No address a test makes up is asked of the network."""
    raise socket.gaierror("names are not resolved here")


@pytest.mark.slow
def test_no_answer_is_our_fault(ground: Ground, name: str) -> None:
    ground.prepare()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases_of(name))
    def send(case: Case) -> None:
        answer = ground.send(case)
        assert answer.status_code < 500, f"{case.method} {case.formatted_path}: {answer.text}"
        if answer.status_code >= 400 and case.method != "HEAD":
            assert answer.json()["error"]["message"]

    send()


def cases_of(name: str) -> st.SearchStrategy[Case]:
    """Calls as the document describes them, at things that are there and at random ones; and calls that break it."""
    operation = OPERATIONS[name]
    named = {parameter.name for parameter in operation.path_parameters}
    there = {key: value for key, value in WHERE.items() if key in named and SPARED.get(name) != key}
    kinds = [operation.as_strategy(path_parameters=there or None)]
    if operation.query or operation.body:
        broken = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE, path_parameters=there or None)
        kinds += [broken, broken]
    if {"project", "kind"} < named:
        kinds.append(operation.as_strategy(path_parameters={"project": WHERE["project"], "kind": WHERE["kind"]}))
    elif there:
        kinds.append(operation.as_strategy())
    return st.one_of(kinds)


def is_sendable(value: Any) -> bool:
    """Whether an HTTP parser lets the header's value through to us at all."""
    return isinstance(value, str) and value.isascii() and value.isprintable()


def as_client_takes(request: dict[str, Any]) -> dict[str, Any]:
    """Query and body, under the names the client has for them."""
    data = request.pop("data", None)
    if isinstance(data, bytes | str):
        request["content"] = data
    elif data is not None:
        request["data"] = data
    return request
