"""What HAProxy is to know of a routing table, and the commands that lead there from what it knows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from tidemill.gateway.haproxy import config
from tidemill.gateway.haproxy.config import (
    ALLOWED,
    CANARIES,
    MAPS,
    POSTS,
    REPLICAS,
    SHARES,
    TIMEOUTS,
    VERSIONS,
    backend_of,
    is_sayable,
)  # fmt: skip
from tidemill.gateway.origin import is_address
from tidemill.gateway.schemas import ReplicaRoute, RoutingTable, ServiceRoute, TrackRoute
from tidemill.kernel.fields import name_key

SHARES_OF = 10_000
Address = tuple[str, str, int]
"""A replica, and where it listens."""


@dataclass
class Known:
    """What a HAProxy knows: its maps, which replica has which server, and which of these get nothing new (`aside`)."""

    maps: dict[str, dict[str, str]] = field(default_factory=lambda: {name: {} for name in MAPS})
    servers: dict[str, Address] = field(default_factory=dict)
    aside: set[str] = field(default_factory=set)


def want(table: RoutingTable, known: Known) -> Known:
    """What it should know. Replicas keep their servers, and servers that still have calls are not given away."""
    wanted = Known()
    rooms = _Rooms(known)
    for service in table.services:
        tracks = [one for one in service.tracks if one.replicas]
        are_patient = service.timeout_s != config.TIMEOUT_S
        if is_plain(service, tracks) and (places := rooms.take(tracks, are_patient=are_patient)) is not None:
            _add(wanted, service, tracks, places)
    return wanted


def is_plain(service: ServiceRoute, tracks: list[TrackRoute]) -> bool:
    """Whether HAProxy can carry calls of this service as the gateway would.

    Where a track has one replica and there is another track, the gateway sends calls of one that died to the other.
    """
    if service.shadow is not None or service.cors or service.rate_per_s is not None or not tracks:
        return False
    if service.body_max_bytes < config.BODY_MAX_BYTES or (service.access != "open" and not service.keys):
        return False
    if len(tracks) > 1 and any(len(track.replicas) < 2 for track in tracks):
        return False
    replicas = [replica for track in tracks for replica in track.replicas]
    ids = [*(one.id for one in replicas), *(key.id for key in service.keys)]
    return all(is_address(one.host) for one in replicas) and all(is_sayable(one) for one in ids)


def steps(known: Known, wanted: Known) -> Iterator[list[str]]:
    """Commands, in the order in which no call is ever sent astray."""
    yield list(_removed(known, wanted, ALLOWED))
    yield list(_added(known, wanted, REPLICAS))
    yield [command for slot in wanted.servers for command in _into_service(known, wanted, slot)]
    for name in (VERSIONS, TIMEOUTS, POSTS, CANARIES, SHARES, ALLOWED):
        yield list(_added(known, wanted, name))
    for name in (SHARES, CANARIES, POSTS, TIMEOUTS, VERSIONS):
        yield list(_removed(known, wanted, name))
    gone = known.servers.keys() - wanted.servers.keys() - known.aside
    yield [f"set server {backend_of(slot)}/{slot} state maint" for slot in sorted(gone)]


class _Rooms:
    """Who has which server; gives out those that nobody has."""

    def __init__(self, known: Known) -> None:
        self._homes = {address: slot for slot, address in known.servers.items()}
        self._used = set(known.servers)
        self._taken = {backend_of(slot) for slot in known.servers}
        self._free = {kind: self._unused(kind) for kind in (False, True)}

    def _unused(self, are_patient: bool) -> Iterator[str]:
        return (name for name in config.backend_names(are_patient=are_patient) if name not in self._taken)

    def take(self, tracks: list[TrackRoute], *, are_patient: bool) -> list[dict[str, ReplicaRoute]] | None:
        """A backend's servers for each track; None where there are not enough."""
        found: list[dict[str, ReplicaRoute]] = []
        backends: set[str] = set()
        for track in tracks:
            at_home = (self._homes.get(_address(one)) for one in track.replicas)
            homes = [backend_of(slot) for slot in at_home if slot is not None]
            own = (one for one in homes if config.is_patient(one) == are_patient and one not in backends)
            backend = next(own, None) or next(self._free[are_patient], None)
            slots = None if backend is None else self._slots(backend, track)
            if backend is None or slots is None:
                return None
            backends.add(backend)
            found.append(slots)
        self._taken |= backends
        self._used |= {slot for slots in found for slot in slots}
        return found

    def _slots(self, backend: str, track: TrackRoute) -> dict[str, ReplicaRoute] | None:
        found: dict[str, ReplicaRoute] = {}
        free = (slot for slot in config.slots_of(backend) if slot not in self._used)
        for replica in track.replicas:
            home = self._homes.get(_address(replica))
            slot = home if home is not None and backend_of(home) == backend else next(free, None)
            if slot is None:
                return None
            found[slot] = replica
        return found


def _add(wanted: Known, service: ServiceRoute, tracks: list[TrackRoute], places: list[dict[str, ReplicaRoute]]) -> None:
    maps = wanted.maps
    first = next((place for place, track in enumerate(tracks) if track.role == "production"), 0)
    backends = [backend_of(next(iter(slots))) for slots in places]
    maps[ALLOWED] |= _openers(service, backends[first])
    for backend, track, slots in zip(backends, tracks, places, strict=True):
        maps[VERSIONS][backend] = str(track.number)
        if service.timeout_s != config.TIMEOUT_S:
            maps[TIMEOUTS][backend] = str(round(service.timeout_s * 1000))
        if service.retry_posts:
            maps[POSTS][backend] = "1"
        for slot, replica in slots.items():
            wanted.servers[slot] = _address(replica)
            maps[REPLICAS][slot] = replica.id
        if backend != backends[first]:
            total = sum(one.share for one in tracks)
            maps[CANARIES][backends[first]] = backend
            maps[SHARES][backends[first]] = str(round(track.share / total * SHARES_OF) if total else 0)


def _openers(service: ServiceRoute, backend: str) -> dict[str, str]:
    """What opens the service: the digest of a key and the address called, in all ways in which it is written. With each
    its backend, and the key it is."""
    projects = {service.project_id, name_key(service.project), service.project}
    names = {service.id, name_key(service.name), service.name}
    addresses = [f"{quote(project, safe='')}/{quote(name, safe='')}" for project in projects for name in names]
    if service.access == "open":
        return dict.fromkeys(addresses, backend)
    keys = [key for key in service.keys if key.rate_per_s is None]
    return {f"{key.sha256.upper()}/{address}": f"{backend}/{key.id}" for key in keys for address in addresses}


def _removed(known: Known, wanted: Known, name: str) -> Iterator[str]:
    for key in known.maps[name].keys() - wanted.maps[name].keys():
        yield f"del map {config.map_file(name)} {key}"


def _added(known: Known, wanted: Known, name: str) -> Iterator[str]:
    before = known.maps[name]
    for key, value in wanted.maps[name].items():
        if key not in before:
            yield f"add map {config.map_file(name)} {key} {value}"
        elif before[key] != value:
            yield f"set map {config.map_file(name)} {key} {value}"


def _into_service(known: Known, wanted: Known, slot: str) -> Iterator[str]:
    where = f"{backend_of(slot)}/{slot}"
    _, host, port = wanted.servers[slot]
    if known.servers.get(slot) != wanted.servers[slot]:
        yield f"set server {where} addr {host} port {port}"
    elif slot not in known.aside:
        return
    yield f"set server {where} state ready"


def _address(replica: ReplicaRoute) -> Address:
    return (replica.id, replica.host, replica.port)
