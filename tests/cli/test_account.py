import json
import stat

import pytest

from tests.cli.conftest import USER_PASSWORD, Shell, make_user, unique
from tests.live import ADMIN_PASSWORD
from tidemill.sdk import Client, Unauthenticated
from tidemill.sdk.config import config_file, load_config


def test_signing_in_keeps_a_token_that_only_its_owner_can_read(stranger: Shell) -> None:
    out = stranger.ok("login", stranger.url, "--user", "admin", "--password", ADMIN_PASSWORD)
    assert "as admin" in out
    assert stat.S_IMODE(config_file().stat().st_mode) == 0o600
    assert ADMIN_PASSWORD not in config_file().read_text()
    assert stranger.json("whoami")["name"] == "admin"


def test_a_password_can_be_piped_in(stranger: Shell) -> None:
    stranger.ok("login", stranger.url, "--user", "admin", typed=ADMIN_PASSWORD + "\n")
    assert stranger.json("whoami")["kind"] == "administrator"


def test_a_wrong_password_is_refused_and_nothing_is_kept(stranger: Shell) -> None:
    err = stranger.refused("login", stranger.url, "--user", unique("nobody"), "--password", "wrong-password")
    assert err.startswith("error: ")
    assert not config_file().exists()


def test_without_signing_in_the_hint_says_how(stranger: Shell) -> None:
    err = stranger.refused("project", "list", "--url", stranger.url)
    assert "tidemill login" in err


def test_the_first_password_must_be_changed_on_the_way_in(admin: Shell) -> None:
    name = unique("new")
    admin.ok("user", "create", name, "--password", "first-password")
    err = admin.refused("login", admin.url, "--user", name, "--password", "first-password", code=2)
    assert "--new-password" in err
    admin.ok("login", admin.url, "--user", name, "--password", "first-password", "--new-password", "second-password")
    assert admin.json("whoami")["name"] == name
    assert "error" in admin.refused("login", admin.url, "--user", name, "--password", "first-password")


def test_signing_out_ends_the_token_on_the_server_too(admin: Shell) -> None:
    token = load_config().servers[admin.url].token
    admin.ok("logout")
    assert admin.url not in load_config().servers
    with Client(admin.url, token) as client, pytest.raises(Unauthenticated):
        client.me.get()
    assert "Not signed in" in admin.ok("logout", "--url", admin.url)


def test_signing_in_again_ends_the_token_before(admin: Shell) -> None:
    before = load_config().servers[admin.url].token
    admin.sign_in()
    with Client(admin.url, before) as client, pytest.raises(Unauthenticated):
        client.me.get()


def test_the_environment_is_enough_for_scripts(admin: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    token = admin.json("token", "create", unique("script"), "--days", "1")["token"]
    config_file().unlink()
    monkeypatch.setenv("TIDEMILL_URL", admin.url)
    monkeypatch.setenv("TIDEMILL_TOKEN", token)
    assert admin.json("whoami")["name"] == "admin"


def test_a_given_token_is_kept_as_it_is(admin: Shell) -> None:
    token = admin.json("token", "create", unique("mine"))["token"]
    admin.ok("login", admin.url, "--token", token)
    assert load_config().servers[admin.url].token == token


def test_ones_own_password_is_changed_and_the_token_stays(admin: Shell) -> None:
    name = make_user(admin)
    admin.sign_in(name, USER_PASSWORD)
    admin.ok("password", "--password", USER_PASSWORD, "--new-password", "another-password")
    assert admin.json("whoami")["name"] == name
    admin.sign_in(name, "another-password")


def test_the_only_project_is_chosen_at_sign_in(admin: Shell, project: str) -> None:
    name = make_user(admin)
    admin.ok("project", "members", "add", name, "--role", "viewer")
    out = admin.ok("login", admin.url, "--user", name, "--password", USER_PASSWORD)
    assert project in out
    assert admin.json("status")["project"]["name"] == project


def test_tokens_are_made_listed_and_revoked(admin: Shell) -> None:
    name = unique("laptop")
    result = admin.run("token", "create", name, "--days", "3", "--scope", "project.create")
    assert result.out.startswith("tm_")
    assert len(result.out.split()) == 1, "scripts read the token from stdout"
    rows = [row for row in admin.json("token", "list", "--all")["items"] if row["name"] == name]
    assert rows[0]["scopes"] == ["project.create"]
    assert "--yes" in admin.refused("token", "revoke", name, code=2)
    admin.ok("token", "revoke", name, "--yes")
    assert name not in json.dumps(admin.json("token", "list", "--all"))
