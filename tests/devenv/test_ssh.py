"""The SSH gateway, proven with OpenSSH's own programs against a real environment."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.devenv.house import PROJECT, House, run, until
from tests.live import free_ports

PASSWORD = "open-sesame-42"


@dataclass
class Desk:
    """Somebody's laptop: their SSH client, their key, their files."""

    house: House
    folder: Path
    key: Path
    user: str

    @property
    def port(self) -> int:
        return self.house.server.port + 22

    def options(self, *, by_key: bool = True) -> list[str]:
        always = {
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": self.folder / "known",
            "IdentitiesOnly": "yes",
            "LogLevel": "ERROR",
            "ConnectTimeout": "20",
            "Port": self.port,
        }
        if by_key:
            always |= {"IdentityFile": self.key, "PasswordAuthentication": "no", "BatchMode": "yes"}
        else:
            always |= {"PubkeyAuthentication": "no", "NumberOfPasswordPrompts": "1"}
        return ["-F", "/dev/null", *(part for name, value in always.items() for part in ("-o", f"{name}={value}"))]

    def ssh(self, *command: str, user: str | None = None, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        return run("ssh", *self.options(), f"{user or self.user}@127.0.0.1", *command, **options)

    def ssh_by_password(self, password: str, *command: str, user: str) -> "subprocess.CompletedProcess[bytes]":
        ask = self.folder / "ask"
        ask.write_text(f"#!/bin/sh\necho '{password}'\n")
        ask.chmod(0o700)
        environment = {**os.environ, "SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force"}
        return run("ssh", *self.options(by_key=False), f"{user}@127.0.0.1", *command, env=environment)

    def sftp(self, script: str, user: str | None = None) -> "subprocess.CompletedProcess[bytes]":
        return run("sftp", *self.options(), "-b", "-", f"{user or self.user}@127.0.0.1", input=script.encode())

    @contextmanager
    def forwarding(self, remote: str, local: int) -> Iterator["subprocess.Popen[bytes]"]:
        argv = ["ssh", *self.options(), "-N", "-L", f"127.0.0.1:{local}:{remote}", f"{self.user}@127.0.0.1"]
        client = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            until(lambda: listens(local))
            yield client
        finally:
            client.kill()
            client.communicate()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def ann(house: House) -> Iterator[httpx2.Client]:
    with closing(house.user("ann")) as client:
        yield client


@pytest.fixture(scope="module")
def desk(house: House, ann: httpx2.Client, key_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    public = key_file.with_suffix(".pub").read_text()
    house.ok("post", "/me/ssh-keys", client=ann, json={"public_key": public})
    house.started("dev", password=PASSWORD)
    return Desk(house, tmp_path_factory.mktemp("desk"), key_file, "dev")


def test_a_command_runs_in_the_workspace_and_its_exit_code_comes_back(desk: Desk) -> None:
    done = desk.ssh("pwd; echo wrong >&2; exit 7")
    assert (done.returncode, done.stderr) == (7, b"wrong\n")
    assert done.stdout.decode().strip().endswith("workspace")


def test_input_and_output_of_any_size_go_through(desk: Desk) -> None:
    data = os.urandom(5_000_000)
    assert desk.ssh("cat", input=data).stdout == data


def test_a_shell_has_a_terminal_of_the_size_that_was_asked_for(desk: Desk) -> None:
    done = run("ssh", *desk.options(), "-tt", "dev@127.0.0.1", input=b"tty; echo $((6*7)); exit 5\n")
    assert b"/dev/pts/" in done.stdout
    assert b"42" in done.stdout
    assert done.returncode == 5


def test_by_password_too(desk: Desk) -> None:
    done = desk.ssh_by_password(PASSWORD, "echo in", user="dev")
    assert done.stdout == b"in\n", done.stderr


def test_an_environment_is_called_by_name_by_id_and_with_its_project(desk: Desk) -> None:
    seen = desk.house.ok("get", desk.house.environments("/dev"))
    assert seen["ssh"]["user"] == "dev"
    assert seen["ssh"]["command"] == f"ssh -p {desk.port} dev@127.0.0.1"
    for user in ("dev", seen["id"], f"{PROJECT}.dev"):
        assert desk.ssh("echo in", user=user).stdout == b"in\n", user


def test_files_go_up_and_down_by_sftp_and_scp(desk: Desk) -> None:
    data = os.urandom(1_000_000)
    (desk.folder / "up.bin").write_bytes(data)
    down = desk.folder / "down.bin"
    steps = [f"put {desk.folder}/up.bin papers/a.bin", "ls -l papers", f"get papers/a.bin {down}", "rm papers/a.bin"]
    script = "\n".join(["mkdir papers", *steps, "rmdir papers", ""])
    done = desk.sftp(script)
    assert done.returncode == 0, done.stderr
    assert down.read_bytes() == data
    copied = run("scp", *desk.options(), str(desk.folder / "up.bin"), "dev@127.0.0.1:scp.bin")
    assert copied.returncode == 0, copied.stderr
    assert desk.ssh("wc -c < scp.bin").stdout.strip() == b"1000000"


def test_sftp_reaches_no_more_than_the_environment_does(desk: Desk) -> None:
    if "sandbox" not in desk.house.ok("get", "/machines")[0]["runtimes"]:
        pytest.skip("no bubblewrap here: plain processes are not kept apart from the machine")
    secret = desk.house.server.home / "keys" / "tickets"
    assert secret.is_file()
    assert desk.ssh(f"cat {secret}").returncode != 0
    link = desk.sftp(f"symlink {secret} stolen\nget stolen {desk.folder}/stolen\n")
    assert link.returncode != 0
    assert not (desk.folder / "stolen").exists()


def test_a_port_of_the_environment_is_forwarded(desk: Desk) -> None:
    local, remote = free_ports(), free_ports()
    serve = f"setsid nohup python3 -m http.server --bind 127.0.0.1 {remote} >/dev/null 2>&1 </dev/null &"
    assert desk.ssh(f"echo tide > page.txt; {serve}").returncode == 0
    with desk.forwarding(f"localhost:{remote}", local):

        def page() -> str | None:
            try:
                return httpx2.get(f"http://127.0.0.1:{local}/page.txt", timeout=5, trust_env=False).text
            except httpx2.TransportError:
                return None

        assert until(page) == "tide\n"


def test_nothing_but_the_environments_own_ports_is_forwarded(desk: Desk) -> None:
    for remote in (f"127.0.0.1:{desk.house.server.port}", "example.org:80"):
        local = free_ports()
        with desk.forwarding(remote, local), pytest.raises(httpx2.TransportError):
            httpx2.get(f"http://127.0.0.1:{local}/healthz", timeout=5, trust_env=False)


def test_many_channels_share_one_connection(desk: Desk) -> None:
    control = ["-o", f"ControlPath={desk.folder}/m", "-o", "ControlMaster=auto", "-o", "ControlPersist=30"]
    argv = ["ssh", *desk.options(), *control, "dev@127.0.0.1"]
    assert run(*argv, "true", start_new_session=True).returncode == 0
    clients = [subprocess.Popen([*argv, f"sleep 1; echo {n}"], stdout=subprocess.PIPE) for n in range(10)]
    began = time.monotonic()
    assert [client.communicate(timeout=30)[0] for client in clients] == [f"{n}\n".encode() for n in range(10)]
    assert time.monotonic() - began < 10
    run("ssh", "-o", f"ControlPath={desk.folder}/m", "-O", "exit", "dev@127.0.0.1")


def test_what_was_left_running_goes_on(desk: Desk) -> None:
    started = desk.ssh("nohup sh -c 'sleep 0.5; echo done > left.txt' >/dev/null 2>&1 </dev/null &")
    assert started.returncode == 0
    until(lambda: desk.ssh("cat left.txt").stdout == b"done\n")


def test_a_wrong_password_or_an_unknown_name_is_refused_and_attempts_are_limited(desk: Desk) -> None:
    for user in ("dev-nobody", "dev"):
        assert desk.ssh_by_password("wrong", "true", user=user).returncode == 255
    desk.house.started("guessed", password=PASSWORD)
    for _ in range(5):
        assert desk.ssh_by_password("wrong", "true", user="guessed").returncode == 255
    assert desk.ssh_by_password(PASSWORD, "true", user="guessed").returncode == 255
    assert desk.ssh("true", user="guessed").returncode == 0
    desk.house.stop("guessed")


def test_a_key_of_somebody_who_may_not_is_refused(desk: Desk, tmp_path: Path) -> None:
    house = desk.house
    house.ok("post", "/projects", json={"name": "others"})
    with (
        closing(house.user("eve", project="others", role="owner")) as eve,
        closing(house.user("vic", role="viewer")) as vic,
    ):
        for person, name in ((eve, "eve"), (vic, "vic")):
            key = tmp_path / name
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
            public = key.with_suffix(".pub").read_text()
            house.ok("post", "/me/ssh-keys", client=person, json={"public_key": public})
            stranger = Desk(house, tmp_path, key, "dev")
            assert stranger.ssh("true").returncode == 255
            assert stranger.ssh("true", user=f"{PROJECT}.dev").returncode == 255


def test_who_loses_their_key_is_shown_out(desk: Desk, ann: httpx2.Client, tmp_path: Path) -> None:
    key = tmp_path / "second"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    made = desk.house.ok(
        "post", "/me/ssh-keys", client=ann, json={"public_key": key.with_suffix(".pub").read_text(), "name": "second"}
    )
    other = Desk(desk.house, tmp_path, key, "dev")
    argv = ["ssh", *other.options(), "dev@127.0.0.1", "echo in; sleep 300"]
    client = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert client.stdout is not None
    assert client.stdout.readline() == b"in\n"
    desk.house.ok("delete", f"/me/ssh-keys/{made['id']}", client=ann)
    client.communicate(timeout=20)
    assert client.returncode == 255


def test_who_comes_in_is_in_the_audit_log(desk: Desk) -> None:
    assert desk.ssh("true").returncode == 0

    def noted() -> bool:
        rows = desk.house.ok("get", "/audit?action=environment.connect")["items"]
        return any(row["actor"] == "ann" and row["target_name"] == "dev" for row in rows)

    assert until(noted)


def test_a_stopped_environment_says_so(desk: Desk) -> None:
    desk.house.started("short", password=PASSWORD)
    desk.house.stop("short")
    done = desk.ssh("true", user="short")
    assert done.returncode == 255
    assert b"does not run" in done.stderr


def test_the_host_key_stays(desk: Desk) -> None:
    seen = run("ssh-keyscan", "-t", "ed25519", "-p", str(desk.port), "127.0.0.1").stdout.split()[1:3]
    file = desk.house.server.home / "keys" / "ssh_host_ed25519_key"
    assert run("ssh-keygen", "-y", "-f", str(file)).stdout.split()[:2] == seen
    assert file.stat().st_mode & 0o077 == 0
