"""Containers from our own registry: work runs in a pushed image, and an environment becomes one."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.containers import IMAGE, Podman, make_hollow_image
from tests.devenv.house import PROJECT, House, open_house, until
from tests.devenv.inside import Inside
from tests.devenv.test_ssh import Desk

PUSHED = "busybox:1"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, podman_service: Podman) -> Iterator[House]:
    """A house with a container engine, and an image that was pushed to it."""
    folder = tmp_path_factory.mktemp("containers")
    with open_house(folder, TIDEMILL_CONTAINER_SOCKET=podman_service.socket) as house:
        push(house, podman_service, IMAGE, PUSHED)
        yield house


def push(house: House, podman: Podman, image: str, name: str) -> None:
    place = f"127.0.0.1:{house.server.port}/{PROJECT}/{name}"
    podman.run("push", "--tls-verify=false", "--creds", credentials(house), image, place)


def credentials(house: House) -> str:
    return f"admin:{house.ok('post', '/me/tokens', json={'name': f'podman {uuid4()}'})['token']}"


def test_a_run_works_in_an_image_that_was_pushed_to_us(port: House) -> None:
    command = "hostname; ls /bin/busybox; echo kept > note; exit 3"
    body = {"name": "in-busybox", "image": PUSHED, "command": command}
    port.ok("post", f"/projects/{PROJECT}/tasks", json=body)
    started = port.ok("post", f"/projects/{PROJECT}/tasks/in-busybox/start", json={})
    workload = f"/projects/{PROJECT}/workloads/{started['workload']['id']}"
    over = until(lambda: (seen := port.ok("get", workload))["ended_at"] and seen, 60)
    assert (over["state"], over["stop_reason"], over["exit_code"]) == ("failed", "exit_code", 3), over
    log = port.ok("get", f"{workload}/logs")["text"]
    assert log.split() == [over["nodes"][0]["host_name"], "/bin/busybox"]


def test_an_environment_is_saved_as_an_image_that_starts_again(port: House, podman_service: Podman) -> None:
    inside = Inside(port)
    port.started("shore", image=PUSHED)
    assert "tools" in inside.run("shore", "mkdir /opt && echo to''ols > /opt/installed && cat /opt/installed")
    made = port.ok("post", port.environments("/shore/save-image"), json={"name": "shore", "version": "2"})
    assert (made["kind"], made["state"]) == ("oci", "building")
    image = f"/projects/{PROJECT}/images/{made['id']}"
    saved = until(lambda: (seen := port.ok("get", image))["state"] != "building" and seen, 60)
    assert (saved["state"], saved["error"]) == ("ready", None)
    port.stop("shore")

    port.started("shore-again", image="shore:2")
    assert "tools" in inside.run("shore-again", "cat /opt/installed")
    again = port.admin.post(port.environments("/shore-again/save-image"), json={"name": "shore", "version": "2"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "image_taken")
    port.stop("shore-again")

    place = f"127.0.0.1:{port.server.port}/{PROJECT}/shore:2"
    podman_service.run("pull", "--quiet", "--tls-verify=false", "--creds", credentials(port), place)


def test_ssh_works_and_says_what_the_image_lacks(port: House, key_file: Path, tmp_path: Path) -> None:
    port.ok("post", "/me/ssh-keys", json={"public_key": key_file.with_suffix(".pub").read_text()})
    port.started("bare", image=PUSHED)
    desk = Desk(port, tmp_path, key_file, "bare")
    done = desk.ssh("pwd; ls -d /bin/busybox; exit 7")
    assert (done.returncode, done.stdout) == (7, b"/workspace\n/bin/busybox\n"), done.stderr
    refused = desk.sftp("ls\n")
    assert refused.returncode != 0
    assert b"this image has no sftp-server" in refused.stderr
    port.stop("bare")


def test_an_environment_in_an_image_without_a_shell_says_so(port: House, podman_service: Podman) -> None:
    push(port, podman_service, make_hollow_image(podman_service), "hollow:1")
    body = {"name": "hollow", "image": "hollow:1", "start": True}
    port.ok("post", port.environments(), json=body)
    seen = until(lambda: (now := port.ok("get", port.environments("/hollow")))["state"] == "failed" and now, 60)
    assert seen["workload"]["stop_reason"] == "launch_failed"
    assert "/bin/sh" in seen["workload"]["message"], seen["workload"]
    assert "image" in seen["workload"]["message"], seen["workload"]
