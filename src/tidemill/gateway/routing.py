"""The routing table come alive: services found by address, a track chosen by share, the replica with least to do."""

import hashlib
import random
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from tidemill.gateway.counting import SHADOW, Count, Counts, Key
from tidemill.gateway.schemas import KeyRoute, ReplicaRoute, RoutingTable, ServiceRoute, TrackRoute
from tidemill.kernel.fields import name_key

if TYPE_CHECKING:
    from tidemill.gateway.back import Back

_SPELLINGS_MAX = 4096


class Replica:
    """A replica and the connections we hold to it."""

    __slots__ = (
        "aside_until_s", "count", "grpc_port", "headers", "host", "id", "idle", "is_gone", "number", "open", "port",
        "version_id",
    )  # fmt: skip

    def __init__(self, route: ReplicaRoute) -> None:
        self.id = route.id
        self.host = route.host
        self.port = route.port
        self.grpc_port = route.grpc_port
        self.open = 0
        self.idle: list[Back] = []
        self.aside_until_s = 0.0
        self.is_gone = False
        self.version_id = ""
        self.number = 0
        self.headers = b""

    def settle(self, service: ServiceRoute, track: TrackRoute, counts: Counts) -> None:
        """Takes its place in a track."""
        self.is_gone = False
        self.version_id = track.version_id
        self.number = track.number
        self.headers = b"X-Tidemill-Version: %d\r\nX-Tidemill-Replica: %b\r\n" % (track.number, self.id.encode())
        self.count = counts.of(service.id, track.version_id, self.id, track.role)

    def leave(self) -> None:
        """It gets nothing new; what it has begun it finishes."""
        self.is_gone = True
        for back in self.idle:
            back.close()
        self.idle.clear()


class Track:
    """A version's replicas."""

    __slots__ = ("_turn", "replicas", "role", "share", "version_id")

    def __init__(self, route: TrackRoute, replicas: list[Replica]) -> None:
        self.role = route.role
        self.version_id = route.version_id
        self.share = route.share
        self.replicas = replicas
        self._turn = 0

    def pick(self, now_s: float, tried: Collection[Replica] = ()) -> Replica | None:
        """The replica with the fewest open requests among those that answer; of equals each in turn."""
        best = None
        count = len(self.replicas)
        self._turn += 1
        for place in range(count):
            replica = self.replicas[(self._turn + place) % count]
            if replica.aside_until_s > now_s or replica in tried:
                continue
            if best is None or replica.open < best.open:
                best = replica
                if best.open == 0:
                    break
        return best


class Service:
    """A service as the table has it now."""

    __slots__ = (
        "body_max_bytes", "copies", "cors", "count", "keys", "prefix_header", "route", "shadow", "total", "tracks",
        "used_keys",
    )  # fmt: skip

    def __init__(
        self, route: ServiceRoute, tracks: list[Track], shadow: Track | None, counts: Counts, used_keys: set[str]
    ) -> None:
        self.route = route
        self.keys: dict[str, KeyRoute] = {key.sha256: key for key in route.keys}
        # The canary first: a sticky caller that it has stays with it when its share grows.
        self.tracks = sorted((one for one in tracks if one.replicas), key=lambda one: one.role != "canary")
        self.total = sum(track.share for track in self.tracks)
        self.shadow = shadow if shadow is not None and shadow.replicas else None
        self.cors = frozenset(origin.encode() for origin in route.cors)
        self.body_max_bytes = route.body_max_bytes
        self.count = counts.of(route.id)
        self.used_keys = used_keys
        self.copies: dict[Replica, Count] = {}
        """Where copies are counted that the shadow's replicas are shown."""
        if self.shadow is not None:
            version_id = self.shadow.version_id
            self.copies = {one: counts.of(route.id, version_id, one.id, SHADOW) for one in self.shadow.replicas}
        address = f"/{quote(route.project, safe='')}/{quote(route.name, safe='')}"
        self.prefix_header = b"X-Forwarded-Prefix: %b\r\n" % address.encode()

    def choose(self, sticky: bytes | None) -> Track | None:
        """A track by share; always the same one for the same sticky word. None where no track has a replica."""
        if len(self.tracks) < 2:
            return self.tracks[0] if self.tracks else None
        point = (random.random() if sticky is None else _fraction(sticky)) * self.total  # noqa: S311 — no secret
        for track in self.tracks[:-1]:
            if point < track.share:
                return track
            point -= track.share
        return self.tracks[-1]

    def pick(self, track: Track, tried: Collection[Replica]) -> Replica | None:
        """A replica of the track; of another where it has none left, and one that failed a moment ago at last."""
        now_s = time.monotonic()
        for one in (track, *self.tracks):
            if (found := one.pick(now_s, tried)) is not None:
                return found
        for one in (track, *self.tracks):
            if (found := one.pick(float("inf"), tried)) is not None:
                return found
        return None


class Routes:
    """All services. A new table is applied at once: a request sees one table or the other."""

    def __init__(self, counts: Counts, *, on_leave: Callable[[Replica], None] = lambda _: None) -> None:
        self.revision = 0
        self.replicas: dict[tuple[str, str, int, int | None], Replica] = {}
        self.used_keys: set[str] = set()
        """Keys that opened something since somebody looked."""
        self._counts = counts
        self._on_leave = on_leave
        self._services: dict[tuple[str, str], Service] = {}
        self._spellings: dict[bytes, Service] = {}
        self._root: Service | None = None

    def apply(self, table: RoutingTable, revision: int) -> None:
        """Serves this table from now on. Replicas that stay keep their connections; others finish what they have."""
        before, self.replicas = self.replicas, {}
        self._services = {}
        for route in table.services:
            service = self._make(route, before)
            for project in (name_key(route.project), route.project_id):
                for name in (name_key(route.name), route.id):
                    self._services[project, name] = service
        self._spellings = {}
        self.revision = revision
        for key in before.keys() - self.replicas.keys():
            before[key].leave()
            self._on_leave(before[key])
        self.forget()

    def serve_at_root(self, route: ServiceRoute) -> None:
        """Serves this one service, at `/`: for a gateway that stands alone."""
        self.apply(RoutingTable((route,)), 1)
        self._root = self._services[name_key(route.project), name_key(route.name)]

    def forget(self) -> None:
        """Drops the counts of what left the table long ago."""
        used: set[Key] = {replica.count.key for replica in self.replicas.values()}
        for service in self._services.values():
            used.add(service.count.key)
            used.update(count.key for count in service.copies.values())
        self._counts.keep_only(used, time.monotonic())

    def find(self, target: bytes) -> tuple[Service | None, bytes]:
        """The service of a request's target, and the target as its replicas see it."""
        if self._root is not None:
            return self._root, target
        end = target.find(b"/", target.find(b"/", 1) + 1)
        service = self._spellings.get(target[:end]) if end > 0 else None
        if service is not None:
            return service, target[end:]
        return self._find_spelt(target)

    def find_named(self, project: str, name: str) -> Service | None:
        """The service of that name."""
        return self._services.get((name_key(project), name_key(name))) or self._services.get((project, name))

    def _find_spelt(self, target: bytes) -> tuple[Service | None, bytes]:
        path, mark, query = target.partition(b"?")
        parts = path.split(b"/", 3)
        if len(parts) < 3 or parts[0]:
            return None, target
        try:
            names = [unquote_to_bytes(part).decode() for part in parts[1:3]]
        except UnicodeDecodeError:
            return None, target
        service = self.find_named(names[0], names[1])
        if service is None:
            return None, target
        if len(parts) == 4 and len(self._spellings) < _SPELLINGS_MAX:
            self._spellings[b"/".join(parts[:3])] = service
        return service, b"/" + (parts[3] if len(parts) == 4 else b"") + mark + query

    def _make(self, route: ServiceRoute, before: dict[tuple[str, str, int, int | None], Replica]) -> Service:
        tracks = [Track(one, self._replicas_of(route, one, before)) for one in route.tracks]
        shadow = None
        if route.shadow is not None:
            shadow = Track(route.shadow.track, self._replicas_of(route, route.shadow.track, before))
        return Service(route, tracks, shadow, self._counts, self.used_keys)

    def _replicas_of(
        self, service: ServiceRoute, track: TrackRoute, before: dict[tuple[str, str, int, int | None], Replica]
    ) -> list[Replica]:
        found = []
        for route in track.replicas:
            key = (route.id, route.host, route.port, route.grpc_port)
            replica = self.replicas.get(key)
            # A canary that is shown copies stays what it is to callers.
            if replica is None or track.role != SHADOW:
                replica = self.replicas[key] = replica or before.get(key) or Replica(route)
                replica.settle(service, track, self._counts)
            found.append(replica)
        return found


def _fraction(word: bytes) -> float:
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest()) / 2**64
