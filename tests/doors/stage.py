"""A running workload without an engine behind it: its ports are whatever the test listens on."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import uvicorn
from aiohttp import web
from fastapi import FastAPI
from starlette.types import ASGIApp

from tidemill.accounts.access import find_project
from tidemill.engines.base import EngineError
from tidemill.kernel.ids import new_id
from tidemill.workloads.tables import WorkloadRow

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class PortsOnly:
    """An engine that knows where ports are and nothing else."""

    def __init__(self) -> None:
        self.ports: dict[tuple[str, int, int], tuple[str, int]] = {}

    def address(self, id: str, node: int, port: int) -> tuple[str, int]:
        if (id, node, port) not in self.ports:
            raise EngineError(f"nothing listens on port {port}")
        return self.ports[id, node, port]


def add_workload(app: FastAPI, project: str, *, kind: str = "environment", nodes: int = 1, **fields: Any) -> str:
    """A workload that runs, as its row says; its launch is called like itself."""
    workload_id = new_id("wkl")
    with app.state.db.write() as session:
        owner = find_project(session, project)
        assert owner is not None
        values: dict[str, Any] = {
            "id": workload_id, "project_id": owner.id, "kind": kind, "owner_id": "none", "name": "tide",
            "name_key": "tide", "state": "running", "command": ["true"], "run_on": "all", "environment": {},
            "secrets": {}, "token_scopes": [], "ports": [], "inputs": [], "outputs": [], "workspace": workload_id,
            "owns_workspace": True, "cpus": 1.0, "memory_bytes": 1, "accelerators": 0.0, "fabrics": [],
            "nodes": nodes, "priority": 1, "preemptible": False, "retries": 0, "attempt": 1,
            "attempt_id": workload_id, "placement": [], "queued_at": NOON, "changed_at": NOON, "created_at": NOON,
            "created_by": "admin", "resolved_image": {},
        }  # fmt: skip
        session.add(WorkloadRow(**(values | fields)))
    return workload_id


@contextmanager
def served(app: ASGIApp) -> Iterator[int]:
    """The application on a real loopback port."""
    config = uvicorn.Config(
        app, log_config=None, ws="websockets-sansio", lifespan="on", proxy_headers=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def listening(*routes: web.RouteDef) -> Iterator[int]:
    """A program of the workload's: an aiohttp server on a loopback port."""
    ready: threading.Event = threading.Event()
    found: dict[str, Any] = {}

    async def main() -> None:
        app = web.Application(client_max_size=0)
        app.add_routes(routes)
        runner = web.AppRunner(app, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server: Any = site._server
        found.update(port=server.sockets[0].getsockname()[1], loop=asyncio.get_running_loop(), stop=asyncio.Event())
        ready.set()
        await found["stop"].wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield found["port"]
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join(10)


def within(seconds: float, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Runs the coroutine to its end, or fails the test."""

    async def bounded() -> Any:
        return await asyncio.wait_for(work(), seconds)

    return asyncio.run(bounded())
