"""How Git is called: only to the checked address, with nobody's configuration."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tidemill.assets.git_address import check_git_url
from tidemill.assets.git_fetch import ssh_command
from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import Target


def public(host: str, port: int) -> list[str]:
    del host, port
    return ["93.184.216.34"]


def told_to_ssh(target: Target, folder: Path) -> dict[str, str]:
    """What ssh itself makes of the options, by its own account."""
    command = [*shlex.split(ssh_command(target, folder)), "-G", f"{target.user}@{target.host}"]
    said = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    return dict(line.split(" ", 1) for line in said.splitlines() if " " in line)


def test_ssh_goes_to_the_checked_address_and_asks_nobody(tmp_path: Path) -> None:
    target = check_git_url("git@example.org:team/code.git", [], resolve=public)
    assert (target.url, target.port) == ("ssh://git@example.org/team/code.git", 22)
    options = told_to_ssh(target, tmp_path)
    assert options["hostname"] == "93.184.216.34"
    assert options["hostkeyalias"] == "example.org"
    assert options["batchmode"] == "yes"
    assert options["stricthostkeychecking"] == "accept-new"
    assert options["userknownhostsfile"] == str(tmp_path / "known_hosts")
    assert options["identityagent"] == "none"
    assert options["forwardagent"] == "no"
    assert "proxycommand" not in options


def test_the_platforms_own_key_is_used_when_there_is_one(tmp_path: Path) -> None:
    target = check_git_url("ssh://git@example.org:2222/code.git", [], resolve=public)
    assert "id_ed25519" not in ssh_command(target, tmp_path)
    (tmp_path / "id_ed25519").write_text("a key")
    assert told_to_ssh(target, tmp_path)["identityfile"] == str(tmp_path / "id_ed25519")


@pytest.mark.parametrize(
    "url", ["ssh://-oProxyCommand=x@example.org/a", "ssh://git@example.org", "https://example.org/"]
)
def test_an_address_without_repository_or_with_a_trick_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        check_git_url(url, [], resolve=public)
