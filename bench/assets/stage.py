"""A scratch Tidemill with very many assets."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path

import sqlalchemy as sa

from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.assets.kinds import SCENES
from tidemill.assets.tables import AssetCountRow, AssetRow
from tidemill.kernel.clock import utc_now
from tidemill.kernel.ids import new_id
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app
from tidemill.server.rooms import ROOMS
from tidemill.server.schema import upgrade

PROJECT = "crowded"
PASSWORD = "measured-not-guessed"
BATCH = 5000


@dataclass
class Running:
    """A server, and a connection to it that stays open."""

    connection: HTTPConnection
    cookie: str


def fill(home: Path, count: int) -> None:
    """Makes the home and puts that many assets into one project, straight into the tables: making is not measured."""
    home.mkdir(parents=True)
    app = create_app(Settings(home=home, admin_password=PASSWORD, background=False))  # type: ignore[arg-type]
    db = app.state.db
    upgrade(db)
    for room in ROOMS:
        room.first_start(app)
    with db.write() as session:
        admin = session.scalars(sa.select(UserRow)).one()
        now = utc_now()
        project = ProjectRow(
            id=new_id("prj"),
            name=PROJECT,
            name_key=PROJECT,
            description="",
            is_public=False,
            storage_used_bytes=0,
            quota={"cpu": None, "memory_bytes": None, "accelerators": {}},
            created_at=now,
            created_by="admin",
            updated_at=now,
        )
        session.add(project)
    dice = random.Random(7)
    numbers = list(range(count))
    dice.shuffle(numbers)
    for start in range(0, count, BATCH):
        rows = [_asset(project.id, admin.id, number, dice) for number in numbers[start : start + BATCH]]
        with db.write() as session:
            session.execute(sa.insert(AssetRow), rows)
    with db.write() as session:
        session.add(AssetCountRow(project_id=project.id, kind="model", live=count))
    db.close()


def _asset(project_id: str, admin_id: str, number: int, dice: random.Random) -> dict[str, object]:
    made = utc_now() - timedelta(seconds=dice.randrange(10**8))
    name = f"Asset {number:06}"
    return {
        "id": new_id("mdl"),
        "project_id": project_id,
        "kind": "model",
        "name": name,
        "name_key": name.lower(),
        "scene": dice.choice(SCENES),
        "description": "measured",
        "versions_count": 1,
        "latest_version": 1,
        "last_number": 1,
        "size_bytes": dice.randrange(10**9),
        "created_at": made,
        "created_by": "admin",
        "created_by_id": admin_id,
        "updated_at": made + timedelta(seconds=dice.randrange(10**5)),
    }


@contextmanager
def running_server(home: Path) -> Iterator[Running]:
    """`tidemill up` on free loopback ports, with an administrator signed in."""
    port = _free_port()
    environment = {**os.environ, "TIDEMILL_ADMIN_PASSWORD": PASSWORD}
    command = [sys.executable, "-m", "tidemill", "up", "--home", str(home), "--port", str(port)]
    with (home.parent / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        connection = _connect(port, process)
        yield Running(connection, _sign_in(connection))
        connection.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _connect(port: int, process: "subprocess.Popen[bytes]") -> HTTPConnection:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            return connection
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise RuntimeError("the server did not start; see server.log")


def _sign_in(connection: HTTPConnection) -> str:
    body = f'{{"user": "admin", "password": "{PASSWORD}"}}'
    headers = {"Content-Type": "application/json", "X-Tidemill": "1"}
    connection.request("POST", "/api/v1/session", body, headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200
    return (answer.getheader("Set-Cookie") or "").partition(";")[0]


def _free_port() -> int:
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            if port > 65000:
                continue
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port
