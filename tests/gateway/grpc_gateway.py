"""A gateway for gRPC in a process of its own: `python grpc_gateway.py REPLICA_PORT`.

It says its port, and then, for every line it is told, the most memory it ever had, in KiB.
"""

import asyncio
import sys

import uvloop

from tidemill.gateway.core import Core
from tidemill.gateway.grpc_door import GrpcDoor
from tidemill.gateway.schemas import ReplicaRoute, RoutingTable, ServiceRoute, TrackRoute


async def main(replica_port: int) -> None:
    loop = asyncio.get_running_loop()
    core = Core(loop)
    track = TrackRoute("production", "v-1", 1, 100, (ReplicaRoute("r1", "127.0.0.1", 1, replica_port),))
    route = ServiceRoute("svc-1", "prj-1", "tides", "boats", access="open", body_max_bytes=1 << 40, tracks=(track,))
    core.routes.apply(RoutingTable((route,)), 1)
    door = GrpcDoor(core)
    print(await door.open("127.0.0.1", 0), flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(peak_kib(), flush=True)
    await door.close(0)
    core.close()


def peak_kib() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
