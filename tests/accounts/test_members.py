"""Members of a project and the roles they are given."""

import threading

import pytest

from tests.accounts.people import actions, with_token
from tests.answers import assert_refused
from tests.conftest import Api, Person


@pytest.fixture
def tides(api: Api) -> str:
    return api.project("tides")


def membership(api: Api, project: str, name: str) -> str:
    found = api.admin.ok("get", f"/projects/{project}/members", params={"q": name})["items"]
    return str(next(row["id"] for row in found if row["name"] == name))


def test_an_owner_adds_changes_and_removes_members(api: Api, tides: str) -> None:
    owner, bob = api.user("ann", project=tides, role="owner"), api.user("bob")
    added = owner.ok("post", "/projects/tides/members", json={"user": "bob", "role": "viewer"})
    assert (added["name"], added["subject_kind"], added["role"]["name"]) == ("bob", "user", "viewer")
    assert bob.get("/projects/tides").status_code == 200
    assert_refused(bob.post("/projects/tides/members", json={}), 403, "forbidden_permission")
    changed = owner.ok("patch", f"/projects/tides/members/{added['id']}", json={"role": "member"})
    assert changed["role"]["name"] == "member"
    assert owner.delete(f"/projects/tides/members/{added['id']}").status_code == 204
    assert_refused(bob.get("/projects/tides"), 404, "project_not_found")
    log = owner.ok("get", "/projects/tides/audit?target_kind=member")["items"]
    assert [row["action"] for row in log][:3] == ["member.delete", "member.update", "member.create"]
    assert (log[1]["before"], log[1]["after"]) == ({"role": "viewer"}, {"role": "member"})


def test_a_member_is_a_user_or_a_group_and_only_once(api: Api, tides: str) -> None:
    api.user("ann", project=tides)
    path = "/projects/tides/members"
    for body in ({"role": "member"}, {"role": "member", "user": "ann", "group": "x"}):
        assert_refused(api.admin.post(path, json=body), 422, "member_one_subject")
    assert_refused(api.admin.post(path, json={"user": "ann", "role": "viewer"}), 409, "member_already", field="user")
    assert_refused(api.admin.post(path, json={"user": "none", "role": "viewer"}), 404, "user_not_found")
    assert_refused(api.admin.post(path, json={"group": "none", "role": "viewer"}), 404, "group_not_found")
    assert_refused(api.admin.post(path, json={"user": "admin", "role": "none"}), 404, "role_not_found")


def test_the_administrators_role_is_not_given_in_a_project(api: Api, tides: str) -> None:
    api.user("ann")
    answer = api.admin.post("/projects/tides/members", json={"user": "ann", "role": "administrator"})
    assert_refused(answer, 422, "role_of_platform", field="role")


def test_nobody_gives_a_role_that_may_more_than_themselves(api: Api, tides: str) -> None:
    api.admin.ok("post", "/roles", json={"name": "recruiter", "permissions": ["member.read", "member.write"]})
    recruiter = api.user("ann", project=tides, role="recruiter")
    api.user("bob")
    path = "/projects/tides/members"
    for role in ("owner", "member"):
        error = assert_refused(
            recruiter.post(path, json={"user": "bob", "role": role}), 403, "role_beyond_caller", field="role"
        )
        assert "algorithm.write" in error["message"]
    own = membership(api, tides, "ann")
    assert_refused(recruiter.patch(f"{path}/{own}", json={"role": "owner"}), 403, "role_beyond_caller")
    api.admin.ok("post", "/roles", json={"name": "guest", "permissions": []})
    assert recruiter.post(path, json={"user": "bob", "role": "guest"}).status_code == 201


def test_nobody_changes_or_removes_a_member_who_may_more_than_themselves(api: Api, tides: str) -> None:
    api.admin.ok("post", "/roles", json={"name": "recruiter", "permissions": ["member.read", "member.write"]})
    recruiter = api.user("ann", project=tides, role="recruiter")
    api.user("bob", project=tides, role="owner")
    path = f"/projects/tides/members/{membership(api, tides, 'bob')}"
    assert_refused(recruiter.delete(path), 403, "role_beyond_caller")
    assert_refused(recruiter.patch(path, json={"role": "recruiter"}), 403, "role_beyond_caller")


def test_an_owner_with_a_narrow_token_gives_no_more_than_the_token_may(api: Api, tides: str) -> None:
    owner = api.user("ann", project=tides, role="owner")
    api.user("bob")
    scopes = ["member.write", "project.read"]
    token = owner.ok("post", "/me/tokens", json={"name": "x", "scopes": scopes})["token"]
    answer = with_token(api, token).post("/projects/tides/members", json={"user": "bob", "role": "owner"})
    assert_refused(answer, 403, "role_beyond_caller")


def test_the_last_owner_stays_unless_an_administrator_says_so(api: Api, tides: str) -> None:
    owner = api.user("ann", project=tides, role="owner")
    api.admin.ok("delete", f"/projects/tides/members/{membership(api, tides, 'admin')}")
    path = f"/projects/tides/members/{membership(api, tides, 'ann')}"
    assert_refused(owner.delete(path), 409, "last_owner")
    assert_refused(owner.patch(path, json={"role": "viewer"}), 409, "last_owner")
    assert owner.patch(path, json={"role": "owner"}).status_code == 200
    assert api.admin.delete(path).status_code == 204


def test_a_disabled_owner_or_an_empty_group_of_owners_does_not_count(api: Api, tides: str) -> None:
    owner = api.user("ann", project=tides, role="owner")
    api.user("bob", project=tides, role="owner")
    api.admin.ok("delete", f"/projects/tides/members/{membership(api, tides, 'admin')}")
    api.admin.ok("patch", "/users/bob", json={"disabled": True})
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "owner"})
    path = f"/projects/tides/members/{membership(api, tides, 'ann')}"
    assert_refused(owner.delete(path), 409, "last_owner")
    api.user("cat")
    api.admin.ok("put", "/groups/crew/members/cat")
    assert owner.delete(path).status_code == 204


def test_two_owners_cannot_leave_at_once(api: Api, tides: str) -> None:
    people = [api.user(name, project=tides, role="owner") for name in ("ann", "bob")]
    api.admin.ok("delete", f"/projects/tides/members/{membership(api, tides, 'admin')}")
    paths = [f"/projects/tides/members/{membership(api, tides, person.name)}" for person in people]
    start = threading.Barrier(2)
    statuses: list[int] = []

    def leave(person: Person, path: str) -> None:
        start.wait()
        statuses.append(person.delete(path).status_code)

    threads = [threading.Thread(target=leave, args=pair) for pair in zip(people, paths, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [204, 409]


def test_an_annotator_only_gets_roles_for_annotating_and_reviewing(api: Api, tides: str) -> None:
    api.user("ann", kind="annotator")
    answer = api.admin.post("/projects/tides/members", json={"user": "ann", "role": "member"})
    assert_refused(answer, 422, "role_beyond_annotator", field="role")
    api.admin.ok("post", "/projects/tides/members", json={"user": "ann", "role": "reviewer"})


def test_an_annotator_in_a_group_still_only_annotates_and_reviews(api: Api, tides: str) -> None:
    ann = api.user("ann", kind="annotator")
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("put", "/groups/crew/members/ann")
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "owner"})
    assert ann.get("/projects/tides").status_code == 200
    assert_refused(ann.patch("/projects/tides", json={"description": "x"}), 403, "forbidden_permission")


def test_members_are_searched_sorted_and_paged(api: Api, tides: str) -> None:
    for name in ("cat", "ann", "bob"):
        api.user(name, project=tides)
    page = api.admin.ok("get", "/projects/tides/members?limit=2")
    assert [row["name"] for row in page["items"]] == ["admin", "ann"]
    rest = api.admin.ok("get", f"/projects/tides/members?limit=2&cursor={page['next']}")
    assert [row["name"] for row in rest["items"]] == ["bob", "cat"]
    newest = api.admin.ok("get", "/projects/tides/members?sort=-created_at&limit=1")["items"]
    assert newest[0]["name"] == "bob"
    assert api.admin.ok("get", "/projects/tides/members?q=CA")["total"] == 1


def test_candidates_are_users_and_groups_who_are_not_members_yet(api: Api, tides: str) -> None:
    owner = api.user("ann", project=tides, role="owner")
    for name in ("bob", "off"):
        api.user(name)
    api.admin.ok("patch", "/users/off", json={"disabled": True})
    api.admin.ok("post", "/groups", json={"name": "crew"})
    found = owner.ok("get", "/projects/tides/candidates")["items"]
    assert [(row["subject_kind"], row["name"]) for row in found] == [("group", "crew"), ("user", "bob")]
    assert [row["name"] for row in owner.ok("get", "/projects/tides/candidates?q=bo")["items"]] == ["bob"]
    viewer = api.user("eve", project=tides, role="viewer")
    assert_refused(viewer.get("/projects/tides/candidates"), 403, "forbidden_permission")


def test_memberships_of_other_projects_are_out_of_reach(api: Api, tides: str) -> None:
    api.project("others")
    owner = api.user("ann", project=tides, role="owner")
    foreign = membership(api, "others", "admin")
    assert_refused(owner.delete(f"/projects/tides/members/{foreign}"), 404, "member_not_found")
    assert_refused(owner.patch(f"/projects/tides/members/{foreign}", json={"role": "viewer"}), 404, "member_not_found")
    assert "member.delete" not in actions(api)
