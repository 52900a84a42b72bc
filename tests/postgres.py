"""A PostgreSQL server of the tests' own, from Debian's package, started by hand."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

PG_ROOT = Path("/usr/lib/postgresql")
LARGE_BYTES = 1_000_000


@dataclass(frozen=True)
class Postgres:
    url: str

    def empty(self, tables: Iterable[str]) -> None:
        """Removes all rows of all tables: few by deleting them, which takes a tenth of the time of new files."""
        with psycopg.connect(self.url.replace("+psycopg", "")) as connection:
            sizes = connection.execute("SELECT relname, pg_relation_size(relid) FROM pg_stat_user_tables").fetchall()
            large = {name for name, size in sizes if size > LARGE_BYTES}
            # Nobody looks whether rows refer to each other: all of them go.
            connection.execute("SET session_replication_role = replica")
            connection.execute("; ".join(f'DELETE FROM "{name}"' for name in tables if name not in large))
            if large:
                connection.execute("TRUNCATE " + ", ".join(f'"{name}"' for name in sorted(large)) + " CASCADE")


@contextmanager
def start_postgres(folder: Path) -> Iterator[Postgres]:
    """Runs a server in the folder until the block ends; skips where PostgreSQL is not installed."""
    programs = sorted(PG_ROOT.glob("*/bin/initdb"))
    if not programs:
        pytest.skip("PostgreSQL is not installed (Debian package: postgresql)")
    binaries = programs[-1].parent
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    home = Path("/tmp") / f"tidemill-test-pg-{os.getpid()}"
    home.mkdir(mode=0o700)
    if as_user:
        account = pwd.getpwnam("postgres")
        os.chown(home, account.pw_uid, account.pw_gid)
    port = _free_port()
    data = home / "data"
    log = folder / "postgres.log"
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    initdb = [str(binaries / "initdb"), "-D", str(data), "-U", "tidemill", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run([*as_user, *initdb], check=True, capture_output=True, cwd=home, env=environment)
    options = [
        "-c",
        "fsync=off",
        "-c",
        "full_page_writes=off",
        "-c",
        "autovacuum=off",
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        f"port={port}",
        "-c",
        f"unix_socket_directories={home}",
    ]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*as_user, str(binaries / "postgres"), "-D", str(data), *options],
            stdout=output, stderr=output, cwd=home, env=environment,
        )  # fmt: skip
    try:
        _wait_for(port, server, log)
        yield Postgres(f"postgresql+psycopg://tidemill@127.0.0.1:{port}/postgres")
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(home, ignore_errors=True)


def _wait_for(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError(f"PostgreSQL ended:\n{log.read_text()}")
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="tidemill", dbname="postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
            continue
        return
    raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
