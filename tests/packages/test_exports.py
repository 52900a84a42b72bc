"""A package on a machine without the platform, and the command line."""

import importlib.metadata
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.images.wheels import write_wheel
from tests.models.colours import picture
from tests.packages.conftest import Site
from tidemill.kernel.errors import Conflict
from tidemill.packages.wheelhouse import _installed, repacked

PATIENCE_S = 60
ALONE = Path(__file__).with_name("alone.py")


def test_an_exported_package_runs_in_a_fresh_folder_with_one_command(site: Site, tmp_path: Path) -> None:
    token = site.client.tokens.create("shell").token or ""
    said = run_cli(site, token, "package", "create", "edge", "--scene", "image-classification")
    assert said["name"] == "edge"
    built = run_cli(site, token, "package", "build", "edge", "--model", "colours@1", "--env", "DEPTH=3", "--wait")
    assert (built["state"], built["recipe"]["environment"]) == ("completed", {"DEPTH": "3"})
    listed = run_cli(site, token, "package", "list", "--state", "completed")
    assert "edge" in [one["name"] for one in listed["items"]]
    assert run_cli(site, token, "package", "versions", "edge")["items"][0]["number"] == 1
    assert run_cli(site, token, "package", "show", "edge@1")["digest"] == built["digest"]
    file = tmp_path / "edge.tar.gz"
    assert run_cli(site, token, "package", "export", "edge", "-o", str(file))["file"] == str(file)
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "edge-1"
    assert (folder / "run.sh").stat().st_mode & 0o111
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMILL_")}
    # What the package needs is found where the tests have it, so that nothing is downloaded.
    environment |= {"PYTHONPATH": sysconfig.get_path("purelib"), "PIP_NO_INDEX": "1"}
    environment["TIDEMILL_VENV_OPTIONS"] = "--without-pip"
    log = (tmp_path / "log").open("wb")
    command = ["./run.sh", "--port", str(port), "--python", sys.executable]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url, process, tmp_path / "log")
        found = httpx2.post(f"{url}/predict", content=picture("red", 1), headers={"Content-Type": "image/png"})
        assert found.status_code == 200, found.text
        assert "red" in found.text
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        log.close()


def test_with_its_wheels_it_runs_where_there_is_no_network(site: Site, tmp_path: Path) -> None:
    """What it needs is partly in wheels of its own, partly in the platform's Python, named or needed by another."""
    write_wheel(site.wheels, "surf", "1.0", needs=("pyyaml", "lightgbm; extra == 'trees'"))
    token = site.client.tokens.create("far").token or ""
    site.client.packages.wait(site.package("far", models=["colours"], requirements=["surf", "psutil"]))
    file = tmp_path / "far.tar.gz"
    run_cli(site, token, "package", "export", "far", "--with-wheels", "-o", str(file))
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "far-1"
    wheels = {path.name.partition("-")[0].lower() for path in (folder / "wheels").iterdir()}
    assert {"surf", "pyyaml", "psutil", "onnxruntime", "uvicorn", "httpx2"} <= wheels
    assert "lightgbm" not in wheels
    (tmp_path / "home").mkdir()
    (tmp_path / "red.png").write_bytes(picture("red", 1))
    base = getattr(sys, "_base_executable", sys.executable)
    given = [str(folder), str(free_port()), base, str(tmp_path / "red.png")]
    done = subprocess.run(
        [*apart(), base, str(ALONE), *given],
        env={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["labels"][0]["label"] == "red"
    there = folder / ".venv" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    assert {"surf.py", "yaml", "psutil"} <= {path.name for path in there.iterdir()}


def test_what_serves_a_model_is_locked_whichever_image_of_ours_it_runs_in(site: Site) -> None:
    for image in ("tidemill/algorithms:1", "tidemill/python"):
        name = f"of-{image.partition('/')[2][:6]}"
        site.client.packages.wait(site.package(name, models=["colours"], image=image))
        lock = site.client.packages.read_file(f"{name}@1", "requirements.lock").decode()
        assert {"uvicorn", "orjson", "grpcio", "onnxruntime"} <= {line.partition("==")[0] for line in lock.split()}
        assert "+" not in lock


def test_a_wheel_of_another_version_is_refused_in_words() -> None:
    with pytest.raises(Conflict) as refused:
        _installed("click", "0.1")
    assert refused.value.code == "package_wheel_other"
    with pytest.raises(Conflict):
        _installed("no-such-package-anywhere", "1")


def test_the_wrong_python_is_told_what_is_needed(site: Site, tmp_path: Path) -> None:
    site.client.packages.wait(site.package("exact", models=["colours"]))
    with tarfile.open(site.client.packages.export("exact", tmp_path / "exact.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    other = tmp_path / "python"
    other.write_text(f"#!{sys.executable}\nimport sys\nsys.version_info = (3, 5)\nexec(sys.argv[2])\n")
    other.chmod(0o755)
    done = subprocess.run(
        ["./run.sh", "--python", str(other)], cwd=tmp_path / "exact-1", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert f"needs Python {sysconfig.get_python_version()}" in done.stderr


def test_an_installed_package_becomes_a_wheel_again(tmp_path: Path) -> None:
    name, size, blocks = repacked(importlib.metadata.distribution("click"))
    data = b"".join(blocks)
    assert len(data) == size
    (tmp_path / name).write_bytes(data)
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(tmp_path / "here")]
    subprocess.run([*install, "--quiet", str(tmp_path / name)], check=True, timeout=60)
    assert (tmp_path / "here" / "click" / "__init__.py").is_file()


def apart() -> list[str]:
    """Begins a command that is to have no network, where that can be."""
    command = ["unshare", "--net"]
    can = shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if can else []


def run_cli(site: Site, token: str, *arguments: str) -> Any:
    environment = {**os.environ, "TIDEMILL_URL": site.server.url, "TIDEMILL_TOKEN": token, "TIDEMILL_PROJECT": "tides"}
    command = [sys.executable, "-m", "tidemill", *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx2.get(f"{url}/v2/health/ready").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
