"""`python -m tidemill.gateway.alone --port 8080 --upstream 127.0.0.1:9000`: one service, for measuring.

It is open and at `/`; with `--haproxy` it is behind HAProxy at `/alone/alone/`, and `--key` opens it.
"""

import argparse
import asyncio
import hashlib
import signal
import tempfile
from pathlib import Path

import uvloop

from tidemill.gateway import sockets
from tidemill.gateway.core import Core
from tidemill.gateway.front import Front
from tidemill.gateway.haproxy.plane import Plane
from tidemill.gateway.haproxy.running import find_program
from tidemill.gateway.schemas import KeyRoute, ReplicaRoute, RoutingTable, ServiceRoute, TrackRoute


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", action="append", required=True, metavar="HOST:PORT")
    parser.add_argument("--haproxy", action="store_true")
    parser.add_argument("--key", default="tms_alone")
    given = parser.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            serve = _serve_behind if given.haproxy else _serve
            runner.run(serve(given.host, given.port, _route(given.upstream, given.key if given.haproxy else None)))
        except KeyboardInterrupt:
            return


def _route(upstreams: list[str], key: str | None) -> ServiceRoute:
    replicas = tuple(
        ReplicaRoute(f"upstream-{place}", name, int(number))
        for place, (name, _, number) in enumerate(one.rpartition(":") for one in upstreams)
    )
    track = TrackRoute("production", "upstream", 1, 100.0, replicas)
    return ServiceRoute(
        id="alone", project_id="alone", project="alone", name="alone", access="open" if key is None else "key",
        keys=() if key is None else (KeyRoute("key", hashlib.sha256(key.encode()).hexdigest()),),
        body_max_bytes=1 << 40, tracks=(track,),
    )  # fmt: skip


async def _serve(host: str, port: int, route: ServiceRoute) -> None:
    loop = asyncio.get_running_loop()
    core = Core(loop)
    core.routes.serve_at_root(route)
    server = await loop.create_server(lambda: Front(core), host, port, backlog=2048)
    async with server:
        await server.serve_forever()


async def _serve_behind(host: str, port: int, route: ServiceRoute) -> None:
    core = Core(asyncio.get_running_loop())
    table = RoutingTable((route,))
    core.routes.apply(table, 1)
    leaving = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leaving.set)
    with tempfile.TemporaryDirectory() as folder:
        plane = Plane(core, Path(folder) / "haproxy", find_program(), sockets.listen(host, port), lambda _: None)
        await plane.spread(table)
        await plane.begin()
        try:
            await leaving.wait()
        finally:
            plane.end()


if __name__ == "__main__":
    main()
