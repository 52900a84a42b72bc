"""Groups."""

from tests.accounts.people import actions
from tests.answers import assert_refused
from tests.conftest import Api


def test_a_group_gives_its_members_a_role_and_takes_it_away(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann")
    api.admin.ok("post", "/groups", json={"name": "crew", "description": "who sails"})
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "member"})
    assert_refused(ann.get("/projects/tides"), 404, "project_not_found")
    assert api.admin.put("/groups/crew/members/ann").status_code == 204
    assert ann.get("/projects/tides").status_code == 200
    assert [row["name"] for row in ann.ok("get", "/projects")["items"]] == ["public", "tides"]
    assert api.admin.delete("/groups/crew/members/ann").status_code == 204
    assert_refused(ann.get("/projects/tides"), 404, "project_not_found")


def test_a_deleted_group_takes_its_roles_with_it(api: Api) -> None:
    api.project("tides")
    ann = api.user("ann")
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("put", "/groups/crew/members/ann")
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "member"})
    api.admin.ok("delete", "/groups/crew")
    assert_refused(ann.get("/projects/tides"), 404, "project_not_found")
    assert api.admin.ok("get", "/audit?action=group.delete")["items"][0]["before"]["projects"] == ["tides"]


def test_counts_and_members_are_listed(api: Api) -> None:
    api.project("tides")
    for name in ("ann", "bob"):
        api.user(name)
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("post", "/groups", json={"name": "empty"})
    for name in ("bob", "ann", "ann"):
        api.admin.ok("put", f"/groups/crew/members/{name}")
    api.admin.ok("post", "/projects/tides/members", json={"group": "crew", "role": "viewer"})
    crew, empty = api.admin.ok("get", "/groups")["items"]
    assert (crew["name"], crew["members_count"], crew["projects_count"]) == ("crew", 2, 1)
    assert (empty["members_count"], empty["projects_count"]) == (0, 0)
    assert [row["name"] for row in api.admin.ok("get", "/groups/crew/members")["items"]] == ["ann", "bob"]
    assert [row["name"] for row in api.admin.ok("get", "/groups/crew/members?q=bo")["items"]] == ["bob"]
    assert [row["name"] for row in api.admin.ok("get", "/groups?q=EMP")["items"]] == ["empty"]
    assert actions(api).count("group.add_member") == 2, "adding again changes nothing"


def test_a_renamed_group_is_listed_under_its_new_name(api: Api) -> None:
    api.project("tides")
    api.admin.ok("post", "/groups", json={"name": "zebra"})
    api.admin.ok("post", "/projects/tides/members", json={"group": "zebra", "role": "viewer"})
    api.admin.ok("patch", "/groups/zebra", json={"name": "Aardvark", "description": "first"})
    members = api.admin.ok("get", "/projects/tides/members?sort=name")["items"]
    assert [row["name"] for row in members] == ["Aardvark", "admin"]
    assert api.admin.ok("get", "/projects/tides/members?q=aard")["total"] == 1


def test_names_are_one_of_a_kind(api: Api) -> None:
    api.admin.ok("post", "/groups", json={"name": "crew"})
    api.admin.ok("post", "/groups", json={"name": "team"})
    assert_refused(api.admin.post("/groups", json={"name": "CREW"}), 409, "name_taken", field="name")
    assert_refused(api.admin.patch("/groups/team", json={"name": "crew"}), 409, "name_taken", field="name")
    assert api.admin.ok("patch", "/groups/crew", json={"name": "Crew"})["name"] == "Crew"


def test_what_is_not_there_is_named(api: Api) -> None:
    assert_refused(api.admin.get("/groups/none"), 404, "group_not_found")
    api.admin.ok("post", "/groups", json={"name": "crew"})
    assert_refused(api.admin.put("/groups/crew/members/none"), 404, "user_not_found")
    assert_refused(api.admin.delete("/groups/crew/members/admin"), 404, "group_member_not_found")
