"""Packages of the JupyterLab image, fetched once for this checkout, and the environment that servers make of them.

Servers that are given `FROM_CACHE` find packages here only, so that all of them choose the same, and keep their Python
environments in one folder: the first makes the image, the others find it under the digest of its packages.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tidemill.images.builtin import BUILTINS
from tidemill.images.making import all_requirements

FETCH_LIMIT_S = 600
_REQUIREMENTS = all_requirements(next(each for each in BUILTINS if each.name == "tidemill/jupyter").requirements)
_KEY = hashlib.sha256(json.dumps([sys.version, _REQUIREMENTS]).encode()).hexdigest()[:12]
FOLDER = Path(__file__).parents[1] / ".setup" / "tests" / f"jupyter-{_KEY}"
FROM_CACHE = {
    "PIP_NO_INDEX": "1",
    "PIP_FIND_LINKS": str(FOLDER / "wheels"),
    "TIDEMILL_ENVIRONMENTS_FOLDER": str(FOLDER / "environments"),
}


@pytest.fixture(scope="session")
def jupyter_packages() -> None:
    """They are there; skips where no package index is reached, and where somebody has no time for it."""
    if os.environ.get("TIDEMILL_TEST_JUPYTER") == "0":
        pytest.skip("TIDEMILL_TEST_JUPYTER=0: JupyterLab is not tried")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (FOLDER / "wheels").is_dir():
            _fetch(FOLDER / "coming")
            (FOLDER / "coming").rename(FOLDER / "wheels")


def _fetch(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    argv = [sys.executable, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", str(folder), *_REQUIREMENTS]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=FETCH_LIMIT_S, env=os.environ)
    if done.returncode != 0:
        pytest.skip(f"no package index with JupyterLab is reached from here: {done.stderr[-300:]}")
