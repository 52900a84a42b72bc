"""Users, as administrators manage them."""

import threading

from tests.accounts.people import actions, sign_in, with_token
from tests.answers import assert_refused
from tests.conftest import USER_PASSWORD, Api, Person

NEW_USER = {"name": "ann", "password": USER_PASSWORD, "mail": "ann@example.org", "display_name": "Ann Lee"}


def test_a_user_is_made_listed_changed_and_deleted(api: Api) -> None:
    created = api.admin.ok("post", "/users", json=NEW_USER)
    assert (created["name"], created["kind"], created["created_by"]) == ("ann", "member", "admin")
    assert created["must_change_password"]
    assert created["last_seen_at"] is None
    assert api.admin.ok("get", f"/users/{created['id']}") == api.admin.ok("get", "/users/ANN") == created
    changed = api.admin.ok("patch", "/users/ann", json={"display_name": "Ann"})
    assert changed["display_name"] == "Ann"
    assert api.admin.delete("/users/ann").status_code == 204
    assert_refused(api.admin.get("/users/ann"), 404, "user_not_found")
    assert actions(api, target_kind="user")[:3] == ["user.delete", "user.update", "user.create"]


def test_the_audit_log_has_what_changed_and_no_password(api: Api) -> None:
    api.admin.ok("post", "/users", json=NEW_USER)
    api.admin.ok("patch", "/users/ann", json={"kind": "annotator"})
    row = api.admin.ok("get", "/audit?action=user.update")["items"][0]
    assert (row["before"]["kind"], row["after"]["kind"]) == ("member", "annotator")
    assert USER_PASSWORD not in str(api.admin.ok("get", "/audit"))
    assert "argon2" not in str(api.admin.ok("get", "/audit"))


def test_names_are_one_of_a_kind_whatever_the_case_even_after_deleting(api: Api) -> None:
    api.admin.ok("post", "/users", json=NEW_USER)
    taken = {**NEW_USER, "name": "ANN"}
    assert_refused(api.admin.post("/users", json=taken), 409, "name_taken", field="name")
    api.admin.ok("delete", "/users/ann")
    assert_refused(api.admin.post("/users", json=taken), 409, "name_taken", field="name")


def test_the_first_password_obeys_the_rule(api: Api) -> None:
    answer = api.admin.post("/users", json={**NEW_USER, "password": "short"})
    assert_refused(answer, 422, "password_length", field="password")


def test_search_looks_in_names_and_mail_whatever_the_case(api: Api) -> None:
    api.admin.ok("post", "/users", json={**NEW_USER, "display_name": "Élise 李雷"})
    api.admin.ok("post", "/users", json={"name": "bob", "password": USER_PASSWORD})
    for q in ("AN", "élise", "李", "EXAMPLE.org"):
        assert [row["name"] for row in api.admin.ok("get", "/users", params={"q": q})["items"]] == ["ann"], q
    assert api.admin.ok("get", "/users", params={"q": "%"})["items"] == []


def test_lists_are_sorted_filtered_and_paged(api: Api) -> None:
    for name in ("dan", "bob", "cat"):
        api.admin.ok("post", "/users", json={"name": name, "password": USER_PASSWORD, "kind": "annotator"})
    page = api.admin.ok("get", "/users?kind=annotator&limit=2&sort=-name")
    assert [row["name"] for row in page["items"]] == ["dan", "cat"]
    assert page["total"] == 3
    rest = api.admin.ok("get", f"/users?kind=annotator&limit=2&sort=-name&cursor={page['next']}")
    assert [row["name"] for row in rest["items"]] == ["bob"]
    assert rest["next"] is None
    seen = api.admin.ok("get", "/users?sort=-last_seen_at&limit=3")
    assert seen["items"][0]["name"] == "admin"
    more = api.admin.ok("get", f"/users?sort=-last_seen_at&limit=3&cursor={seen['next']}")
    assert len({row["name"] for row in seen["items"] + more["items"]}) == 4


def test_projects_are_counted_once_each_and_only_live_ones(api: Api) -> None:
    for name in ("one", "two", "gone"):
        api.project(name)
    api.user("ann", project="one")
    api.admin.ok("post", "/projects/gone/members", json={"user": "ann", "role": "member"})
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("put", "/groups/crew/members/ann")
    for project in ("one", "two"):
        api.admin.ok("post", f"/projects/{project}/members", json={"group": "crew", "role": "viewer"})
    api.admin.ok("delete", "/projects/gone")
    assert api.admin.ok("get", "/users/ann")["projects_count"] == 2


def test_disabling_ends_sessions_and_tokens_at_once_and_for_good(api: Api) -> None:
    ann = api.user("ann")
    script = with_token(api, ann.ok("post", "/me/tokens", json={"name": "script"})["token"])
    api.admin.ok("patch", "/users/ann", json={"disabled": True})
    assert_refused(ann.get("/session"), 401, "unauthenticated")
    assert script.get("/session").status_code == 401
    api.admin.ok("patch", "/users/ann", json={"disabled": False})
    assert_refused(ann.get("/session"), 401, "unauthenticated")
    assert script.get("/session").status_code == 401
    assert sign_in(api, "ann").status_code == 200


def test_deleting_ends_everything(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann", project="tides")
    script = with_token(api, ann.ok("post", "/me/tokens", json={"name": "script"})["token"])
    api.admin.ok("delete", "/users/ann")
    assert ann.get("/session").status_code == 401
    assert script.get("/session").status_code == 401
    assert_refused(sign_in(api, "ann"), 401, "sign_in_failed")
    assert [row["name"] for row in api.admin.ok("get", "/projects/tides/members")["items"]] == ["admin"]


def test_a_reset_password_ends_sessions_and_tokens_and_must_be_changed(api: Api) -> None:
    ann = api.user("ann")
    script = with_token(api, ann.ok("post", "/me/tokens", json={"name": "script"})["token"])
    answer = api.admin.post("/users/ann/password", json={"new_password": "reset-by-admin"})
    assert answer.status_code == 204
    assert ann.get("/session").status_code == 401
    assert script.get("/session").status_code == 401
    assert sign_in(api, "ann", "reset-by-admin").json()["must_change_password"]
    assert_refused(
        api.admin.post("/users/ann/password", json={"new_password": "x"}), 422, "password_length", field="new_password"
    )


def test_an_administrator_signs_a_user_out_everywhere(api: Api) -> None:
    ann = api.user("ann")
    (listed,) = api.admin.ok("get", "/users/ann/sessions")["items"]
    assert listed["current"] is False
    assert api.admin.delete("/users/ann/sessions").status_code == 204
    assert ann.get("/session").status_code == 401
    assert "user.end_sessions" in actions(api)


def test_a_mail_changed_by_an_administrator_signs_the_user_out(api: Api) -> None:
    ann = api.user("ann")
    api.admin.ok("patch", "/users/ann", json={"mail": ""})
    assert ann.get("/session").status_code == 200, "nothing changed"
    api.admin.ok("patch", "/users/ann", json={"mail": "ann@example.org"})
    assert ann.get("/session").status_code == 401


def test_the_last_administrator_stays(api: Api) -> None:
    for patch in ({"kind": "member"}, {"disabled": True}):
        assert_refused(api.admin.patch("/users/admin", json=patch), 409, "last_administrator")
    second = api.user("second", kind="administrator")
    api.admin.ok("patch", "/users/second", json={"disabled": True})
    assert_refused(api.admin.patch("/users/admin", json={"kind": "member"}), 409, "last_administrator")
    api.admin.ok("patch", "/users/second", json={"disabled": False})
    assert second.get("/session").status_code == 401
    assert api.admin.patch("/users/admin", json={"kind": "member"}).status_code == 200
    assert_refused(api.admin.get("/users"), 403, "forbidden_permission")


def test_nobody_deletes_themselves(api: Api) -> None:
    api.user("second", kind="administrator")
    assert_refused(api.admin.delete("/users/admin"), 409, "user_is_self")


def test_two_administrators_cannot_remove_each_other_at_once(api: Api) -> None:
    second = api.user("second", kind="administrator")
    start = threading.Barrier(2)
    statuses: list[int] = []

    def demote(person: Person, other: str) -> None:
        start.wait()
        statuses.append(person.patch(f"/users/{other}", json={"kind": "member"}).status_code)

    threads = [
        threading.Thread(target=demote, args=(api.admin, "second")),
        threading.Thread(target=demote, args=(second, "admin")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) in ([200, 403], [200, 409])


def test_members_may_not_manage_users(api: Api) -> None:
    ann = api.user("ann")
    assert_refused(ann.get("/users"), 403, "forbidden_permission")
    assert_refused(ann.post("/users", json={**NEW_USER, "name": "eve"}), 403, "forbidden_permission")
    assert_refused(ann.patch("/users/ann", json={"kind": "administrator"}), 403, "forbidden_permission")


def test_a_refused_caller_costs_no_hash(api: Api, monkeypatch: object) -> None:
    ann = api.user("ann")

    def fail(*_: object, **__: object) -> str:
        raise AssertionError("hashed for somebody who may not make users")

    monkeypatch.setattr(api.app.state.passwords, "hash_new", fail)  # type: ignore[attr-defined]
    assert_refused(ann.post("/users", json={**NEW_USER, "name": "eve"}), 403, "forbidden_permission")
