"""`python -m tidemill.gateway.alone --port 8080 --upstream 127.0.0.1:9000`: one open service at `/`, for measuring."""

import argparse
import asyncio

import uvloop

from tidemill.gateway.core import Core
from tidemill.gateway.front import Front
from tidemill.gateway.schemas import ReplicaRoute, ServiceRoute, TrackRoute


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", action="append", required=True, metavar="HOST:PORT")
    given = parser.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(_serve(given.host, given.port, given.upstream))
        except KeyboardInterrupt:
            return


async def _serve(host: str, port: int, upstreams: list[str]) -> None:
    loop = asyncio.get_running_loop()
    core = Core(loop)
    replicas = tuple(
        ReplicaRoute(f"upstream-{place}", name, int(number))
        for place, (name, _, number) in enumerate(one.rpartition(":") for one in upstreams)
    )
    track = TrackRoute("production", "upstream", 1, 100.0, replicas)
    core.routes.serve_at_root(
        ServiceRoute(
            id="alone", project_id="alone", project="alone", name="alone", access="open",
            body_max_bytes=1 << 40, tracks=(track,),
        )
    )  # fmt: skip
    server = await loop.create_server(lambda: Front(core), host, port, backlog=2048)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    main()
