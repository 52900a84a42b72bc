"""A Python environment from a list of packages: built by a real workload, in a server of its own, without network."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.images.wheels import write_wheel
from tests.live import ADMIN_PASSWORD, LiveServer, live_server

PATIENCE_S = 90


@dataclass
class Site:
    """A live server and a session of its administrator."""

    server: LiveServer
    api: httpx2.Client
    packages: Path

    def call(self, method: str, path: str, **options: Any) -> Any:
        answer = self.api.request(method, f"/api/v1/projects/tides{path}", **options)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def create(self, name: str, *requirements: str) -> Any:
        return self.call("POST", "/images", json={"name": name, "version": "1", "requirements": list(requirements)})

    def wait(self, image_id: str) -> Any:
        """The image when its build has come to an end."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            image = self.call("GET", f"/images/{image_id}")
            if image["state"] != "building":
                return image
            time.sleep(0.1)
        raise AssertionError(self.server.log.read_text()[-3000:])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    packages = tmp_path_factory.mktemp("packages")
    # What the platform adds to every environment, in name only: the real ones would have to be fetched.
    for name in ("pip", "httpx2", "click"):
        write_wheel(packages, name, "99")
    write_wheel(packages, "tide", "1.0", needs=("moon>=2",))
    write_wheel(packages, "moon", "2.0")
    environment = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(packages),
        "PIP_CONFIG_FILE": "/dev/null",
        "TIDEMILL_ENGINE_RUNTIME": "process",
        "TIDEMILL_STORE_FSYNC": "false",
    }
    with live_server(tmp_path_factory.mktemp("builds") / "home", **environment) as server:
        api = httpx2.Client(base_url=server.url, headers={"X-Tidemill": "1"}, timeout=30)
        api.post("/api/v1/session", json={"user": "admin", "password": ADMIN_PASSWORD})
        api.post("/api/v1/projects", json={"name": "tides"}).raise_for_status()
        yield Site(server, api, packages)
        api.close()


def test_a_list_of_packages_becomes_an_environment_that_runs(site: Site) -> None:
    created = site.create("sea", "tide==1.0  # comment", "")
    assert (created["state"], created["kind"], created["requirements"]) == ("building", "python", ["tide==1.0"])
    image = site.wait(created["id"])
    assert image["state"] == "ready", image
    assert {"tide==1.0", "moon==2.0", "pip==99"} <= set(image["packages"])
    assert image["size_bytes"] > 0
    python = site.server.home / "environments" / image["digest"] / "bin" / "python"
    code = "import tide, moon, tidemill; print(tide.version, moon.version)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1.0", "2.0"]
    build = site.call("GET", f"/images/{image['id']}/build")
    assert (build["kind"], build["state"]) == ("build", "completed")
    log = site.call("GET", f"/workloads/{build['id']}/logs?node=0")
    assert "tide" in log["text"]
    actions = {row["action"] for row in site.call("GET", "/audit?limit=200")["items"]}
    assert "image.create" in actions


def test_a_package_that_is_not_there_fails_the_build_and_says_so(site: Site) -> None:
    image = site.wait(site.create("nowhere", "no-such-package==1")["id"])
    assert image["state"] == "failed"
    assert image["error"]["code"] == "build_failed"
    build = site.call("GET", f"/images/{image['id']}/build")
    assert "no-such-package" in site.call("GET", f"/workloads/{build['id']}/logs?node=0")["text"]
    write_wheel(site.packages, "no_such_package", "1")
    site.call("POST", f"/images/{image['id']}/build")
    assert site.wait(image["id"])["state"] == "ready"


def test_the_same_packages_are_one_environment_and_a_deleted_image_gives_its_storage_back(site: Site) -> None:
    first = site.wait(site.create("twin-a", "moon")["id"])
    used = site.call("GET", "")["storage_used_bytes"]
    second = site.wait(site.create("twin-b", "moon")["id"])
    assert first["digest"] == second["digest"]
    assert site.call("GET", "")["storage_used_bytes"] == used
    site.call("DELETE", f"/images/{first['id']}")
    assert site.call("GET", f"/images/{second['id']}")["state"] == "ready"
    site.call("DELETE", f"/images/{second['id']}")


def test_an_image_survives_the_servers_sudden_death_in_the_middle_of_its_build(site: Site) -> None:
    created = site.create("lasting", "tide")
    site.server.kill()
    site.server.start()
    assert site.wait(created["id"])["state"] == "ready"
