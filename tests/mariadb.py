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
_SMALL = (
    "--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M", "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite", "--performance-schema=off", "--skip-name-resolve",
)  # fmt: skip
"""It starts in a second, and what is in it need not outlive a power cut."""


@dataclass(frozen=True)
class MariaDb:
    port: int
    socket: Path

    def connect(self) -> Any:
        return pymysql.connect(unix_socket=str(self.socket), user="root", autocommit=True)


@contextmanager
def start_mariadb(folder: Path) -> Iterator[MariaDb]:
    """Runs a server in the folder until the block ends; skips where MariaDB is not installed."""
    server = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if server is None:
        pytest.skip("MariaDB is not installed (Debian package: mariadb-server-core)")
    data, shared = folder / "data", Path(server).resolve().parent.parent / "share" / "mysql"
    data.mkdir()
    # Root may run it, but has to say so.
    as_user = ["--user=root"] if os.geteuid() == 0 else []
    common = [server, "--no-defaults", f"--datadir={data}", f"--lc-messages-dir={shared}", *as_user, *_SMALL]
    _make_system_tables(common, shared)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    place = MariaDb(port, Path("/tmp") / f"tidemill-test-mariadb-{os.getpid()}")
    options = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={place.socket}", "--skip-log-bin"]
    with (folder / "mariadb.log").open("wb") as output:
        process = subprocess.Popen([*common, *options], stdout=output, stderr=output)
    try:
        _wait(place, process)
        yield place
    finally:
        process.kill()
        process.wait()
        place.socket.unlink(missing_ok=True)


def _make_system_tables(command: list[str], shared: Path) -> None:
    """What `mariadb-install-db` does, without its help pages and time zones: that script needs a program of the
    client's package, which a server has no use for."""
    scripts = [shared / name for name in ("mysql_system_tables.sql", "mysql_system_tables_data.sql")]
    before = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n"
    said = subprocess.run(
        [*command, "--bootstrap"],
        input=before + b"".join(script.read_bytes() for script in scripts),
        capture_output=True,
        timeout=START_LIMIT_S,
        check=False,
    )
    assert said.returncode == 0, said.stderr.decode(errors="replace")[-2000:]


def _wait(place: MariaDb, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "MariaDB ended"
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.connect(str(place.socket))
            return
        time.sleep(0.05)
    raise RuntimeError("MariaDB did not start")
