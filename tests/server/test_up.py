"""`tidemill up` as a person meets it: a real process, its words, its exit code."""

import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.live import free_ports
from tidemill.server.running import STOP_AT_MOST_S

READY = "is running at"


class Up:
    """A `tidemill up` under way; what it says is read as it says it."""

    def __init__(self, home: Path, *options: str, port: int | None = None, **environment: str) -> None:
        self.home = home
        self.port = port or free_ports()
        command = [sys.executable, "-m", "tidemill", "up", "--home", str(home), "--port", str(self.port), *options]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMILL_")}
        quick = {"TIDEMILL_ARGON2_TIME_COST": "1", "TIDEMILL_ARGON2_MEMORY_KIB": "64"}
        self.process = subprocess.Popen(
            command,
            env={**kept, **quick, "LC_ALL": "C.UTF-8", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.said: list[str] = []
        self._said_enough = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ready(self) -> "Up":
        assert self._said_enough.wait(60), "neither started nor ended"
        assert self.process.stderr is not None
        assert any(READY in line for line in self.said), self.process.stderr.read()
        return self

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)

    def refused(self) -> list[str]:
        """The lines on stderr of a start that was refused."""
        assert self.process.stderr is not None
        complaint = self.process.stderr.read().splitlines()
        assert self.process.wait(60) == 1
        return complaint

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if READY in line:
                self._said_enough.set()
        self._said_enough.set()

    def all_said(self) -> str:
        self._reader.join(10)
        return "".join(self.said)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(10)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def start(home: Path) -> Iterator[type[Up]]:
    """Starts servers that the test's end takes down."""
    started: list[Up] = []

    def make(*options: str, **named: str) -> Up:
        started.append(Up(home, *options, **named))
        return started[-1]

    yield make  # type: ignore[misc]
    for up in started:
        up.close()


def test_it_serves_pages_and_the_api_and_ends_cleanly_when_asked(start, home: Path) -> None:
    up = start().ready()
    assert httpx2.get(f"{up.url}/healthz").json() == {"status": "ok"}
    answer = httpx2.get(f"{up.url}/api/v1/meta")
    assert answer.json()["name"] == "Tidemill"
    assert "server" not in answer.headers
    page = httpx2.get(up.url)
    assert "<html" in page.text.lower() or page.status_code == 503
    up.process.send_signal(signal.SIGTERM)
    assert up.end() == 0
    assert "has stopped" in up.all_said()
    assert up.process.stderr is not None
    assert "Traceback" not in up.process.stderr.read()


def test_ctrl_c_ends_it_cleanly(start) -> None:
    assert start().ready().end(signal.SIGINT) == 0


def test_it_ends_in_time_with_connections_open_and_one_in_the_middle_of_a_request(start) -> None:
    up = start().ready()
    with httpx2.Client() as idle, socket.create_connection(("127.0.0.1", up.port)) as slow:
        idle.get(f"{up.url}/healthz")
        slow.sendall(
            b"POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        )
        began = time.monotonic()
        assert up.end() == 0
        assert time.monotonic() - began < STOP_AT_MOST_S


def test_it_ends_at_once_with_live_streams_open(start) -> None:
    up = start(TIDEMILL_ADMIN_PASSWORD="correct-horse-battery").ready()
    with httpx2.Client(base_url=f"{up.url}/api/v1", headers={"X-Tidemill": "1"}) as http:
        http.post("/session", json={"user": "admin", "password": "correct-horse-battery"}).raise_for_status()
        with http.stream("GET", "/me/events") as events:
            assert events.status_code == 200
            began = time.monotonic()
            assert up.end() == 0
            assert time.monotonic() - began < 3


def test_the_first_administrators_password_is_said_once_and_never_logged(start, home: Path) -> None:
    first = start().ready()
    found = re.search(r"password (\S+)", "".join(first.said))
    assert found, first.said
    body = {"user": "admin", "password": found[1]}
    me = httpx2.post(f"{first.url}/api/v1/session", json=body, headers={"X-Tidemill": "1"})
    assert me.status_code == 200
    assert me.json()["must_change_password"] is True
    assert first.end() == 0
    second = start().ready()
    assert second.end() == 0
    assert "password" not in second.all_said()
    assert found[1] not in (home / "logs" / "tidemill.log").read_text("utf-8")


def test_a_password_from_the_environment_is_taken_and_not_repeated(start) -> None:
    up = start(TIDEMILL_ADMIN_PASSWORD="correct-horse-battery").ready()
    body = {"user": "admin", "password": "correct-horse-battery"}
    answer = httpx2.post(f"{up.url}/api/v1/session", json=body, headers={"X-Tidemill": "1"})
    assert answer.status_code == 200
    assert answer.json()["must_change_password"] is False
    assert up.end() == 0
    assert "correct-horse-battery" not in up.all_said()


def test_a_lost_password_is_reset_by_whoever_has_the_home(start) -> None:
    assert start(TIDEMILL_ADMIN_PASSWORD="correct-horse-battery").ready().end() == 0
    up = start("--reset-password", "admin").ready()
    found = re.search(r"user admin   password (\S+)", "".join(up.said))
    assert found, up.said
    old, new = ({"user": "admin", "password": word} for word in ("correct-horse-battery", found[1]))
    assert httpx2.post(f"{up.url}/api/v1/session", json=old, headers={"X-Tidemill": "1"}).status_code == 401
    answer = httpx2.post(f"{up.url}/api/v1/session", json=new, headers={"X-Tidemill": "1"})
    assert answer.json()["must_change_password"] is True


def test_resetting_the_password_of_nobody_is_one_clear_line(start) -> None:
    (line,) = start("--reset-password", "nobody", TIDEMILL_ADMIN_PASSWORD="correct-horse-battery").refused()
    assert "“nobody”" in line


def test_a_second_start_shows_a_page_after_little_work(start) -> None:
    assert start().ready().end() == 0
    up = start().ready()
    assert httpx2.get(up.url).status_code == 200
    # By the processor's time: other tests may be in its way. Alone on the machine that is how long one waits.
    spent = psutil.Process(up.process.pid).cpu_times()
    assert spent.user + spent.system < 5
    assert up.end() == 0


def test_a_home_we_make_is_closed_to_others_and_so_is_what_is_in_it(start, home: Path) -> None:
    assert start().ready().end() == 0
    for path in [home, *home.rglob("*")]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_a_port_in_use_is_one_clear_line(start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (line,) = start(port=port).refused()
    assert f"port {port}" in line
    assert "--port" in line


def test_the_next_port_in_use_is_said_as_well(start) -> None:
    first = free_ports()
    with socket.create_server(("127.0.0.1", first + 1)):
        (line,) = start(port=first).refused()
    assert f"port {first + 1}" in line


def test_a_home_that_is_a_file_is_one_clear_line(start, home: Path) -> None:
    home.write_text("not a folder")
    (line,) = start().refused()
    assert f"{home} is not a folder" in line
    assert "--home" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_we_may_not_write_in_is_one_clear_line(start, home: Path) -> None:
    home.mkdir(mode=0o500)
    (line,) = start().refused()
    assert "may not write" in line


def test_a_home_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    up = Up(Path("/proc/tidemill"))
    (line,) = up.refused()
    up.close()
    assert "/proc/tidemill" in line


def test_a_home_in_use_names_who_uses_it(start, home: Path) -> None:
    first = start().ready()
    (line,) = start().refused()
    assert str(home) in line
    assert first.url in line
    assert str(first.process.pid) in line


def test_a_killed_server_leaves_the_home_free_for_the_next(start) -> None:
    start().ready().end(signal.SIGKILL)
    assert start().ready().end() == 0


def test_a_database_of_a_newer_release_is_one_clear_line(start, home: Path) -> None:
    assert start().ready().end() == 0
    with sqlite3.connect(home / "tidemill.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    (line,) = start().refused()
    assert "newer Tidemill" in line
    assert "9999" in line


def test_a_file_that_is_no_database_is_one_clear_line(start, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "tidemill.db").write_bytes(b"not a database, but long enough to look at" * 100)
    (line,) = start().refused()
    assert "tidemill.db" in line


def test_a_database_that_does_not_answer_is_one_clear_line_without_its_password(start) -> None:
    (line,) = start(TIDEMILL_DATABASE_URL=f"postgresql+psycopg://u:s3cret@127.0.0.1:{free_ports()}/x").refused()
    assert "TIDEMILL_DATABASE_URL" in line
    assert "s3cret" not in line


@pytest.mark.parametrize("url", ["mysql://127.0.0.1/x", "nonsense", "sqlite://"])
def test_a_database_we_do_not_speak_is_one_clear_line(start, url: str) -> None:
    (line,) = start(TIDEMILL_DATABASE_URL=url).refused()
    assert "SQLite or PostgreSQL" in line


def test_a_broken_setting_is_named_with_its_rule(start) -> None:
    (line,) = start(port="70000").refused()
    assert "“port” must be at most 65454" in line
    assert "TIDEMILL_PORT" in line


def test_a_misspelt_setting_in_the_file_is_not_ignored(start, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "tidemill.toml").write_text("prot = 8800\n")
    (line,) = start().refused()
    assert "“prot”" in line


def test_settings_come_from_the_homes_file(start, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "tidemill.toml").write_text('password_min = 12\noutbound_allow = ["10.0.0.0/8"]\n')
    up = start(TIDEMILL_TRUSTED_PROXIES="127.0.0.1, 10.0.0.0/8").ready()
    assert httpx2.get(f"{up.url}/api/v1/meta").json()["password"]["min"] == 12


def test_an_address_of_another_machine_is_one_clear_line(start) -> None:
    (line,) = start("--host", "192.0.2.1").refused()
    assert "192.0.2.1 is not an address of this machine" in line


def test_ipv6_loopback_works(start) -> None:
    if not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    up = start("--host", "::1").ready()
    assert httpx2.get(f"http://[::1]:{up.port}/healthz").status_code == 200
    assert f"http://[::1]:{up.port}" in "".join(up.said)


def test_it_warns_when_others_can_listen_to_passwords(start) -> None:
    up = start("--host", "0.0.0.0").ready()
    assert up.end() == 0
    assert up.process.stderr is not None
    assert "without HTTPS" in up.process.stderr.read()


def test_forwarded_addresses_are_believed_from_trusted_proxies_only(start) -> None:
    plain = start(TIDEMILL_ADMIN_PASSWORD="correct-horse-battery").ready()
    assert _address_seen(plain) == "127.0.0.1"
    assert plain.end() == 0
    behind_proxy = start(TIDEMILL_TRUSTED_PROXIES="127.0.0.1").ready()
    assert _address_seen(behind_proxy) == "203.0.113.9"


def test_it_speaks_the_language_of_the_terminal(start, home: Path) -> None:
    home.write_text("not a folder")
    (line,) = start(LC_ALL="zh_CN.UTF-8").refused()
    assert "不是文件夹" in line


def _address_seen(up: Up) -> str:
    headers = {"X-Tidemill": "1", "X-Forwarded-For": "203.0.113.9"}
    with httpx2.Client(base_url=f"{up.url}/api/v1", headers=headers) as http:
        http.post("/session", json={"user": "admin", "password": "correct-horse-battery"}).raise_for_status()
        (session,) = [found for found in http.get("/me/sessions").json()["items"] if found["current"]]
        return str(session["address"])
