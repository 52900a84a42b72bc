"""SIGKILL at random moments while clients upload, save, commit, delete and empty bins: nothing acknowledged is lost."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
import sqlalchemy as sa

from tests.kill.client import Client
from tests.kill.ledger import Version
from tests.live import ADMIN_PASSWORD, LiveServer, free_ports
from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings
from tidemill.store import gc, verify
from tidemill.store.depot import open_store
from tidemill.store.tables import TreeEntryRow, TreeRow

SEED = 20260501
CLIENTS = 3
UPLOADS = 51
KILLS = 5
SETTLE_S = 60


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path, database_url: str) -> None:
    home = tmp_path / "home"
    server = LiveServer(
        home, free_ports(), {"TIDEMILL_DATABASE_URL": database_url, "TIDEMILL_CHUNK_BYTES": str(128 * 1024)}
    )
    clients = [Client(server.url, number, SEED) for number in range(CLIENTS)]
    server.start()
    try:
        for client in clients:
            client.prepare()
        _work_while_killing(server, clients)
        _settle(clients)
        for client in clients:
            client.check(settled=True)
            client.check_contents()
        _verify(server.url)
        assert server.stop() == 0
    finally:
        for client in clients:
            client.close()
        if server.process is not None and server.process.poll() is None:
            server.kill()
    assert sum(client.uploads for client in clients) >= UPLOADS
    assert sum(client.interruptions for client in clients) >= KILLS
    _check_what_lies_on_disk(Settings(home=home, database_url=database_url), clients)


def _work_while_killing(server: LiveServer, clients: list[Client]) -> None:
    """Clients work until the last kill, and until all uploads are done; one that fails stops everything."""
    no_more = threading.Event()

    def work(client: Client) -> None:
        while not no_more.is_set() or client.uploads < UPLOADS // CLIENTS:
            client.work()
            if client.uploads % 5 == 0:
                client.check()

    with ThreadPoolExecutor(CLIENTS) as pool:
        working = [pool.submit(work, client) for client in clients]
        try:
            _kill_again_and_again(server, lambda: any(one.done() for one in working))
        finally:
            no_more.set()
        for one in working:
            one.result()


def _kill_again_and_again(server: LiveServer, is_over: Callable[[], bool]) -> None:
    moments = random.Random(SEED)
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.1, 1.5))
        if is_over():
            return
        server.kill()
        server.start()


def _settle(clients: list[Client]) -> None:
    """Acknowledged background work comes to its end by itself."""
    deadline = time.monotonic() + SETTLE_S
    while unfinished := [job for client in clients for job in client.unfinished_jobs()]:
        assert time.monotonic() < deadline, f"these jobs did not finish: {unfinished}"
        time.sleep(0.2)


def _verify(url: str) -> None:
    """The store's own check finds nothing."""
    with httpx2.Client(base_url=f"{url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30) as http:
        http.post("/session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
        job = http.post("/system/verify").raise_for_status().json()
        deadline = time.monotonic() + SETTLE_S
        while job["state"] in {"waiting", "running"}:
            assert time.monotonic() < deadline, job
            time.sleep(0.2)
            job = http.get(f"/me/jobs/{job['id']}").raise_for_status().json()
        assert (job["state"], job["error"]) == ("completed", None)
        assert job["result"]["blobs"] > 0


def _check_what_lies_on_disk(settings: Settings, clients: list[Client]) -> None:
    """After a collection without grace exactly what is referred to is there, and all of it whole."""
    db, store = Database(settings.effective_database_url), open_store(settings)
    try:
        gc.collect(db, store, datetime.now(UTC) + timedelta(days=60), timedelta())
        assert verify.verify(db, store).problems == []
        with db.read() as session:
            used = set(session.scalars(sa.select(TreeEntryRow.digest).where(TreeEntryRow.digest.is_not(None))))
            sealed = set(
                session.scalars(sa.select(TreeRow.manifest_digest).where(TreeRow.manifest_digest.is_not(None)))
            )
            ours = set(session.scalars(_shipped()))
        assert {found.digest for found in store.backend.iterate()} == used | sealed
    finally:
        db.close()
    kept = [v for client in clients for v in (client.ledger.live | _still_binned(client)).values()]
    assert used - ours == {digest for version in kept for digest in version.files.values()}


def _shipped() -> sa.Select[tuple[str]]:
    """What the platform itself brings: the algorithms of the public project."""
    public = sa.select(TreeRow.id).join(ProjectRow, ProjectRow.id == TreeRow.project_id).where(ProjectRow.is_public)
    return sa.select(TreeEntryRow.digest).where(TreeEntryRow.digest.is_not(None), TreeEntryRow.tree_id.in_(public))


def _still_binned(client: Client) -> dict[int, Version]:
    return {number: v for number, v in client.ledger.binned.items() if number not in client.ledger.doomed}
