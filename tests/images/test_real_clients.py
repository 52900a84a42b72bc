"""The registry with the clients people use: skopeo and podman, against a server in a process of its own."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.images.registry import config_for, digest_of, layer, manifest_of, plain_layer
from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.images.registry.manifests import OCI_MANIFEST


@dataclass
class Registry:
    """A live server with a project, and a user's token for it."""

    server: LiveServer
    user: str
    token: str
    api: httpx2.Client

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def image(self, name: str) -> str:
        return f"docker://{self.host}/{name}"

    def get(self, path: str) -> Any:
        answer = self.api.get(f"/api/v1{path}")
        assert answer.is_success, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    if shutil.which("skopeo") is None:
        pytest.skip("skopeo is not installed (Debian: apt-get install skopeo)")
    with live_server(tmp_path_factory.mktemp("registry") / "home") as server:
        api = httpx2.Client(base_url=server.url, headers={"X-Tidemill": "1"}, timeout=30)
        api.post("/api/v1/session", json={"user": "admin", "password": ADMIN_PASSWORD})
        api.post("/api/v1/projects", json={"name": "tides"}).raise_for_status()
        token = api.post("/api/v1/me/tokens", json={"name": "skopeo"}).json()["token"]
        yield Registry(server, "admin", token, api)
        api.close()


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    """An OCI layout with one image, `latest`."""
    return write_layout(tmp_path / "layout", "hello")


def write_layout(folder: Path, text: str) -> Path:
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    packed, config = layer(text), config_for(plain_layer(text))
    manifest = manifest_of(config, packed)
    for data in (packed, config, manifest):
        (blobs / hashlib.sha256(data).hexdigest()).write_bytes(data)
    entry = {
        "mediaType": OCI_MANIFEST,
        "digest": digest_of(manifest),
        "size": len(manifest),
        "annotations": {"org.opencontainers.image.ref.name": "latest"},
    }
    (folder / "oci-layout").write_text(json.dumps({"imageLayoutVersion": "1.0.0"}))
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))
    return folder


def run(*command: str | Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})}
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def skopeo(registry: Registry, verb: str, *arguments: str | Path, side: str = "") -> str:
    creds = f"{registry.user}:{registry.token}"
    options = (
        ["--dest-creds", creds, "--dest-tls-verify=false", "--src-creds", creds, "--src-tls-verify=false"]
        if side == "both"
        else [f"--{side}creds", creds, f"--{side}tls-verify=false"]
    )
    return run("skopeo", verb, *options, *arguments)


def test_skopeo_pushes_inspects_pulls_and_deletes(registry: Registry, layout: Path, tmp_path: Path) -> None:
    skopeo(registry, "copy", f"oci:{layout}:latest", registry.image("tides/base:1.0"), side="dest-")
    seen = json.loads(skopeo(registry, "inspect", registry.image("tides/base:1.0")))
    original = json.loads((layout / "index.json").read_text())["manifests"][0]
    assert seen["Digest"] == original["digest"]
    assert seen["RepoTags"] == ["1.0"]
    back = tmp_path / "back"
    skopeo(registry, "copy", registry.image("tides/base:1.0"), f"oci:{back}:latest", side="src-")
    assert sorted(p.name for p in (back / "blobs/sha256").iterdir()) == sorted(
        p.name for p in (layout / "blobs/sha256").iterdir()
    )
    (row,) = registry.get("/projects/tides/images?q=base")["items"]
    assert (row["name"], row["version"], row["kind"], row["state"]) == ("base", "1.0", "oci", "ready")
    assert row["pull_command"].endswith(f"{registry.host}/tides/base:1.0")
    skopeo(registry, "delete", registry.image("tides/base:1.0"))
    assert registry.get("/projects/tides/images?q=base")["items"] == []


def test_skopeo_copies_between_repositories_by_mounting(registry: Registry, layout: Path) -> None:
    skopeo(registry, "copy", f"oci:{layout}:latest", registry.image("tides/one:1"), side="dest-")
    before = registry.get("/projects/tides")["storage_used_bytes"]
    skopeo(registry, "copy", registry.image("tides/one:1"), registry.image("tides/deep/two:1"), side="both")
    assert registry.get("/projects/tides")["storage_used_bytes"] == before
    tags = json.loads(skopeo(registry, "list-tags", registry.image("tides/deep/two")))
    assert tags["Tags"] == ["1"]


def test_a_saved_docker_archive_is_pushed_and_docker_manifests_come_back(
    registry: Registry, layout: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "saved.tar"
    run("skopeo", "copy", f"oci:{layout}:latest", f"docker-archive:{archive}:base:1")
    skopeo(registry, "copy", f"docker-archive:{archive}", registry.image("tides/saved:1"), side="dest-")
    skopeo(registry, "copy", registry.image("tides/saved:1"), f"dir:{tmp_path / 'dir'}", side="src-")
    assert (tmp_path / "dir" / "manifest.json").exists()


def test_wrong_credentials_and_others_projects_are_refused(registry: Registry, layout: Path) -> None:
    wrong = Registry(registry.server, registry.user, "tm_wrong", registry.api)
    with pytest.raises(AssertionError, match=r"unauthorized|authentication required|invalid username"):
        skopeo(wrong, "copy", f"oci:{layout}:latest", registry.image("tides/base:2"), side="dest-")
    with pytest.raises(AssertionError):
        run("skopeo", "inspect", "--no-creds", "--tls-verify=false", registry.image("tides/base:2"))


def test_images_and_half_sent_content_survive_the_servers_sudden_death(
    registry: Registry, layout: Path, tmp_path: Path
) -> None:
    skopeo(registry, "copy", f"oci:{layout}:latest", registry.image("tides/lasting:1"), side="dest-")
    wire = httpx2.Client(base_url=registry.server.url, auth=(registry.user, registry.token), timeout=30)
    first, second = b"before the crash, ", b"and after it"
    place = wire.post("/v2/tides/lasting/blobs/uploads/").headers["Location"]
    assert wire.patch(place, content=first).status_code == 202
    registry.server.kill()
    registry.server.start()
    skopeo(registry, "copy", registry.image("tides/lasting:1"), f"oci:{tmp_path / 'after'}:latest", side="src-")
    assert wire.get(place).headers["Range"] == f"0-{len(first) - 1}"
    span = f"{len(first)}-{len(first) + len(second) - 1}"
    assert wire.patch(place, content=second, headers={"Content-Range": span}).status_code == 202
    digest = digest_of(first + second)
    assert wire.put(f"{place}?digest={digest}").status_code == 201
    assert wire.get(f"/v2/tides/lasting/blobs/{digest}").content == first + second
    wire.close()


def test_podman_logs_in_pushes_and_pulls(registry: Registry, layout: Path) -> None:
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed (Debian: apt-get install podman)")
    # Podman refuses long paths for what it runs in.
    with tempfile.TemporaryDirectory(prefix="tm") as short:
        push_and_pull(
            registry, layout, ["--root", f"{short}/root", "--runroot", f"{short}/run", "--storage-driver=vfs"]
        )


def push_and_pull(registry: Registry, layout: Path, storage: list[str]) -> None:
    def podman(*arguments: str) -> str:
        return run("podman", *storage, *arguments, env={"REGISTRY_AUTH_FILE": str(layout / "auth.json")})

    login = ("--tls-verify=false", "--username", registry.user, "--password", registry.token, registry.host)
    assert "Succeeded" in podman("login", *login)
    loaded = podman("pull", "--quiet", f"oci:{layout}:latest").strip()
    podman("push", "--tls-verify=false", loaded, f"{registry.host}/tides/podman:1")
    podman("rmi", "--force", loaded)
    podman("pull", "--quiet", "--tls-verify=false", f"{registry.host}/tides/podman:1")
    assert f"{registry.host}/tides/podman" in podman("images", "--format", "{{.Repository}}")
