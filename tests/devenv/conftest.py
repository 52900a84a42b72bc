"""One server for this room's tests of the whole thing; each test has environments of its own."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devenv.house import House, open_house
from tests.jupyter_packages import FROM_CACHE


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("devenv"), **FROM_CACHE) as found:
        yield found


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private key, its public half beside it."""
    if shutil.which("ssh") is None:
        pytest.skip("no OpenSSH client on this machine")
    file = tmp_path_factory.mktemp("keys") / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann@laptop", "-f", file], check=True)
    return file
