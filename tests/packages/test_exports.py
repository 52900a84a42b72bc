"""A package on a machine without the platform, and the command line."""

import json
import os
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

from tests.models.colours import picture
from tests.packages.conftest import Site
from tidemill.packages.wheelhouse import _repacked

PATIENCE_S = 60


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


def test_an_installed_package_becomes_a_wheel_again(tmp_path: Path) -> None:
    name, size, blocks = _repacked("click")
    data = b"".join(blocks)
    assert len(data) == size
    (tmp_path / name).write_bytes(data)
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(tmp_path / "here")]
    subprocess.run([*install, "--quiet", str(tmp_path / name)], check=True, timeout=60)
    assert (tmp_path / "here" / "click" / "__init__.py").is_file()


def run_cli(site: Site, token: str, *arguments: str) -> Any:
    environment = {**os.environ, "TIDEMILL_URL": site.server.url, "TIDEMILL_TOKEN": token, "TIDEMILL_PROJECT": "tides"}
    command = [sys.executable, "-m", "tidemill", *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
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
