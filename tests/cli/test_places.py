"""`tidemill image` and `tidemill env`, from making to deleting, with what scripts rely on."""

import json
from pathlib import Path

from tests.cli.conftest import Shell, unique
from tests.images.test_archives import docker_save, tar_of


def test_a_saved_image_is_loaded_shown_and_deleted(admin: Shell, project: str, tmp_path: Path) -> None:
    file = tmp_path / "saved.tar"
    file.write_bytes(tar_of(docker_save()))
    admin.ok("image", "load", file, "base:1", "--wait", "--description", "from elsewhere")
    (listed,) = admin.json("image", "list")["items"]
    assert (listed["name"], listed["version"], listed["kind"], listed["state"]) == ("base", "1", "oci", "ready")
    assert admin.json("image", "show", "base")["id"] == listed["id"], "a name alone means its newest version"
    assert "docker pull" in admin.ok("image", "show", "base:1")
    assert "exists already" in admin.refused("image", "load", file, "base:1", "--wait").splitlines()[-2]
    assert "is not an environment" in admin.refused("image", "build", "base:1")
    assert "must not reach" in admin.refused("image", "pull", "127.0.0.1:1/x:1", "x:1", "--wait")
    assert "image list" in admin.refused("image", "show", "none:1")
    assert "image list" in admin.refused("image", "show", "none")
    admin.ok("image", "delete", "base:1", "--yes")
    assert admin.json("image", "list")["items"] == []


def test_what_cannot_be_made_is_said_by_the_one_who_waits(admin: Shell, project: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.tar"
    broken.write_bytes(b"not an image")
    assert admin.run("image", "load", broken, "broken:1", "--wait").code == 1
    listed = tmp_path / "requirements.txt"
    listed.write_text("# what is missing\nno-such-package-of-tidemill==1.0  # nowhere\n\n")
    result = admin.run("image", "create", "hollow:1", "--file", listed, "--wait", "--json")
    assert result.code == 1
    assert json.loads(result.out)["state"] == "failed"
    assert "hollow:1 failed" in result.err
    assert json.loads(result.out)["requirements"] == ["no-such-package-of-tidemill==1.0"]
    assert "Problem" in admin.ok("image", "show", "hollow:1")


def test_an_environment_starts_serves_is_copied_stopped_and_deleted(admin: Shell, project: str) -> None:
    name, twin = unique("desk"), unique("twin")
    image = ("--image", "tidemill/python")
    assert "has not been started" in admin.refused("env", "logs", _created(admin, unique("idle"), *image))
    made = admin.json("env", "create", name, *image, "--start", "--wait")
    assert made["state"] == "running"
    assert len(made["ssh"]["password"]) > 15, "it is told once, and not lost by waiting"
    assert "not stopped" in admin.refused("env", "start", name)
    assert admin.ok("env", "ssh", name, "--print").split()[-1].startswith(name)
    assert "has no JupyterLab" in _until_refused(admin, "env", "open", name)
    assert "/w/" in admin.json("env", "open", name, "--app", "port", "--port", "8000")["url"]
    assert "JupyterLab" in admin.ok("env", "logs", name)
    copied = admin.json("env", "copy", name, twin)
    assert (copied["state"], copied["image"]) == ("stopped", "tidemill/python")
    assert "is stopped" in admin.ok("env", "stop", name, "--wait")
    assert "does not run" in admin.refused("env", "stop", name)
    assert "JupyterLab" in admin.ok("env", "logs", name), "what ended is still to be read"
    assert "is running" in admin.ok("env", "start", name, "--wait")
    assert "NAME:VERSION" in admin.refused("env", "save-image", name, "unversioned", code=2)
    saved = admin.json("env", "save-image", name, "kept:1")
    assert (saved["name"], saved["version"], saved["kind"]) == ("kept", "1", "python")
    for each in (name, twin):
        admin.ok("env", "delete", each, "--yes")
    assert "no environment" in admin.refused("env", "show", name)


def _created(admin: Shell, name: str, *options: str) -> str:
    admin.ok("env", "create", name, *options)
    return name


def _until_refused(admin: Shell, *arguments: str) -> str:
    """A start takes a moment to say what it has."""
    while (result := admin.run(*arguments)).code == 0:
        continue
    return result.err
