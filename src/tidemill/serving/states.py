"""The states there are, and which moves between a replica's are legal.

A replica: waiting → starting → ready ⇄ unready → draining → ending → ended
           (each of the first four may also end by itself, or be ended before it had traffic)
"""

from typing import Literal

ServiceState = Literal["building", "starting", "serving", "degraded", "updating", "stopping", "stopped", "failed"]
STATES: tuple[ServiceState, ...] = (
    "building", "starting", "serving", "degraded", "updating", "stopping", "stopped", "failed",
)  # fmt: skip
WaitsFor = Literal["build", "replica"]
WAITING_FOR: dict[str, WaitsFor] = {"service_package_waits": "build", "service_waits": "replica"}
"""What is in the queue of workloads, by the code of the words that say so."""
Role = Literal["production", "canary"]
ROLES: tuple[Role, ...] = ("production", "canary")

ReplicaState = Literal["waiting", "starting", "ready", "unready", "draining", "ending", "ended"]
REPLICA_STATES: tuple[ReplicaState, ...] = (
    "waiting", "starting", "ready", "unready", "draining", "ending", "ended",
)  # fmt: skip

MOVES: dict[ReplicaState, frozenset[ReplicaState]] = {
    # Its workload waits for room, or for its image.
    "waiting": frozenset({"starting", "ending", "ended"}),
    # It runs and is asked for its health; no traffic yet.
    "starting": frozenset({"ready", "waiting", "ending", "ended"}),
    "ready": frozenset({"unready", "draining", "ending", "ended"}),
    # It had traffic and does not answer any more when asked.
    "unready": frozenset({"ready", "draining", "ending", "ended"}),
    # Out of the routing table; requests it has begun are waited for.
    "draining": frozenset({"ending", "ended"}),
    # Its workload was told to stop.
    "ending": frozenset({"ended"}),
    "ended": frozenset(),
}

LIVE: frozenset[ReplicaState] = frozenset({"waiting", "starting", "ready", "unready"})
"""They count as what the track has; the others are on their way out."""
