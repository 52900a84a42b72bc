"""What the control plane and the gateway tell each other: the routing table one way, state and counts the other.

Standard library only, so that the gateway's process stays light.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

Access = Literal["key", "open"]
Role = Literal["production", "canary", "shadow"]

LATENCY_BOUNDS_S = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5,
    2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 30.0, 60.0,
)  # fmt: skip
"""Upper bounds of the latency histogram's buckets; one more bucket counts what took longer."""

STATUS_CLASSES = ("2xx", "3xx", "4xx", "5xx")


@dataclass(frozen=True, slots=True)
class ReplicaRoute:
    """Where a replica listens. Only replicas that are ready belong into the table."""

    id: str
    host: str
    port: int
    grpc_port: int | None = None


@dataclass(frozen=True, slots=True)
class TrackRoute:
    """A version that takes part of the traffic. Shares are percents; a track without replicas leaves its share."""

    role: Role
    version_id: str
    number: int
    share: float
    replicas: tuple[ReplicaRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class Shadow:
    """A version that gets copies of some requests; its answers are compared and thrown away."""

    track: TrackRoute
    percent: float


@dataclass(frozen=True, slots=True)
class KeyRoute:
    """A service key: its digest (`hashlib.sha256(key.encode()).hexdigest()`), and its own rate where it has one."""

    id: str
    sha256: str
    rate_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class ServiceRoute:
    """A service as callers reach it, at `/<project>/<name>/`. Both names are given as they are written."""

    id: str
    project_id: str
    project: str
    name: str
    access: Access = "key"
    cors: tuple[str, ...] = ()
    """Origins such as `https://shop.example.org`, or `*`."""
    body_max_bytes: int = 64 << 20
    timeout_s: float = 60.0
    """The longest silence of a replica: before its answer begins, and within it."""
    rate_per_s: float | None = None
    """Per key (per caller, where there is none); a key's own rate goes first. None: as fast as they can."""
    keys: tuple[KeyRoute, ...] = ()
    tracks: tuple[TrackRoute, ...] = ()
    shadow: Shadow | None = None
    retry_posts: bool = True
    """Whether a call that reached a replica that died may be sent to another: so for inference, which changes nothing;
    not for an application of which we do not know."""


@dataclass(frozen=True, slots=True)
class RoutingTable:
    """Everything the gateway serves."""

    services: tuple[ServiceRoute, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, the same for the same table."""
        return {"services": [asdict(one) for one in sorted(self.services, key=lambda service: service.id)]}

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> "RoutingTable":
        """The table of such JSON. Fields it does not know are left out: they are of a newer program."""
        return RoutingTable(tuple(_service(one) for one in content.get("services", ())))


@dataclass(frozen=True, slots=True)
class ShadowCount:
    """How the answers of a shadow version compare with those that callers got."""

    same: int = 0
    different: int = 0
    """Another status or another body."""
    failed: int = 0
    """The shadow version did not answer."""
    skipped: int = 0
    """Not sent, because too many were under way or the body was too large."""
    latency_sum_s: float = 0.0
    """Of the compared: how long the shadow version took, all together…"""
    live_latency_sum_s: float = 0.0
    """…and how long the version that answered took."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts of one replica in one service version since the gateway began; they only ever grow, but for `in_flight`.

    Without a replica (empty `replica_id`, and perhaps `version_id`): what the gateway answered itself. Of the role
    `shadow`: copies that it was shown, which are in no other counter; only these have a `shadow`.
    """

    epoch: str
    """Of the gateway process that counted; another one counts from nothing."""
    service_id: str
    version_id: str
    replica_id: str
    role: str
    requests: Mapping[str, int] = field(default_factory=dict)
    """By class of status: `2xx`, `3xx`, `4xx`, `5xx`."""
    latency: tuple[int, ...] = ()
    """How many took at most each of `LATENCY_BOUNDS_S` and more than the one before; the last took longer than all."""
    latency_sum_s: float = 0.0
    in_flight: int = 0
    retried: int = 0
    """Begun here, and done elsewhere because the replica did not answer."""
    failed: int = 0
    """Begun here, and answered with an error of the gateway's (502, 503, 504), or cut off."""
    cancelled: int = 0
    """Given up by the caller."""
    bytes_in: int = 0
    bytes_out: int = 0
    shadow: ShadowCount = field(default_factory=ShadowCount)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> "Counter":
        known = _known(Counter, content)
        known["latency"] = tuple(known.get("latency", ()))
        known["shadow"] = ShadowCount(**_known(ShadowCount, known.get("shadow", {})))
        return Counter(**known)


@dataclass(frozen=True, slots=True)
class Difference:
    """A request that a shadow version answered otherwise, kept as an example. Bodies are not kept."""

    service_id: str
    version_id: str
    at: datetime
    request_id: str
    method: str
    path: str
    live_status: int
    shadow_status: int | None
    """None: it did not answer."""
    live_latency_s: float
    shadow_latency_s: float
    live_body_sha256: str
    shadow_body_sha256: str

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> "Difference":
        known = _known(Difference, content)
        known["at"] = datetime.fromisoformat(known["at"])
        return Difference(**known)


@dataclass(frozen=True, slots=True)
class GatewayState:
    """How a running gateway is."""

    pid: int
    epoch: str
    program: str
    """The version of the program, such as `0.1.0`."""
    revision: int
    """Of the table that it serves; 0 before the first."""
    started_at: datetime
    http_port: int
    grpc_port: int | None
    open_requests: int
    open_by_replica: Mapping[str, int]
    """Replicas with open requests; one that left the table is drained when it is no longer here."""
    is_draining: bool = False
    data_plane: str = "embedded"
    """Who takes callers in: `embedded` or `haproxy`."""
    plane_setting: str = "embedded"
    """What it was told about that: `auto`, `embedded` or `haproxy`."""

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> "GatewayState":
        known = _known(GatewayState, content)
        known["started_at"] = datetime.fromisoformat(known["started_at"])
        return GatewayState(**known)


def _service(content: Mapping[str, Any]) -> ServiceRoute:
    known = _known(ServiceRoute, content)
    known["cors"] = tuple(known.get("cors", ()))
    known["keys"] = tuple(KeyRoute(**_known(KeyRoute, one)) for one in known.get("keys", ()))
    known["tracks"] = tuple(_track(one) for one in known.get("tracks", ()))
    if known.get("shadow") is not None:
        known["shadow"] = Shadow(track=_track(known["shadow"]["track"]), percent=known["shadow"]["percent"])
    return ServiceRoute(**known)


def _track(content: Mapping[str, Any]) -> TrackRoute:
    known = _known(TrackRoute, content)
    replicas: Sequence[Mapping[str, Any]] = known.get("replicas", ())
    known["replicas"] = tuple(ReplicaRoute(**_known(ReplicaRoute, one)) for one in replicas)
    return TrackRoute(**known)


def _known(kind: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name in kind.__dataclass_fields__}
