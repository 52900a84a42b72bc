"""The start of JupyterLab inside an environment: the port it takes, and what it leaves to be read."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tidemill.devenv.jupyter import COMMAND, NONE, PORTS, find_port

# Says what it was started with, and ends.
LAB = '#!/bin/sh\necho "$@"\necho "$JUPYTER_CONFIG_PATH"\n'


class Folder:
    """As much of an engine as is asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def workspace(self, key: str) -> Path:
        assert key == "env-1"
        return self.path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "jupyter-lab").write_text(LAB)
    (programs / "jupyter-lab").chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    for name in ("mkdir", "mv", "sleep"):
        (programs / name).symlink_to(shutil.which(name) or "")
    (tmp_path / ".home").mkdir()
    return tmp_path


def begin(workspace: Path, port: int) -> "subprocess.Popen[str]":
    environment = {
        "PATH": str(workspace / "bin"),
        "HOME": str(workspace / ".home"),
        "TIDEMILL_WORKSPACE": str(workspace),
        "TIDEMILL_WORKLOAD_ID": "wkl_1",
        "TIDEMILL_JUPYTER_PORT": str(port),
    }
    argv = ["/bin/sh", "-c", COMMAND]
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


def said(workspace: Path, workload: str = "wkl_1") -> int | None:
    return find_port(Folder(workspace), "env-1", workload)  # type: ignore[arg-type]


def test_a_port_that_something_else_has_taken_is_passed_over(workspace: Path) -> None:
    with socket.socket() as taken:
        for port in PORTS:
            if taken.connect_ex(("127.0.0.1", port)) != 0:
                break
        taken.close()
        with socket.socket() as other:
            other.bind(("127.0.0.1", port))
            other.listen()
            output, _ = begin(workspace, port).communicate(timeout=20)
    found = said(workspace)
    assert found is not None
    assert found != port
    assert found in PORTS
    assert f"--port={found} " in output
    assert f"/0/{found}/" in output
    assert said(workspace, "wkl_2") is None, "what an earlier start said is of no account"


def test_without_jupyterlab_that_is_said(workspace: Path) -> None:
    (workspace / "bin" / "jupyter-lab").unlink()
    process = begin(workspace, PORTS[0])
    try:
        while said(workspace) is None:
            assert process.poll() is None
        assert said(workspace) == NONE
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with what it waits for
        process.communicate(timeout=20)


@pytest.mark.parametrize(
    "text", ["", "wkl_1", "wkl_1 -5", "wkl_1 80", "wkl_1 99999999", "wkl_1 ٣٤٥٦", "\x00\xff", "a b c"]
)
def test_nonsense_in_the_file_says_nothing(workspace: Path, text: str) -> None:
    (workspace / ".home" / ".tidemill-jupyter").write_text(text)
    assert said(workspace) is None


def test_links_and_pipes_are_not_followed(workspace: Path, tmp_path: Path) -> None:
    mark = workspace / ".home" / ".tidemill-jupyter"
    (tmp_path / "elsewhere").write_text("wkl_1 20000")
    mark.symlink_to(tmp_path / "elsewhere")
    assert said(workspace) is None
    mark.unlink()
    os.mkfifo(mark)
    assert said(workspace) is None
    shutil.rmtree(workspace / ".home")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".tidemill-jupyter").write_text("wkl_1 20000")
    (workspace / ".home").symlink_to(tmp_path / "other")
    assert said(workspace) is None
