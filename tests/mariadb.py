"""A MariaDB server of the tests' own, from Debian's package, started by hand."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
import pytest

START_LIMIT_S = 60


@dataclass(frozen=True)
class MariaDb:
    port: int
    socket: Path

    def connect(self) -> Any:
        return pymysql.connect(unix_socket=str(self.socket), user="root", autocommit=True)


@contextmanager
def start_mariadb(folder: Path) -> Iterator[MariaDb]:
    """Runs a server in the folder until the block ends; skips where MariaDB is not installed."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin"
    server, install = shutil.which("mariadbd", path=path), shutil.which("mariadb-install-db", path=path)
    if server is None or install is None:
        pytest.skip("MariaDB is not installed (Debian package: mariadb-server-core)")
    data = folder / "data"
    as_user = ["--user=root"] if os.geteuid() == 0 else []
    common = ["--no-defaults", f"--datadir={data}", *as_user]
    base = Path(server).resolve().parent.parent
    made = subprocess.run(
        [install, *common, f"--basedir={base}", "--auth-root-authentication-method=normal", "--skip-test-db"],
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        pytest.skip(f"MariaDB cannot make a database here: {(made.stdout + made.stderr)[-300:]}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    place = MariaDb(port, Path("/tmp") / f"tidemill-test-mariadb-{os.getpid()}")
    options = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={place.socket}", "--skip-log-bin"]
    messages = base / "share" / "mysql"
    with (folder / "mariadb.log").open("wb") as output:
        process = subprocess.Popen(
            [server, *common, *options, f"--lc-messages-dir={messages}"], stdout=output, stderr=output
        )
    try:
        _wait(place, process)
        yield place
    finally:
        process.kill()
        process.wait()
        place.socket.unlink(missing_ok=True)


def _wait(place: MariaDb, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "MariaDB ended"
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.connect(str(place.socket))
            return
        time.sleep(0.05)
    raise RuntimeError("MariaDB did not start")
