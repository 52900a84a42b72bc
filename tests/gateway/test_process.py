"""The gateway as a process: found again, replaced under load, serving without a database, gone with its home."""

import json
import os
import shutil
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.gateway.stage import KEY, replica, service
from tidemill.gateway.control import Control
from tidemill.gateway.keeping import GatewayFailed, Keeper
from tidemill.gateway.processes import start_of
from tidemill.gateway.publishing import find_published, publish
from tidemill.gateway.schemas import RoutingTable, ServiceRoute
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings

needs_haproxy = pytest.mark.skipif(
    shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None, reason="HAProxy is not installed"
)
NOW = datetime(2026, 1, 2, tzinfo=UTC)


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def upstream() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(params=["embedded", "auto"])
def home(settings: Settings, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """Settings with free ports; whatever gateway runs there is ended. Alone, and with HAProxy where there is one."""
    told = {"port": _free_ports() - 80, "host": "127.0.0.1", "gateway_data_plane": request.param}
    given = settings.model_copy(update=told)
    yield given
    Keeper(given).end()


def test_a_gateway_is_started_found_again_and_ended(home: Settings, db: Database, upstream: int) -> None:
    _publish(db, service(replica(upstream)))
    keeper = Keeper(home)
    first = keeper.ensure()
    assert (first.http_port, first.grpc_port, first.revision) == (home.gateway_port, home.gateway_grpc_port, 1)
    assert _get(home) == 200
    assert Keeper(home).ensure().pid == first.pid, "another control plane finds it"
    assert os.getsid(first.pid) == first.pid
    assert (home.home / "gateway" / "table.json").stat().st_mode & 0o077 == 0
    counted = [one for one in keeper.control.counters() if one.replica_id == "r1"]
    assert counted[0].requests["2xx"] == 1
    assert 'replica="r1"' in keeper.control.prometheus()
    assert keeper.control.differences() == []
    assert keeper.control.key_days() == {"key-1": utc_now().date().isoformat()}
    keeper.end()
    assert keeper.control.state() is None
    assert start_of(first.pid) is None
    assert keeper.control.counters() == []
    assert not keeper.control.nudge()


def test_a_new_table_is_served_when_it_is_told_and_soon_when_not(home: Settings, db: Database, upstream: int) -> None:
    keeper = Keeper(home)
    assert keeper.ensure().revision == 0
    assert _get(home) == 404
    assert _publish(db, service(replica(upstream))) == 1
    assert keeper.control.nudge()
    assert _get(home) == 200
    assert _publish(db, service(replica(upstream))) == 1, "the same table is no new revision"
    assert _publish(db) == 2
    _until(lambda: _get(home) == 404)
    with db.read() as session:
        assert find_published(session) == (2, RoutingTable())


def test_a_gateway_of_another_program_is_replaced_under_load_without_a_failed_request(
    home: Settings, db: Database, upstream: int
) -> None:
    _publish(db, service(replica(upstream)))
    first = Keeper(home).ensure()
    statuses: Counter[str] = Counter()
    is_over = threading.Event()

    threads = [_load(home, statuses, is_over, keeps_alive=place % 2 == 0) for place in range(4)]
    try:
        _until(lambda: statuses["200"] > 50)
        keeper = Keeper(home, program="another")
        second = keeper.ensure()
        assert second.pid != first.pid
        sent = statuses["200"]
        _until(lambda: statuses["200"] > sent + 200)
        _until(lambda: start_of(first.pid) is None)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert set(statuses) == {"200"}
    epochs = {one.epoch for one in keeper.control.counters()}
    assert epochs == {first.epoch, second.epoch}, "what the first one counted is not lost"

    def total() -> int:
        return sum(one.requests["2xx"] for one in keeper.control.counters() if one.replica_id == "r1")

    _until(lambda: total() == statuses["200"])


def test_a_killed_gateway_is_started_again_and_serves_without_its_database(
    home: Settings, db: Database, upstream: int
) -> None:
    _publish(db, service(replica(upstream)))
    keeper = Keeper(home)
    first = keeper.ensure()
    os.kill(first.pid, signal.SIGKILL)
    away = home.model_copy(update={"database_url": f"sqlite:///{home.home}/nowhere.db"})
    second = Keeper(away).ensure()
    assert second.pid != first.pid
    assert _get(home) == 200
    assert not (home.home / "nowhere.db").exists()
    assert _get(home, key="tm_unknown") == 503


def test_a_gateway_that_does_not_answer_is_replaced(home: Settings, db: Database, upstream: int) -> None:
    _publish(db, service(replica(upstream)))
    keeper = Keeper(home)
    keeper.control = Control(keeper.folder, timeout_s=0.3)
    first = keeper.ensure()
    os.kill(first.pid, signal.SIGSTOP)
    second = Keeper(home)
    second.control = Control(keeper.folder, timeout_s=0.5)
    assert second.ensure().pid != first.pid
    assert _get(home) == 200


def test_a_gateway_ends_when_its_home_is_gone(home: Settings, db: Database, tmp_path: Path) -> None:
    own = home.model_copy(update={"home": tmp_path / "short-lived", "database_url": home.effective_database_url})
    keeper = Keeper(own)
    state = keeper.ensure()
    shutil.rmtree(own.home)
    _until(lambda: start_of(state.pid) is None)
    assert not own.home.exists()


@needs_haproxy
@pytest.mark.parametrize("home", ["auto"], indirect=True)
def test_haproxy_ends_with_its_gateway_however_that_ends(home: Settings, db: Database, upstream: int) -> None:
    _publish(db, service(replica(upstream)))
    keeper = Keeper(home.model_copy(update={"gateway_data_plane": "haproxy"}))
    first = keeper.ensure()
    _until_plane(keeper, "haproxy")
    os.kill(first.pid, signal.SIGKILL)
    keeper.ensure()
    _until_plane(keeper, "haproxy")
    assert (_get(home), _get(home, key="tms_wrong")) == (200, 404)
    assert len(list(keeper.folder.glob("haproxy-*"))) == 1, "nothing is left of the first"
    keeper.end()
    assert list(keeper.folder.glob("haproxy-*")) == []
    with pytest.raises(OSError, match="refused"):
        _get(home)


@needs_haproxy
@pytest.mark.parametrize("home", ["auto"], indirect=True)
def test_who_takes_callers_in_is_changed_under_load_without_a_failed_request(
    home: Settings, db: Database, upstream: int
) -> None:
    _publish(db, service(replica(upstream)))
    Keeper(home.model_copy(update={"gateway_data_plane": "embedded"})).ensure()
    statuses: Counter[str] = Counter()
    is_over = threading.Event()
    threads = [_load(home, statuses, is_over, keeps_alive=place % 2 == 0) for place in range(4)]
    try:
        for told in ("haproxy", "embedded", "auto"):
            keeper = Keeper(home.model_copy(update={"gateway_data_plane": told}))
            keeper.ensure()
            _until_plane(keeper, "embedded" if told == "embedded" else "haproxy")
            _until_more(statuses, 100)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    keeper.end()
    assert set(statuses) == {"200"}


@needs_haproxy
@pytest.mark.parametrize("home", ["auto"], indirect=True)
def test_haproxy_is_gone_with_the_home(home: Settings, db: Database, tmp_path: Path) -> None:
    own = home.model_copy(update={"home": tmp_path / "short-lived", "database_url": home.effective_database_url})
    keeper = Keeper(own.model_copy(update={"gateway_data_plane": "haproxy"}))
    keeper.ensure()
    _until_plane(keeper, "haproxy")
    shutil.rmtree(tmp_path / "short-lived")
    with pytest.raises(OSError, match=r"refused|reset|closed"):
        _until(lambda: _get(own) == 0)
    assert not own.home.exists()


def test_a_port_that_somebody_else_has_is_said(home: Settings, db: Database) -> None:
    with socket.create_server(("127.0.0.1", home.gateway_port)), pytest.raises(GatewayFailed, match="in use"):
        Keeper(home).ensure()
    with socket.create_server(("127.0.0.1", home.gateway_grpc_port)), pytest.raises(GatewayFailed, match="in use"):
        Keeper(home).ensure()


def test_the_access_log_has_no_secrets(home: Settings, db: Database, upstream: int) -> None:
    _publish(db, service(replica(upstream)))
    logged = home.model_copy(update={"gateway_access_log": True})
    keeper = Keeper(logged)
    keeper.ensure()
    assert _get(home, path="/tides/boats/x?token=tms_in_query") == 200
    keeper.end()
    (line,) = (home.home / "gateway" / "access.log").read_text().splitlines()
    assert (json.loads(line)["status"], json.loads(line)["path"]) == (200, "/x")
    assert "tms_" not in line


def _plane(keeper: Keeper) -> str:
    state = keeper.control.state()
    return "" if state is None else state.data_plane


def _until_plane(keeper: Keeper, plane: str) -> None:
    _until(lambda: _plane(keeper) == plane)


def _until_more(statuses: "Counter[str]", count: int) -> None:
    sent = statuses["200"]
    _until(lambda: statuses["200"] > sent + count)


def _load(home: Settings, statuses: "Counter[str]", is_over: threading.Event, *, keeps_alive: bool) -> threading.Thread:
    """Calls again and again until it is over; what it heard is counted."""

    def call() -> None:
        connection = HTTPConnection("127.0.0.1", home.gateway_port, timeout=10)
        while not is_over.is_set():
            try:
                connection.request("GET", "/tides/boats/", headers={"X-API-Key": KEY})
                answer = connection.getresponse()
                answer.read()
                statuses[str(answer.status)] += 1
            except OSError as error:
                statuses[repr(error)] += 1
            if not keeps_alive:
                connection.close()
        connection.close()

    thread = threading.Thread(target=call)
    thread.start()
    return thread


def _publish(db: Database, *routes: ServiceRoute) -> int:
    with db.write() as session:
        return publish(session, RoutingTable(routes), NOW)


def _get(home: Settings, *, key: str = KEY, path: str = "/tides/boats/") -> int:
    connection = HTTPConnection("127.0.0.1", home.gateway_port, timeout=10)
    try:
        connection.request("GET", path, headers={"X-API-Key": key})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def _until(condition: Callable[[], bool], within_s: float = 20) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


def _free_ports() -> int:
    """The first of two neighbours that are free."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as one:
            port: int = one.getsockname()[1]
            try:
                with socket.create_server(("127.0.0.1", port + 1)):
                    return port
            except OSError:
                continue
