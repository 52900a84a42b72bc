"""Reading the audit log."""

from datetime import timedelta

import pytest

from tests.accounts.people import Hands
from tests.answers import assert_refused
from tests.conftest import Api


def test_a_row_says_who_what_when_and_from_where(api: Api) -> None:
    answer = api.admin.post("/projects", json={"name": "tides"})
    (row,) = api.admin.ok("get", "/audit?action=project.create&actor=admin")["items"]
    assert (row["actor"], row["actor_kind"], row["address"]) == ("admin", "session", "testclient")
    assert (row["target_kind"], row["target_id"], row["target_name"]) == ("project", answer.json()["id"], "tides")
    assert row["project"] == "tides"
    assert row["request_id"] == answer.headers["X-Request-Id"]
    assert row["before"] is None
    assert row["after"]["name"] == "tides"
    assert row["at"] == row["created_at"]
    assert row["created_by"] == "admin"


def test_owners_see_their_projects_log_and_no_other(api: Api) -> None:
    for name in ("tides", "others"):
        api.project(name)
    owner = api.user("ann", project="tides", role="owner")
    rows = owner.ok("get", "/projects/tides/audit")["items"]
    assert {row["project"] for row in rows} == {"tides"}
    assert {row["action"] for row in rows} == {"project.create", "member.create"}
    assert_refused(owner.get("/projects/others/audit"), 404, "project_not_found")
    assert_refused(owner.get("/audit"), 403, "forbidden_permission")
    member = api.user("bob", project="tides")
    assert_refused(member.get("/projects/tides/audit"), 403, "forbidden_permission")


def test_search_and_filters(api: Api) -> None:
    hands = Hands(api.app)
    api.project("tides")
    noon = hands.turn(hours=1)
    hands.turn(hours=1)
    api.admin.ok("post", "/groups", json={"name": "Crew"})
    api.admin.ok("patch", "/projects/tides", json={"description": "x"})

    def found(**query: str) -> list[str]:
        return [row["action"] for row in api.admin.ok("get", "/audit", params=query)["items"]]

    assert found(action="project.*", actor="admin") == ["project.update", "project.create"]
    assert found(action="project.update") == ["project.update"]
    assert found(q="CREW") == ["group.create"]
    assert found(q="group.cr") == ["group.create"]
    assert found(target_kind="group") == ["group.create"]
    assert found(since=noon.isoformat()) == ["project.update", "group.create"]
    assert "project.create" in found(until=noon.isoformat())
    assert "group.create" not in found(until=noon.isoformat())
    assert found(since=(noon + timedelta(days=1)).isoformat()) == []
    assert found(actor="nobody") == []


@pytest.mark.parametrize("moment", ["yesterday", "2026-01-31T08:00:00", "0001-01-01T00:00:00+14:00"])
def test_a_time_without_zone_or_sense_is_refused(api: Api, moment: str) -> None:
    error = assert_refused(api.admin.get("/audit", params={"since": moment}), 422, "invalid", field="since")
    assert error["details"][0]["code"] == "field_time"


def test_the_log_is_paged_newest_first_without_gaps(api: Api) -> None:
    for n in range(7):
        api.admin.ok("post", "/groups", json={"name": f"group-{n}"})
    names: list[str] = []
    cursor = ""
    while True:
        page = api.admin.ok("get", f"/audit?target_kind=group&limit=3{cursor}")
        names += [row["target_name"] for row in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert names == [f"group-{n}" for n in reversed(range(7))]


def test_what_was_refused_left_no_row(api: Api) -> None:
    before = api.admin.ok("get", "/audit")["total"]
    assert_refused(api.admin.post("/projects", json={"name": "public"}), 409, "name_taken")
    assert_refused(api.admin.delete("/projects/public"), 409, "project_public")
    assert api.admin.ok("get", "/audit")["total"] == before
