"""HTTP manners: one envelope for everything that goes wrong, in the caller's language, and safe headers."""

from collections.abc import Iterator
from typing import Annotated

import pytest
import sqlalchemy.exc
from fastapi import FastAPI, Query, Request
from fastapi.testclient import TestClient

from tests.answers import assert_refused
from tidemill.kernel import errors, web
from tidemill.kernel.fields import Name, Wire


class Thing(Wire):
    name: Name
    size: int


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()
    web.install(app)

    @app.get("/api/raise/{name}")
    def raise_it(name: str) -> None:
        raise getattr(errors, name)("name_taken", field="name", name="x", retry_after_s=7, details=["d"])

    @app.get("/api/break")
    def break_it() -> None:
        raise RuntimeError("a secret in a traceback")

    @app.get("/api/race")
    def race() -> None:
        raise sqlalchemy.exc.IntegrityError("INSERT", {}, Exception("unique"))

    @app.post("/api/things")
    def make(thing: Thing, limit: Annotated[int, Query(ge=1)] = 1) -> int:
        return thing.size + limit

    @app.post("/api/files")
    async def take(request: Request) -> int:
        web.take_any_length(request)
        return sum([len(piece) async for piece in request.stream()])

    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize(("kind", "status"), [(kind.__name__, status) for kind, status in web.STATUSES.items()])
def test_each_class_of_error_has_its_status_and_one_shape(client: TestClient, kind: str, status: int) -> None:
    answer = client.get(f"/api/raise/{kind}")
    error = assert_refused(answer, status, "name_taken", field="name")
    assert error["details"] == ["d"]
    assert error["hint"]
    assert answer.headers["Retry-After"] == "7"


def test_the_words_are_in_the_callers_language(client: TestClient) -> None:
    english = client.get("/api/raise/Conflict", headers={"Accept-Language": "en"})
    chinese = client.get("/api/raise/Conflict", headers={"Accept-Language": "zh-CN,zh;q=0.9"})
    assert english.json()["error"]["message"] == "The name “x” is already in use."
    assert chinese.json()["error"]["message"] == "名称“x”已被使用。"
    assert chinese.headers["Content-Language"] == "zh-CN"


def test_every_broken_field_is_named_with_its_rule(client: TestClient) -> None:
    answer = client.post("/api/things?limit=0", json={"name": "a/b", "size": "x", "colour": 1})
    error = assert_refused(answer, 422, "invalid")
    codes = {detail["field"]: detail["code"] for detail in error["details"]}
    assert codes == {
        "limit": "number_too_small",
        "name": "name_forbidden",
        "size": "field_whole_number",
        "colour": "field_unknown",
    }
    assert error["field"] == error["details"][0]["field"]
    assert error["message"] == error["details"][0]["message"]
    assert all("{" not in detail["message"] for detail in error["details"])


def test_a_body_that_is_not_json_is_said_so(client: TestClient) -> None:
    answer = client.post("/api/things", content=b"{", headers={"Content-Type": "application/json"})
    assert assert_refused(answer, 422, "invalid")["details"][0]["code"] == "json_invalid"


def test_a_defect_of_ours_tells_nothing_of_the_inside(client: TestClient) -> None:
    answer = client.get("/api/break")
    assert_refused(answer, 500, "internal")
    assert "secret" not in answer.text


def test_what_framework_and_database_refuse_has_the_same_shape(client: TestClient) -> None:
    assert_refused(client.get("/api/nowhere"), 404, "not_found")
    assert_refused(client.delete("/api/things"), 405, "method_not_allowed")
    assert_refused(client.get("/api/race"), 409, "conflict_race")


def test_browsers_are_kept_from_guessing_framing_and_caching(client: TestClient) -> None:
    for answer in (client.get("/api/nowhere"), client.get("/api/break"), client.post("/api/things", json={})):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Request-Id"]


def test_what_is_read_as_a_whole_has_a_limit_even_when_its_length_is_not_said(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "BODY_MAX_BYTES", 1000)

    def much() -> Iterator[bytes]:
        yield b'{"name": "'
        for _ in range(30):
            yield b"a" * 100

    json = {"Content-Type": "application/json"}
    assert_refused(client.post("/api/things", content=much(), headers=json), 413, "too_large")
    assert client.post("/api/files", content=much()).json() == 3010
