"""Every route of the API, found by itself: it declares what it needs, and refuses whoever lacks it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute
from fastapi.testclient import TestClient

from tests.conftest import Api, Person
from tidemill.accounts.access import Needs, find_project, system_caller
from tidemill.accounts.permissions import (
    BUILTIN_ROLES,
    PLATFORM_PERMISSIONS,
    PROGRAM_PERMISSIONS,
    PROJECT_PERMISSIONS,
    PUBLIC_READER,
)
from tidemill.accounts.tables import UserRow
from tidemill.accounts.tokens import add_workload_token
from tidemill.assets.kinds import KINDS
from tidemill.datasets.works.service import TOKEN_SCOPES
from tidemill.server import meta
from tidemill.server.app import API
from tidemill.server.rooms import ROOMS

OPEN_TO_ALL = {"sign_in", "get_meta"}
"""What works without being signed in."""
WEBSOCKETS = {"open_terminal"}
"""They check the same permissions themselves; their rooms' tests call them as nobody, a stranger and a viewer."""
READS_BY_POST = {
    "open_viewer",  # the answer holds a secret; nothing changes
    "preview_preprocess",  # draws pictures before and after; nothing changes
    # The MLflow client's searches carry their words in a body.
    "mlflow_search_experiments",
    "mlflow_search_runs",
    "mlflow_search_logged_models",
    "mlflow_get_latest_versions",
    "check_recipe",  # says what a package would come to; nothing changes
    "suggest_mapping",  # compares names of labels; nothing changes
    "suggest_write_back_mapping",  # the same
    "copy_asset",  # reads here and writes in the project it names, whose permissions it checks itself
}
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
FILLED_IN = {"project": "tides", "kind": KINDS[0].segment, "version": "1", "path": "file.txt"}


@dataclass(frozen=True)
class Operation:
    """One method of one address."""

    id: str
    method: str
    path: str
    needs: Needs | None
    streams_for_ever: bool

    @property
    def in_project(self) -> bool:
        return "{project}" in self.path

    @property
    def permission(self) -> str | None:
        declared = self.needs.permission if self.needs else None
        return declared.replace("{kind}", FILLED_IN["kind"].removesuffix("s")) if declared else None

    def call(self, client: TestClient, **filled: str) -> Any:
        values = {**FILLED_IN, **filled}
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: values.get(found[1], "none"), self.path)
        return client.request(self.method, path)


def find_needs(dependant: Dependant) -> Iterator[Needs]:
    if isinstance(dependant.call, Needs):
        yield dependant.call
    for inner in dependant.dependencies:
        yield from find_needs(inner)


def find_operations() -> list[Operation]:
    routers = [meta.router, *(router for room in ROOMS for router in room.routers)]
    found: list[Operation] = []
    for route in (route for router in routers for route in router.routes):
        if isinstance(route, APIWebSocketRoute):
            assert route.name in WEBSOCKETS
            continue
        assert isinstance(route, APIRoute)
        needs = {id(each): each for each in find_needs(route.dependant)}
        declared = {(each.permission, each.in_bin, each.session_only) for each in needs.values()}
        assert len(declared) <= 1, f"{route.operation_id} declares more than one permission"
        streams = "text/event-stream" in str(route.responses)
        found += [
            Operation(str(route.operation_id), method, f"{API}{route.path}", next(iter(needs.values()), None), streams)
            for method in sorted(route.methods)
        ]
    return found


OPERATIONS = find_operations()
SAFE_TO_CALL = [operation for operation in OPERATIONS if not operation.streams_for_ever]


@pytest.fixture
def tides(api: Api) -> Api:
    api.project("tides")
    return api


def test_no_route_of_the_document_was_missed(api: Api) -> None:
    documented = {
        operation["operationId"] for path in api.app.openapi()["paths"].values() for operation in path.values()
    }
    assert documented
    assert documented <= {operation.id for operation in OPERATIONS}


def test_every_route_declares_a_permission_that_exists() -> None:
    undeclared = {operation.id for operation in OPERATIONS if operation.needs is None}
    assert undeclared == OPEN_TO_ALL
    known = {*PLATFORM_PERMISSIONS, *PROJECT_PERMISSIONS, *PROGRAM_PERMISSIONS}
    assert {op.permission for op in OPERATIONS if op.permission is not None} <= known


def test_every_project_route_needs_a_permission_not_only_somebody_signed_in() -> None:
    assert [op.id for op in OPERATIONS if op.in_project and op.permission is None] == []


def test_every_route_that_changes_something_in_a_project_needs_more_than_reading() -> None:
    weak = {
        op.id
        for op in OPERATIONS
        if op.in_project and op.method in UNSAFE and op.permission is not None and op.permission.endswith(".read")
    }
    assert weak <= READS_BY_POST


def test_nobody_gets_nowhere(tides: Api) -> None:
    client = TestClient(tides.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    let_in = {
        f"{op.method} {op.path}": status
        for op in OPERATIONS
        if op.id not in OPEN_TO_ALL and (status := op.call(client).status_code) != 401
    }
    assert let_in == {}


def test_somebody_whose_session_has_ended_gets_nowhere(tides: Api) -> None:
    ann = tides.user("ann", project="tides", role="owner")
    tides.admin.ok("delete", "/users/ann/sessions")
    let_in = {op.id: s for op in OPERATIONS if op.needs and (s := op.call(ann.http).status_code) != 401}
    assert let_in == {}


def test_a_member_of_another_project_cannot_even_tell_that_the_project_is_there(tides: Api) -> None:
    tides.project("others")
    stranger = tides.user("eve", project="others", role="owner")
    told: dict[str, Any] = {}
    for operation in [op for op in SAFE_TO_CALL if op.in_project]:
        hidden, absent = operation.call(stranger.http), operation.call(stranger.http, project="absent")
        if hidden.status_code != 404 or blurred(hidden, "tides") != blurred(absent, "absent"):
            told[operation.id] = hidden.text
    assert told == {}


def blurred(answer: Any, name: str) -> dict[str, Any]:
    """The error without what is of this one call."""
    error: dict[str, Any] = answer.json()["error"] if answer.content else {}  # a HEAD has no body
    return {key: str(value).replace(name, "…") for key, value in error.items() if key != "request_id"}


def test_a_member_may_nothing_that_is_of_the_platform(tides: Api) -> None:
    owner = tides.user("ann", project="tides", role="owner")
    outside = [op for op in SAFE_TO_CALL if not op.in_project and op.permission is not None]
    assert outside
    assert {op.id: s for op in outside if (s := op.call(owner.http).status_code) != 403} == {}


@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer", "member"])
def test_a_role_may_what_it_says_and_no_more(tides: Api, role: str) -> None:
    person = tides.user("ann", project="tides", role=role)
    wrong = wrongly_treated(person, BUILTIN_ROLES[role], project="tides")
    assert wrong == {}


def test_everyone_reads_the_public_project_and_writes_nothing(tides: Api) -> None:
    person = tides.user("ann", project="tides", role="owner")
    assert wrongly_treated(person, PUBLIC_READER, project="public") == {}


def wrongly_treated(person: Person, held: frozenset[str], *, project: str) -> dict[str, int]:
    """Operations let through without the permission, or refused with it."""
    wrong: dict[str, int] = {}
    for operation in [op for op in SAFE_TO_CALL if op.in_project]:
        status = operation.call(person.http, project=project).status_code
        if operation.needs and operation.needs.in_bin:
            fine = status == 404
        elif operation.permission in held:
            fine = status not in {401, 403} and status < 500
        else:
            fine = status == 403
        if not fine:
            wrong[f"{operation.method} {operation.path}"] = status
    return wrong


def test_a_token_of_narrow_scope_is_refused_everything_else(tides: Api) -> None:
    client = token_client(tides, scopes=["project.read"])
    let_in = {
        op.id: status
        for op in SAFE_TO_CALL
        if op.permission not in {None, "project.read"} and (status := op.call(client).status_code) not in refusals(op)
    }
    assert let_in == {}
    assert client.get(f"{API}/projects/tides").status_code == 200


def test_the_token_of_a_datasets_program_opens_its_own_routes_and_sends_content_and_no_more(tides: Api) -> None:
    with tides.app.state.db.write() as session:
        project, admin = find_project(session, "tides"), session.scalars(sa.select(UserRow.id)).first()
        assert project is not None
        assert admin is not None
        add_workload_token(
            session,
            "wkl_1",
            secret="tm_stolen",
            user_id=admin,
            project_id=project.id,
            scopes=TOKEN_SCOPES,
            by=system_caller(),
        )
    headers = {"Authorization": "Bearer tm_stolen"}
    client = TestClient(tides.app, base_url="http://127.0.0.1", headers=headers, raise_server_exceptions=False)
    statuses = {op.id: op.call(client).status_code for op in SAFE_TO_CALL if op.permission is not None}
    let_in = {op.id for op in SAFE_TO_CALL if op.permission and statuses[op.id] not in refusals(op)}
    assert let_in == {op.id for op in SAFE_TO_CALL if op.permission in {"dataset.work", "upload.write"}}
    works = {op.id for op in SAFE_TO_CALL if op.permission == "dataset.work"}
    assert {statuses[one] for one in works} <= {404, 422}, "and of works only its own is there"


def test_a_token_of_one_project_is_refused_everywhere_else(tides: Api) -> None:
    tides.project("others")
    client = token_client(tides, project="others")
    elsewhere = [op for op in SAFE_TO_CALL if op.permission is not None]
    let_in = {
        op.id: status for op in elsewhere if (status := op.call(client).status_code) != (404 if op.in_project else 403)
    }
    assert let_in == {}


def test_what_is_only_for_people_is_refused_to_tokens(tides: Api) -> None:
    client = token_client(tides)
    in_person = [op for op in SAFE_TO_CALL if op.needs and op.needs.session_only]
    assert {op.id for op in in_person} >= {"change_password", "update_me", "sign_out"}
    assert {op.id: s for op in in_person if (s := op.call(client).status_code) != 403} == {}


def test_whoever_must_change_their_password_can_do_that_and_nothing_else(tides: Api) -> None:
    person = tides.user("ann", project="tides", role="owner")
    with tides.app.state.db.write() as session:
        session.execute(sa.update(UserRow).where(UserRow.name == "ann").values(must_change_password=True))
    let_in = {
        op.id for op in OPERATIONS if op.needs and op.method != "DELETE" and op.call(person.http).status_code != 403
    }
    assert let_in == {"get_session", "change_password"}


def token_client(api: Api, **limits: Any) -> TestClient:
    token = api.admin.ok("post", "/me/tokens", json={"name": "narrow", **limits})["token"]
    headers = {"Authorization": f"Bearer {token}"}
    return TestClient(api.app, base_url="http://127.0.0.1", headers=headers, raise_server_exceptions=False)


def refusals(operation: Operation) -> set[int]:
    return {404} if operation.needs and operation.needs.in_bin else {403}
