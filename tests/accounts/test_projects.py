"""Projects: made, changed, deleted, brought back."""

import pytest
import sqlalchemy as sa

from tests.accounts.people import Hands, actions, with_token
from tests.answers import assert_refused
from tests.conftest import ADMIN_PASSWORD, Api, Person
from tidemill.accounts.projects import list_expired_projects, remove_project
from tidemill.accounts.tables import MembershipRow, ProjectRow, TokenRow
from tidemill.kernel.errors import Conflict
from tidemill.kernel.settings import Settings

QUOTA = {"cpu": 12.5, "memory_bytes": 2**40, "accelerators": {"enflame.com/dtu": 4}}


def test_whoever_makes_a_project_owns_it(api: Api) -> None:
    created = api.admin.ok(
        "post", "/projects", json={"name": "tides", "description": "d", "storage_limit_bytes": 10, "quota": QUOTA}
    )
    assert (created["name"], created["description"], created["storage_limit_bytes"]) == ("tides", "d", 10)
    assert created["quota"] == QUOTA
    assert (created["members_count"], created["storage_used_bytes"], created["assets_count"]) == (1, 0, 0)
    (owner,) = api.admin.ok("get", "/projects/tides/members")["items"]
    assert (owner["name"], owner["role"]["name"]) == ("admin", "owner")
    assert api.admin.ok("get", f"/projects/{created['id']}") == api.admin.ok("get", "/projects/TIDES")


def test_only_administrators_make_projects(api: Api) -> None:
    ann = api.user("ann")
    assert_refused(ann.post("/projects", json={"name": "mine"}), 403, "forbidden_permission")


@pytest.mark.parametrize(
    ("quota", "field"),
    [
        ({"cpu": -1}, "quota.cpu"),
        ({"cpu": "many"}, "quota.cpu"),
        ({"memory_bytes": 1.5}, "quota.memory_bytes"),
        ({"memory_bytes": 2**60}, "quota.memory_bytes"),
        ({"accelerators": {"gpu": -1}}, "quota.accelerators.gpu"),
        ({"accelerators": {"": 1}}, "quota.accelerators."),
        ({"accelerators": {"a b": 1}}, "quota.accelerators.a b"),
        ({"accelerators": {f"gpu-{n}": 1 for n in range(51)}}, "quota.accelerators"),
        ({"disks": 1}, "quota.disks"),
    ],
)
def test_a_quota_out_of_bounds_is_refused_at_its_field(api: Api, quota: dict[str, object], field: str) -> None:
    answer = api.admin.post("/projects", json={"name": "tides", "quota": quota})
    error = assert_refused(answer, 422, "invalid")
    assert error["field"].startswith(field)


def test_owners_change_the_description_and_administrators_the_rest(api: Api) -> None:
    api.project("tides")
    owner = api.user("ann", project="tides", role="owner")
    assert owner.ok("patch", "/projects/tides", json={"description": "new"})["description"] == "new"
    for patch in ({"name": "x"}, {"storage_limit_bytes": None}, {"quota": QUOTA}):
        (field,) = patch
        assert_refused(owner.patch("/projects/tides", json=patch), 403, "project_managed_fields", field=field)
    changed = api.admin.ok(
        "patch", "/projects/tides", json={"name": "Tides 2", "storage_limit_bytes": 5, "quota": QUOTA}
    )
    assert (changed["name"], changed["storage_limit_bytes"], changed["quota"]) == ("Tides 2", 5, QUOTA)
    assert api.admin.ok("patch", "/projects/tides 2", json={"storage_limit_bytes": None})["storage_limit_bytes"] is None
    row = api.admin.ok("get", "/audit?action=project.update")["items"][1]
    assert (row["before"]["name"], row["after"]["name"], row["project"]) == ("tides", "Tides 2", "Tides 2")


def test_a_patch_that_changes_nothing_leaves_no_trace(api: Api) -> None:
    api.project("tides")
    before = api.admin.ok("get", "/projects/tides")
    assert api.admin.ok("patch", "/projects/tides", json={"description": ""}) == before
    assert "project.update" not in actions(api)


def test_members_see_their_projects_and_the_public_one_and_no_other(api: Api) -> None:
    for name in ("tides", "others"):
        api.project(name)
    ann = api.user("ann", project="tides")
    assert [row["name"] for row in ann.ok("get", "/projects")["items"]] == ["public", "tides"]
    assert_refused(ann.get("/projects/others"), 404, "project_not_found")
    assert_refused(ann.get("/projects?all=true"), 403, "forbidden_permission")
    assert_refused(ann.get("/projects?deleted=true"), 403, "forbidden_permission")
    everything = api.admin.ok("get", "/projects?all=true")
    assert [row["name"] for row in everything["items"]] == ["others", "public", "tides"]


def test_a_project_that_is_not_there_and_one_that_is_not_yours_get_the_same_answer(api: Api) -> None:
    api.project("secret")
    ann = api.user("ann")
    hidden = assert_refused(ann.get("/projects/secret"), 404, "project_not_found")
    absent = assert_refused(ann.get("/projects/absent"), 404, "project_not_found")
    assert hidden["message"].replace("secret", "") == absent["message"].replace("absent", "")


def test_each_row_says_what_the_caller_may_do_there(api: Api) -> None:
    api.project("one")
    api.project("two")
    ann = api.user("ann", project="one", role="owner")
    api.admin.ok("post", "/projects/two/members", json={"user": "ann", "role": "viewer"})
    may = {row["name"]: set(row["permissions"]) for row in ann.ok("get", "/projects")["items"]}
    assert "member.write" in may["one"]
    assert "member.write" not in may["two"]
    assert "project.update" not in may["public"]


def test_search_sort_and_pages(api: Api) -> None:
    for name in ("Delta", "alpha", "Beta", "betamax"):
        api.project(name)
    assert [row["name"] for row in api.admin.ok("get", "/projects?q=BETA")["items"]] == ["Beta", "betamax"]
    names: list[str] = []
    cursor = ""
    while True:
        page = api.admin.ok("get", f"/projects?all=true&limit=2&sort=-created_at{cursor}")
        names += [row["name"] for row in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert names == ["betamax", "Beta", "alpha", "Delta", "public"]


def test_names_are_one_of_a_kind_among_live_projects(api: Api) -> None:
    api.project("tides")
    api.project("others")
    assert_refused(api.admin.post("/projects", json={"name": "TIDES"}), 409, "name_taken", field="name")
    assert_refused(api.admin.patch("/projects/others", json={"name": "Tides"}), 409, "name_taken", field="name")
    api.admin.ok("delete", "/projects/tides")
    api.project("tides")


def test_the_public_project_is_there_and_stays(api: Api) -> None:
    ann = api.user("ann")
    assert ann.ok("get", "/projects/public")["is_public"]
    assert_refused(ann.patch("/projects/public", json={"description": "x"}), 403, "forbidden_permission")
    assert_refused(api.admin.delete("/projects/public"), 409, "project_public")
    assert_refused(api.admin.patch("/projects/public", json={"name": "x"}), 409, "project_public", field="name")
    assert api.admin.ok("patch", "/projects/public", json={"description": "for all"})["description"] == "for all"
    body = {"user": "ann", "role": "owner"}
    assert_refused(api.admin.post("/projects/public/members", json=body), 409, "project_public_members")


def test_a_deleted_project_vanishes_for_members_and_can_be_brought_back(api: Api) -> None:
    created = api.admin.ok("post", "/projects", json={"name": "tides"})
    owner = api.user("ann", project="tides", role="owner")
    assert owner.delete("/projects/tides").status_code == 204
    assert_refused(owner.get("/projects/tides"), 404, "project_not_found")
    assert_refused(owner.post("/projects/tides/restore"), 404, "project_not_found")
    assert [row["name"] for row in owner.ok("get", "/projects")["items"]] == ["public"]
    assert [row["name"] for row in owner.ok("get", "/session")["projects"]] == ["public"]
    (deleted,) = api.admin.ok("get", "/projects?deleted=true")["items"]
    assert deleted["id"] == created["id"]
    assert deleted["deleted_at"]
    assert api.admin.ok("post", "/projects/tides/restore")["deleted_at"] is None
    assert owner.get("/projects/tides").status_code == 200
    assert actions(api, target_kind="project")[:2] == ["project.restore", "project.delete"]


def test_a_live_project_cannot_be_restored(api: Api) -> None:
    api.project("tides")
    assert_refused(api.admin.post("/projects/tides/restore"), 404, "project_not_found")


def test_restoring_where_the_name_is_taken_by_now_asks_for_another(api: Api) -> None:
    old = api.admin.ok("post", "/projects", json={"name": "tides"})
    api.admin.ok("delete", "/projects/tides")
    api.project("tides")
    answer = api.admin.post(f"/projects/{old['id']}/restore")
    assert_refused(answer, 409, "project_restore_name_taken", field="name")
    restored = api.admin.ok("post", f"/projects/{old['id']}/restore", json={"name": "old tides"})
    assert (restored["id"], restored["name"]) == (old["id"], "old tides")


def test_after_its_time_in_the_bin_a_project_is_gone(api: Api, settings: Settings) -> None:
    api.project("tides")
    hands = Hands(api.app)
    token = api.admin.ok("post", "/me/tokens", json={"name": "x", "project": "tides"})["token"]
    api.admin.ok("delete", "/projects/tides")
    assert_refused(with_token(api, token).get("/projects/tides"), 404, "project_not_found")
    hands.turn(days=settings.bin_days / 2)
    api.admin = Person(api.app, "admin", ADMIN_PASSWORD)
    with api.app.state.db.read() as session:
        assert list_expired_projects(session, now=hands.now, bin_days=settings.bin_days) == []
    hands.turn(days=settings.bin_days / 2 + 1)
    api.admin = Person(api.app, "admin", ADMIN_PASSWORD)
    assert_refused(api.admin.post("/projects/tides/restore"), 404, "project_not_found")
    assert api.admin.ok("get", "/projects?deleted=true")["items"] == []
    with api.app.state.db.write() as session:
        (expired,) = list_expired_projects(session, now=hands.now, bin_days=settings.bin_days)
        remove_project(session, expired.id)
    with api.app.state.db.read() as session:
        assert session.scalars(sa.select(ProjectRow.name)).all() == ["public"]
        assert session.scalars(sa.select(MembershipRow)).all() == []
        assert session.scalars(sa.select(TokenRow)).all() == []
    assert actions(api)[0] == "project.purge"


def test_a_live_project_is_never_removed_for_good(api: Api) -> None:
    project = api.admin.ok("post", "/projects", json={"name": "tides"})
    with pytest.raises(Conflict), api.app.state.db.write() as session:
        remove_project(session, project["id"])
    assert api.admin.get("/projects/tides").status_code == 200
