"""The caller's own account."""

import pytest

from tests.accounts.people import actions, browser, sign_in, with_token
from tests.answers import assert_refused
from tests.conftest import ADMIN_PASSWORD, USER_PASSWORD, Api, Person
from tidemill.accounts.permissions import PLATFORM_PERMISSIONS
from tidemill.kernel.settings import Settings

NEW_PASSWORD = "a-new-password"


def test_a_member_sees_who_they_are_and_what_they_may_do_in_their_projects(api: Api) -> None:
    api.project("tides")
    api.project("others")
    ann = api.user("ann", project="tides", role="viewer")
    me = ann.ok("get", "/session")
    assert (me["name"], me["kind"], me["permissions"]) == ("ann", "member", [])
    by_name = {project["name"]: project for project in me["projects"]}
    assert set(by_name) == {"public", "tides"}
    assert by_name["tides"]["role_names"] == ["viewer"]
    assert "algorithm.read" in by_name["tides"]["permissions"]
    assert "algorithm.write" not in by_name["tides"]["permissions"]
    assert by_name["public"]["is_public"]
    assert set(by_name["public"]["permissions"]) == {
        "project.read", "algorithm.read", "model.read", "dataset.read", "image.read", "package.read",
    }  # fmt: skip


def test_an_administrator_holds_every_platform_permission_and_sees_all_projects(api: Api) -> None:
    api.user("ann")
    api.project("tides")
    me = api.admin.ok("get", "/session")
    assert me["permissions"] == list(PLATFORM_PERMISSIONS)
    assert [project["name"] for project in me["projects"]] == ["public", "tides"]


def test_roles_from_a_group_and_from_oneself_add_up(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann", project="tides", role="viewer")
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("put", "/groups/crew/members/ann")
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "member"})
    (tides,) = [project for project in ann.ok("get", "/session")["projects"] if project["name"] == "tides"]
    assert tides["role_names"] == ["member", "viewer"]
    assert "algorithm.write" in tides["permissions"]


def test_display_name_and_language_can_be_changed(api: Api) -> None:
    ann = api.user("ann")
    me = ann.ok("patch", "/me", json={"display_name": " Ann Lee ", "language": "zh-CN"})
    assert (me["display_name"], me["language"]) == ("Ann Lee", "zh-CN")
    assert ann.ok("patch", "/me", json={"language": None})["language"] is None
    assert ann.get("/session").status_code == 200, "still signed in"
    assert actions(api, actor="ann").count("user.update") == 2


def test_changing_ones_mail_ends_all_sessions(api: Api) -> None:
    ann = api.user("ann")
    elsewhere = Person(api.app, "ann", USER_PASSWORD)
    ann.ok("patch", "/me", json={"mail": "ann@example.org"})
    for person in (ann, elsewhere):
        assert_refused(person.get("/session"), 401, "unauthenticated")
    assert sign_in(api, "ann").json()["mail"] == "ann@example.org"


@pytest.mark.parametrize("mail", ["ann", "ann@", "@example.org", "a b@example.org", "ann@example", "ann@@example.org"])
def test_what_is_not_a_mail_address_is_refused(api: Api, mail: str) -> None:
    error = assert_refused(api.admin.patch("/me", json={"mail": mail}), 422, "invalid", field="mail")
    assert error["details"][0]["code"] == "mail_invalid"


def test_changing_the_password_ends_all_sessions_and_keeps_tokens(api: Api) -> None:
    ann = api.user("ann")
    elsewhere = Person(api.app, "ann", USER_PASSWORD)
    token = ann.ok("post", "/me/tokens", json={"name": "script"})["token"]
    body = {"old_password": USER_PASSWORD, "new_password": NEW_PASSWORD}
    assert ann.post("/me/password", json=body).status_code == 204
    for person in (ann, elsewhere):
        assert_refused(person.get("/session"), 401, "unauthenticated")
    assert_refused(sign_in(api, "ann"), 401, "sign_in_failed")
    assert sign_in(api, "ann", NEW_PASSWORD).status_code == 200
    assert with_token(api, token).get("/session").status_code == 200
    assert "user.change_password" in actions(api, actor="ann")


def test_the_old_password_must_be_right_and_guesses_are_counted(api: Api, settings: Settings) -> None:
    ann = api.user("ann")
    body = {"old_password": "wrong-password", "new_password": NEW_PASSWORD}
    for _ in range(settings.attempts_per_account_and_address):
        assert_refused(ann.post("/me/password", json=body), 422, "password_wrong", field="old_password")
    assert_refused(ann.post("/me/password", json=body), 429, "too_many_attempts")
    assert sign_in(api, "ann", NEW_PASSWORD).status_code == 429


def test_the_new_password_obeys_the_rule(api: Api, settings: Settings) -> None:
    ann = api.user("ann")
    for bad in ("short", "x" * (settings.password_max + 1)):
        answer = ann.post("/me/password", json={"old_password": USER_PASSWORD, "new_password": bad})
        error = assert_refused(answer, 422, "password_length", field="new_password")
        assert str(settings.password_min) in error["message"]
        assert str(settings.password_max) in error["message"]
    same = {"old_password": USER_PASSWORD, "new_password": USER_PASSWORD}
    assert_refused(ann.post("/me/password", json=same), 422, "password_unchanged", field="new_password")


def test_before_the_first_password_change_nothing_else_can_be_done(api: Api) -> None:
    api.admin.ok("post", "/users", json={"name": "ann", "password": USER_PASSWORD})
    client = browser(api)
    assert client.post("/session", json={"user": "ann", "password": USER_PASSWORD}).json()["must_change_password"]
    assert client.get("/session").status_code == 200
    assert_refused(client.get("/projects"), 403, "password_change_required")
    assert_refused(client.post("/me/tokens", json={"name": "x"}), 403, "password_change_required")
    body = {"old_password": USER_PASSWORD, "new_password": NEW_PASSWORD}
    assert client.post("/me/password", json=body).status_code == 204
    client.post("/session", json={"user": "ann", "password": NEW_PASSWORD})
    assert client.get("/projects").status_code == 200


def test_sessions_are_listed_and_can_be_ended_one_by_one(api: Api) -> None:
    ann = api.user("ann")
    other = browser(api, "10.1.2.3")
    other.post("/session", json={"user": "ann", "password": USER_PASSWORD}, headers={"User-Agent": "Other/1.0"})
    listed = ann.ok("get", "/me/sessions")["items"]
    assert [row["current"] for row in sorted(listed, key=lambda row: row["address"])] == [False, True]
    (elsewhere,) = [row for row in listed if not row["current"]]
    assert (elsewhere["address"], elsewhere["user_agent"]) == ("10.1.2.3", "Other/1.0")
    assert ann.delete(f"/me/sessions/{elsewhere['id']}").status_code == 204
    assert_refused(other.get("/session"), 401, "unauthenticated")
    assert ann.get("/session").status_code == 200
    assert_refused(ann.delete(f"/me/sessions/{elsewhere['id']}"), 404, "session_not_found")


def test_nobody_ends_the_sessions_of_others(api: Api) -> None:
    ann, eve = api.user("ann"), api.user("eve")
    (mine,) = ann.ok("get", "/me/sessions")["items"]
    assert_refused(eve.delete(f"/me/sessions/{mine['id']}"), 404, "session_not_found")
    assert ann.get("/session").status_code == 200


def test_an_api_token_cannot_take_the_account_over(api: Api) -> None:
    token = api.admin.ok("post", "/me/tokens", json={"name": "script"})["token"]
    script = with_token(api, token)
    body = {"old_password": ADMIN_PASSWORD, "new_password": NEW_PASSWORD}
    assert_refused(script.post("/me/password", json=body), 403, "session_required")
    assert_refused(script.patch("/me", json={"mail": "eve@example.org"}), 403, "session_required")
    assert_refused(script.delete("/session"), 403, "session_required")
