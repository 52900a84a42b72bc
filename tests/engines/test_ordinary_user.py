"""Sandboxes without root: by user name spaces."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tidemill

NOBODY = "65534"
SYSTEM_PYTHON = "/usr/bin/python3"
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
from pathlib import Path
from tidemill.engines.base import Image, Launch, NodePlan, Runtime
from tidemill.engines.local import LocalEngine, LocalSettings
from tidemill.store.local import LocalBackend

folder = Path(sys.argv[1])
engine = LocalEngine(folder / "engine", LocalBackend(folder / "store"), LocalSettings(devices=""))
if Runtime.SANDBOX not in engine.machines()[0].runtimes:
    sys.exit(77)
nodes = (NodePlan(0, "local", 1.0, 1 << 28),)
command = ("sh", "-c", "id -u; sleep 1000")
engine.launch(Launch("lau", "space", command, nodes, Image("python", ""), Runtime.SANDBOX))
while engine.seen(["lau"])["lau"].state != "running":
    pass
shell = engine.exec("lau", 0, ["sh", "-c", "pwd; ls /proc/2/exe; tty"], environment={}, terminal=(80, 24))
shell.wait()
print(os.read(shell.stdout, 65536).decode())
shell.close()
engine.stop("lau", grace_s=0)
while engine.seen(["lau"])["lau"].state != "ended":
    pass
print(engine.logs("lau", 0, offset=0, limit=100).data.decode())
engine.close()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that others may go into, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="tidemill-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def python(folder: Path) -> str:
    """An interpreter that an ordinary user may run."""
    if os.getuid() != 0 or shutil.which("setpriv") is None or not os.access(SYSTEM_PYTHON, os.X_OK):
        pytest.skip("needs root, setpriv and the system's own Python")
    made = subprocess.run(
        [SYSTEM_PYTHON, "-m", "venv", "--without-pip", folder / "venv"], capture_output=True, check=False
    )
    version = subprocess.run([SYSTEM_PYTHON, "-V"], capture_output=True, text=True, check=True).stdout
    if made.returncode or not version.startswith(f"Python 3.{sys.version_info.minor}"):
        pytest.skip(f"the system's Python is another, or has no venv: {version}")
    return str(folder / "venv" / "bin" / "python")


def test_an_ordinary_user_runs_and_enters_sandboxes(folder: Path, python: str) -> None:
    home = folder / "home"
    home.mkdir()
    shutil.chown(home, int(NOBODY), int(NOBODY))
    root = Path(tidemill.__file__).parents[1]
    as_nobody = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    if subprocess.run([*as_nobody, "test", "-r", tidemill.__file__], check=False, cwd="/").returncode:
        pytest.skip("an ordinary user may not read this copy of the program")
    argv = [*as_nobody, python, "-c", PROGRAM, home, root]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd="/")
    if done.returncode == 77:
        pytest.skip("this machine gives ordinary users no name spaces")
    assert done.returncode == 0, done.stderr
    assert "/workspace" in done.stdout
    assert "/dev/pts/" in done.stdout
    assert NOBODY in done.stdout
