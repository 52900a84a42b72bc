"""A private Ray of one node, for the comparison."""

import os
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DASHBOARD = "http://127.0.0.1:8266"
START_LIMIT_S = 90


@contextmanager
def ray_head(python: str | None, folder: Path) -> Iterator[str | None]:
    """Starts a head with `python -m ray` and gives its dashboard's address; None without a Python."""
    if python is None:
        yield None
        return
    folder.mkdir()
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    command = [
        python, "-c", "from ray.scripts.scripts import main; main()", "start", "--head", "--block",
        "--port", "6399", "--node-ip-address", "127.0.0.1", "--dashboard-host", "127.0.0.1",
        "--dashboard-port", DASHBOARD.rpartition(":")[2], "--num-cpus", str(os.cpu_count()),
        "--object-store-memory", "200000000", "--temp-dir", str(folder), "--disable-usage-stats",
    ]  # fmt: skip
    with (folder / "head.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait(process, folder / "head.log")
        yield DASHBOARD
    finally:
        process.terminate()
        process.wait(60)


def _wait(process: "subprocess.Popen[bytes]", log: Path) -> None:
    request = urllib.request.Request(
        f"{DASHBOARD}/api/version", headers={"Authorization": f"Bearer {os.environ['RAY_AUTH_TOKEN']}"}
    )
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(request, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"Ray did not start:\n{log.read_text()[-2000:]}")
