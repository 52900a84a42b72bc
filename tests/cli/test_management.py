import pytest

from tests.cli.conftest import USER_PASSWORD, Shell, make_user, unique


def test_a_project_is_made_shown_changed_deleted_and_restored(admin: Shell) -> None:
    name = unique("tides")
    admin.ok("project", "create", name, "--storage-limit", "2GB", "--cpu", "8", "--accelerator", "nvidia.com/gpu=4")
    shown = admin.json("project", "show", name)
    assert (shown["storage_limit_bytes"], shown["quota"]["cpu"]) == (2_000_000_000, 8)
    admin.ok(
        "project", "edit", name, "--memory", "4GiB", "--storage-limit", "none", "--accelerator", "nvidia.com/gpu=0"
    )
    quota = admin.json("project", "show", name)["quota"]
    assert quota == {"cpu": 8, "memory_bytes": 4 * 2**30, "accelerators": {}}
    assert admin.json("project", "show", name)["storage_limit_bytes"] is None
    assert "--yes" in admin.refused("project", "delete", name, code=2)
    admin.ok("project", "delete", name, "--yes")
    admin.refused("project", "show", name)
    assert name in admin.ok("project", "list", "--deleted", "-q", name)
    admin.ok("project", "restore", name)
    assert name in admin.ok("project", "list", "-q", name, "--everyones")


def test_a_broken_rule_names_the_rule(admin: Shell) -> None:
    err = admin.refused("project", "create", "a/b")
    assert "/" in err
    assert admin.run("project", "create", "x" * 51).code == 1


def test_lists_are_one_document_with_the_agreed_fields(admin: Shell) -> None:
    names = sorted(unique("many") for _ in range(3))
    for name in names:
        admin.ok("project", "create", name)
    page = admin.json("project", "list", "-q", "many-", "--limit", "2", "--sort", "name", "--everyones")
    assert {"items", "next", "total"} <= page.keys()
    assert {"id", "name", "created_at", "created_by"} <= page["items"][0].keys()
    rest = admin.json(
        "project", "list", "-q", "many-", "--limit", "2", "--sort", "name", "--everyones", "--cursor", page["next"]
    )
    assert [item["name"] for item in page["items"] + rest["items"]][:3] == names
    everything = admin.json("project", "list", "-q", "many-", "--limit", "2", "--all", "--everyones")
    assert (everything["next"], len(everything["items"])) == (None, everything["total"])
    assert "--all" in admin.run("project", "list", "-q", "many-", "--limit", "2", "--everyones").err


def test_the_project_option_goes_before_or_after(admin: Shell, project: str) -> None:
    other = unique("other")
    admin.ok("project", "create", other)
    assert admin.json("--project", other, "status")["project"]["name"] == other
    assert admin.json("status", "--project", other)["project"]["name"] == other
    assert admin.json("status")["project"]["name"] == project


def test_members_come_change_and_go(admin: Shell, project: str) -> None:
    name = make_user(admin)
    admin.ok("project", "members", "add", name)
    admin.ok("project", "members", "set", name, "--role", "viewer")
    members = {m["name"]: m["role"]["name"] for m in admin.json("project", "members", "list")["items"]}
    assert members == {"admin": "owner", name: "viewer"}
    admin.ok("project", "members", "remove", name, "--yes")
    assert "not a member" in admin.refused("project", "members", "remove", name, "--yes")


def test_users_are_made_changed_and_deleted(admin: Shell) -> None:
    name = make_user(admin, mail="a@example.org", kind="annotator")
    admin.ok("user", "edit", name, "--display-name", "Ann", "--disable")
    shown = admin.json("user", "show", name)
    assert (shown["display_name"], shown["disabled"], shown["kind"]) == ("Ann", True, "annotator")
    admin.refused("login", admin.url, "--user", name, "--password", USER_PASSWORD)
    admin.ok("user", "edit", name, "--enable")
    admin.ok("user", "password", name, "--new-password", "brand-new-password")
    assert name in admin.ok("user", "list", "-q", name)
    admin.ok("user", "delete", name, "--yes")
    admin.refused("user", "show", name)


def test_groups_hold_users_and_get_roles(admin: Shell, project: str) -> None:
    user, group = make_user(admin), unique("crew")
    admin.ok("group", "create", group, "--description", "the crew")
    admin.ok("group", "add", group, user)
    assert [m["name"] for m in admin.json("group", "members", group)["items"]] == [user]
    admin.ok("project", "members", "add", group, "--group", "--role", "viewer")
    assert group in admin.ok("project", "members", "list")
    admin.ok("project", "members", "remove", group, "--group", "--yes")
    admin.ok("group", "remove", group, user)
    admin.ok("group", "edit", group, "--name", group + "-2")
    assert admin.json("group", "show", group + "-2")["description"] == "the crew"
    admin.ok("group", "delete", group + "-2", "--yes")


def test_roles_are_made_of_permissions(admin: Shell) -> None:
    name = unique("reader")
    admin.ok("role", "create", name, "-p", "project.read", "-p", "model.read")
    admin.ok("role", "edit", name, "-p", "project.read")
    assert admin.json("role", "show", name)["permissions"] == ["project.read"]
    assert "model.read" in admin.ok("role", "permissions")
    admin.ok("role", "delete", name, "--yes")
    assert "owner" in admin.ok("role", "list")


def test_the_audit_log_tells_who_did_it(admin: Shell, project: str) -> None:
    rows = admin.json("audit", "--action", "project.create")["items"]
    assert [(row["actor"], row["target_name"]) for row in rows] == [("admin", project)]
    assert project in admin.ok("audit", "--platform", "-q", project)
    assert admin.json("audit", "--until", "2001-01-01")["items"] == []


def test_webhooks_are_made_changed_and_deleted(admin: Shell, project: str) -> None:
    admin.ok("webhook", "create", "ci", "https://hooks.example.org/x", "--event", "model.*", "--disable")
    admin.ok("webhook", "edit", "ci", "--event", "*", "--secret", "long-enough-secret")
    shown = admin.json("webhook", "show", "ci")
    assert (shown["events"], shown["enabled"]) == (["*"], False)
    assert "secret" not in shown
    assert admin.json("webhook", "deliveries", "ci")["items"] == []
    assert "hooks.example.org" in admin.ok("webhook", "list")
    admin.ok("webhook", "delete", "ci", "--yes")


def test_a_member_is_told_what_they_may_not_do(admin: Shell, project: str) -> None:
    name = make_user(admin)
    admin.sign_in(name, USER_PASSWORD)
    err = admin.refused("user", "list")
    assert "user.read" in err
    assert "hint: " in err


@pytest.mark.parametrize("size", ["12x", "abc", "-5", "1..2GB"])
def test_a_size_that_is_none_is_wrong_usage(admin: Shell, size: str) -> None:
    assert "500MB" in admin.refused("project", "create", unique("x"), f"--storage-limit={size}", code=2)
