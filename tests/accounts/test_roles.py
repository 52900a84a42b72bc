"""Roles, built-in and made by administrators."""

import pytest

from tests.answers import assert_refused
from tests.conftest import Api
from tidemill.accounts.first_start import first_start
from tidemill.accounts.permissions import BUILTIN_ROLES, PLATFORM_PERMISSIONS, PROJECT_PERMISSIONS


def test_the_built_in_roles_are_there(api: Api) -> None:
    roles = {role["name"]: role for role in api.admin.ok("get", "/roles")["items"]}
    assert set(roles) == {"administrator", *BUILTIN_ROLES}
    assert all(role["builtin"] for role in roles.values())
    assert roles["administrator"]["scope"] == "platform"
    assert roles["administrator"]["members_count"] == 1
    assert {name: set(roles[name]["permissions"]) for name in BUILTIN_ROLES} == {
        name: set(permissions) for name, permissions in BUILTIN_ROLES.items()
    }


def test_everyone_may_see_roles_to_choose_from_but_not_change_them(api: Api) -> None:
    ann = api.user("ann")
    assert ann.ok("get", "/roles")["total"] == 6
    assert_refused(ann.post("/roles", json={"name": "x", "permissions": []}), 403, "forbidden_permission")
    assert_refused(ann.get("/roles/owner"), 403, "forbidden_permission")


def test_every_permission_is_listed_with_its_scope(api: Api) -> None:
    listed = api.admin.ok("get", "/permissions")
    assert len(listed) == len(PLATFORM_PERMISSIONS) + len(PROJECT_PERMISSIONS)
    assert {"permission": "model.delete", "resource": "model", "action": "delete", "scope": "project"} in listed


@pytest.mark.parametrize("role", [*BUILTIN_ROLES, "administrator"])
def test_a_built_in_role_cannot_be_changed_or_deleted(api: Api, role: str) -> None:
    assert_refused(api.admin.patch(f"/roles/{role}", json={"description": "x"}), 409, "role_builtin")
    assert_refused(api.admin.delete(f"/roles/{role}"), 409, "role_builtin")


def test_a_role_of_ones_own_is_made_changed_and_deleted(api: Api) -> None:
    created = api.admin.ok("post", "/roles", json={"name": "auditor", "permissions": ["audit.read"]})
    assert created["permissions"] == ["audit.read", "project.read"], "no role is of use without reading the project"
    changed = api.admin.ok("patch", "/roles/auditor", json={"name": "reader", "permissions": ["job.read"]})
    assert (changed["name"], changed["permissions"]) == ("reader", ["project.read", "job.read"])
    assert api.admin.delete("/roles/reader").status_code == 204
    assert_refused(api.admin.get("/roles/reader"), 404, "role_not_found")


def test_a_changed_role_counts_at_once(api: Api) -> None:
    api.project("tides")
    api.admin.ok("post", "/roles", json={"name": "auditor", "permissions": []})
    ann = api.user("ann", project="tides", role="auditor")
    assert_refused(ann.get("/projects/tides/audit"), 403, "forbidden_permission")
    api.admin.ok("patch", "/roles/auditor", json={"permissions": ["audit.read"]})
    assert ann.get("/projects/tides/audit").status_code == 200


def test_roles_hold_project_permissions_that_exist(api: Api) -> None:
    body = {"name": "x", "permissions": ["user.write", "job.read"]}
    error = assert_refused(api.admin.post("/roles", json=body), 422, "permission_of_platform", field="permissions")
    assert "user.write" in error["message"]
    body = {"name": "x", "permissions": ["moon.fly"]}
    assert_refused(api.admin.post("/roles", json=body), 422, "permission_unknown", field="permissions")


def test_a_role_in_use_is_not_deleted_and_says_where(api: Api) -> None:
    api.project("tides")
    api.admin.ok("post", "/roles", json={"name": "auditor", "permissions": ["audit.read"]})
    api.user("ann", project="tides", role="auditor")
    error = assert_refused(api.admin.delete("/roles/auditor"), 409, "role_in_use")
    assert error["details"] == [{"project": "tides", "kind": "user", "name": "ann"}]


def test_names_of_roles_are_one_of_a_kind(api: Api) -> None:
    assert_refused(api.admin.post("/roles", json={"name": "Owner", "permissions": []}), 409, "name_taken", field="name")


def test_built_in_roles_follow_the_code_at_every_start(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {**BUILTIN_ROLES, "viewer": frozenset({"project.read"})}
    monkeypatch.setattr("tidemill.accounts.first_start.BUILTIN_ROLES", fewer)
    first_start(api.app)
    assert api.admin.ok("get", "/roles/viewer")["permissions"] == ["project.read"]
    before = api.admin.ok("get", "/audit?action=role.sync")["total"]
    first_start(api.app)
    assert api.admin.ok("get", "/audit?action=role.sync")["total"] == before, "nothing to do the second time"
