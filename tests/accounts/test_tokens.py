"""API tokens."""

import re

import sqlalchemy as sa

from tests.accounts.people import Hands, actions, with_token
from tests.answers import assert_refused
from tests.conftest import Api
from tidemill.accounts.tables import TokenRow


def make(person: object, **body: object) -> str:
    created = person.ok("post", "/me/tokens", json={"name": "script", **body})  # type: ignore[attr-defined]
    return str(created["token"])


def test_a_token_is_shown_once_and_only_its_hash_is_kept(api: Api) -> None:
    created = api.admin.ok("post", "/me/tokens", json={"name": "script"})
    assert re.fullmatch(r"tm_[A-Za-z0-9_-]{43}", created["token"])
    listed = api.admin.ok("get", "/me/tokens")["items"]
    assert created["token"] not in str(listed)
    with api.app.state.db.read() as session:
        row = session.scalars(sa.select(TokenRow)).one()
    assert created["token"] not in str(vars(row))
    assert created["token"] not in str(api.admin.ok("get", "/audit"))


def test_making_a_token_again_with_the_same_key_does_not_show_it_again(api: Api) -> None:
    headers = {"Idempotency-Key": "once"}
    first = api.admin.ok("post", "/me/tokens", json={"name": "script"}, headers=headers)
    second = api.admin.ok("post", "/me/tokens", json={"name": "script"}, headers=headers)
    assert first["token"] != second["token"]


def test_a_token_calls_as_its_user_without_our_header(api: Api) -> None:
    script = with_token(api, make(api.admin))
    assert script.get("/session").json()["name"] == "admin"
    assert script.post("/groups", json={"name": "crew"}).status_code == 201
    assert api.admin.ok("get", "/audit?action=group.create")["items"][0]["actor_kind"] == "token"


def test_a_wrong_or_mangled_token_is_nobody(api: Api) -> None:
    token = make(api.admin)
    assert_refused(with_token(api, token + "x").get("/session"), 401, "token_invalid")
    wrong_scheme = {"Authorization": f"Basic {token}"}
    assert_refused(api.nobody.get("/session", headers=wrong_scheme), 401, "unauthenticated")


def test_a_wrong_token_is_not_saved_by_a_good_cookie(api: Api) -> None:
    answer = api.admin.get("/session", headers={"Authorization": "Bearer tm_wrong"})
    assert_refused(answer, 401, "token_invalid")


def test_a_token_expires_after_its_days(api: Api) -> None:
    hands = Hands(api.app)
    script = with_token(api, make(api.admin, days=2))
    hands.turn(days=1.9)
    assert script.get("/session").status_code == 200
    hands.turn(days=0.2)
    assert_refused(script.get("/session"), 401, "token_expired")


def test_a_token_is_limited_to_its_scopes(api: Api) -> None:
    script = with_token(api, make(api.admin, scopes=["user.read"]))
    assert script.get("/users").status_code == 200
    assert_refused(script.get("/groups"), 403, "forbidden_permission")
    assert_refused(script.delete("/users/admin"), 403, "forbidden_permission")
    assert script.get("/session").json()["permissions"] == ["user.read"]


def test_a_token_never_may_more_than_its_user(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann", project="tides", role="viewer")
    script = with_token(api, make(ann, scopes=["user.read", "algorithm.write", "project.read", "project.update"]))
    assert_refused(script.get("/users"), 403, "forbidden_permission")
    assert script.get("/projects/tides").status_code == 200
    assert_refused(script.patch("/projects/tides", json={"description": "x"}), 403, "forbidden_permission")


def test_a_token_of_one_project_sees_no_other_and_nothing_of_the_platform(api: Api) -> None:
    api.project("tides")
    api.project("others")
    script = with_token(api, make(api.admin, project="tides"))
    assert script.get("/projects/tides").status_code == 200
    assert_refused(script.get("/projects/others"), 404, "project_not_found")
    assert_refused(script.get("/projects/public"), 404, "project_not_found")
    assert_refused(script.get("/users"), 403, "forbidden_permission")
    assert [row["name"] for row in script.get("/projects").json()["items"]] == ["tides"]
    assert [row["name"] for row in script.get("/session").json()["projects"]] == ["tides"]


def test_scopes_must_be_permissions_there_are(api: Api) -> None:
    answer = api.admin.post("/me/tokens", json={"name": "x", "scopes": ["user.read", "moon.fly"]})
    error = assert_refused(answer, 422, "permission_unknown", field="scopes")
    assert "moon.fly" in error["message"]


def test_a_token_for_a_project_one_does_not_know_of_is_refused(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann")
    answer = ann.post("/me/tokens", json={"name": "x", "project": "tides"})
    assert_refused(answer, 404, "project_not_found", field="project")


def test_a_token_cannot_make_one_that_may_more_than_itself(api: Api) -> None:
    api.project("tides")
    scoped = with_token(api, make(api.admin, scopes=["user.read", "group.read"]))
    for scopes in ([], ["user.write"], ["user.read", "user.write"]):
        answer = scoped.post("/me/tokens", json={"name": "x", "scopes": scopes})
        assert_refused(answer, 403, "token_beyond_caller", field="scopes")
    assert scoped.post("/me/tokens", json={"name": "x", "scopes": ["user.read"]}).status_code == 201
    bound = with_token(api, make(api.admin, project="tides"))
    assert_refused(bound.post("/me/tokens", json={"name": "x"}), 403, "token_beyond_caller", field="project")
    assert_refused(bound.post("/me/tokens", json={"name": "x", "project": "public"}), 404, "project_not_found")
    assert bound.post("/me/tokens", json={"name": "x", "project": "tides"}).status_code == 201
    short = with_token(api, make(api.admin, days=1))
    for days in (None, 2):
        answer = short.post("/me/tokens", json={"name": "x", "days": days})
        assert_refused(answer, 403, "token_beyond_caller", field="days")


def test_a_voided_token_is_nobody_at_once(api: Api) -> None:
    created = api.admin.ok("post", "/me/tokens", json={"name": "script"})
    assert api.admin.delete(f"/me/tokens/{created['id']}").status_code == 204
    assert_refused(with_token(api, created["token"]).get("/session"), 401, "token_invalid")
    assert_refused(api.admin.delete(f"/me/tokens/{created['id']}"), 404, "token_not_found")
    assert actions(api, target_kind="token") == ["token.delete", "token.create"]


def test_a_limited_token_voids_itself_and_no_other(api: Api) -> None:
    limited = api.admin.ok("post", "/me/tokens", json={"name": "a", "scopes": ["user.read"]})
    other = api.admin.ok("post", "/me/tokens", json={"name": "b"})
    script = with_token(api, limited["token"])
    assert_refused(script.delete(f"/me/tokens/{other['id']}"), 403, "token_beyond_caller")
    assert script.delete(f"/me/tokens/{limited['id']}").status_code == 204


def test_nobody_sees_or_voids_the_tokens_of_others(api: Api) -> None:
    eve = api.user("eve")
    created = api.admin.ok("post", "/me/tokens", json={"name": "script"})
    assert eve.ok("get", "/me/tokens")["items"] == []
    assert_refused(eve.delete(f"/me/tokens/{created['id']}"), 404, "token_not_found")


def test_use_is_noted_once_a_minute(api: Api) -> None:
    hands = Hands(api.app)
    script = with_token(api, make(api.admin))
    script.get("/session")
    first = api.admin.ok("get", "/me/tokens")["items"][0]["last_used_at"]
    hands.turn(seconds=30)
    script.get("/session")
    assert api.admin.ok("get", "/me/tokens")["items"][0]["last_used_at"] == first
    hands.turn(seconds=31)
    script.get("/session")
    assert api.admin.ok("get", "/me/tokens")["items"][0]["last_used_at"] > first
