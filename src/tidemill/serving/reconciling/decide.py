"""What is to be done for one service: a pure function of what was seen.

The rules:
- A replica gets traffic only after it said that it is ready, and is out of the routing table, and done with what it has
  begun, before it is told to end.
- New replicas of an update come one at a time, beside what is there; an old one goes when there are enough that are
  ready without it.
- A replica that dies is replaced: at once the first time, then after growing pauses.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tidemill.serving.reconciling.seen import GatewaySeen, Limits, ReplicaSeen, ServiceSeen, TrackSeen
from tidemill.serving.states import LIVE, ReplicaState
from tidemill.workloads.lifecycle import FINAL

NOBODYS_FAULT = frozenset({"user", "preempted", "node_lost", "deleted"})
"""Why workloads end that would go on otherwise: these replicas are replaced without a pause."""


@dataclass(frozen=True, slots=True)
class Move:
    """A replica goes on to another state. On its way to `ending` its workload is told to stop."""

    replica_id: str
    from_state: ReplicaState
    to: ReplicaState
    why: str = ""
    """Code of the words for it, where there are any: of a failure."""


@dataclass(frozen=True, slots=True)
class Unwell:
    """A replica stopped answering, or does again (None)."""

    replica_id: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Start:
    """New replicas of a track's deployment."""

    track_id: str
    count: int


@dataclass(frozen=True, slots=True)
class Blame:
    """A replica failed: the track's next ones wait until `retry_at`."""

    track_id: str
    replica_id: str
    failures: int
    retry_at: datetime


@dataclass(frozen=True, slots=True)
class Forgive:
    """The track is well: what failed before does not count any more."""

    track_id: str


Action = Move | Unwell | Start | Blame | Forgive
_Go = Callable[..., tuple[list[Action], ReplicaSeen]]


def decide(service: ServiceSeen, gateway: GatewaySeen | None, now: datetime, limits: Limits) -> list[Action]:
    """What to do now, in order; nothing when all is as it should be."""
    actions: list[Action] = []
    wanted = {track.id: _effective(service, track) for track in service.tracks}
    replicas: list[ReplicaSeen] = []
    for replica in service.replicas:
        found, after = _look(replica, wanted.get(replica.track_id), gateway, now, limits)
        actions += found
        replicas.append(after)
    for track in wanted.values():
        track, found = _blame(track, actions, replicas, now, limits)
        actions += found
        actions += _plan(track, [one for one in replicas if one.track_id == track.id], now, limits)
    return actions


def is_current(replica: ReplicaSeen, track: TrackSeen) -> bool:
    """Whether the replica is what the track wants now, not what it wanted before."""
    return replica.deployment_id == track.deployment_id and replica.generation == track.generation


def pause_s(failures: int, limits: Limits) -> float:
    """How long to wait after so many failures in a row: not at all after the first, then longer and longer."""
    if failures <= 1:
        return 0.0
    return min(limits.backoff_s * 2.0 ** min(failures - 2, 30), limits.backoff_max_s)


def _effective(service: ServiceSeen, track: TrackSeen) -> TrackSeen:
    return replace(track, wanted=0) if service.is_over else track


def _look(
    replica: ReplicaSeen, track: TrackSeen | None, gateway: GatewaySeen | None, now: datetime, limits: Limits
) -> tuple[list[Action], ReplicaSeen]:
    """One replica by itself: what became of its workload and its health."""

    def go(to: ReplicaState, why: str = "", *more: Action) -> tuple[list[Action], ReplicaSeen]:
        return [Move(replica.id, replica.state, to, why), *more], replace(replica, state=to)

    if replica.workload is None or replica.workload in FINAL:
        return go("ended", "" if replica.state not in LIVE else _death(replica))
    if replica.state == "ending":
        return [], replica
    if replica.state == "draining":
        return go("ending") if _is_drained(replica, gateway, now, limits) else ([], replica)
    if replica.workload == "stopping":
        return go("ending")
    if track is None:
        return go("draining" if replica.state in {"ready", "unready"} else "ending")
    return _look_at_health(replica, now, limits, go)


def _look_at_health(replica: ReplicaSeen, now: datetime, limits: Limits, go: _Go) -> tuple[list[Action], ReplicaSeen]:
    if replica.state == "waiting":
        return go("starting") if replica.workload == "running" else ([], replica)
    if replica.state == "starting":
        if replica.workload != "running":
            return go("waiting")
        if replica.is_well:
            return go("ready")
        since = replica.running_since or replica.created_at or now
        return go("ending", "service_never_ready") if _is_past(since, limits.ready_s, now) else ([], replica)
    if replica.is_well:
        back: list[Action] = [Unwell(replica.id, None)] if replica.unwell_since else []
        return go("ready", "", *back) if replica.state == "unready" else (back, replace(replica, unwell_since=None))
    if replica.is_well is None:
        return [], replica
    if replica.unwell_since is None:
        return [Unwell(replica.id, now)], replica
    if _is_past(replica.unwell_since, limits.lost_s, now):
        return go("ending", "service_lost")
    if replica.state == "ready" and _is_past(replica.unwell_since, limits.unwell_s, now):
        return go("unready")
    return [], replica


def _death(replica: ReplicaSeen) -> str:
    return "" if replica.stop_reason in NOBODYS_FAULT else "service_died"


def _is_drained(replica: ReplicaSeen, gateway: GatewaySeen | None, now: datetime, limits: Limits) -> bool:
    if replica.draining_at is not None and _is_past(replica.draining_at, limits.drain_s, now):
        return True
    if gateway is None or replica.drain_revision is None:
        return False
    return gateway.revision >= replica.drain_revision and not gateway.open_by_replica.get(replica.id)


def _blame(
    track: TrackSeen, actions: Iterable[Action], replicas: Sequence[ReplicaSeen], now: datetime, limits: Limits
) -> tuple[TrackSeen, list[Action]]:
    """Failures of what the track wants now count against it, until one of its replicas has been well for a while."""
    mine = {one.id: one for one in replicas if one.track_id == track.id and is_current(one, track)}
    failed = [one for one in actions if isinstance(one, Move) and one.why and one.replica_id in mine]
    if failed:
        failures = track.failures + 1
        retry_at = now + timedelta(seconds=pause_s(failures, limits))
        blamed = replace(track, failures=failures, retry_at=retry_at)
        return blamed, [Blame(track.id, failed[-1].replica_id, failures, retry_at)]
    ready = [one for one in mine.values() if one.state == "ready" and one.ready_at is not None]
    if track.failures and any(_is_past(one.ready_at or now, limits.steady_s, now) for one in ready):
        return replace(track, failures=0, retry_at=None), [Forgive(track.id)]
    return track, []


def _plan(track: TrackSeen, replicas: Sequence[ReplicaSeen], now: datetime, limits: Limits) -> list[Action]:
    """How many there should be, and of which kind."""
    live = [one for one in replicas if one.state in LIVE]
    new = [one for one in live if is_current(one, track)]
    old = [one for one in live if not is_current(one, track)]
    actions: list[Action] = []
    if track.package == "ready" and track.wanted:
        # What never had traffic is in nobody's way but that of what replaces it.
        actions += [_leave(one) for one in old if one.state in {"waiting", "starting"}]
        old = [one for one in old if one.state in {"ready", "unready"}]
    ready = [one for one in new if one.state == "ready"]
    if track.wanted == 0:
        return actions + [_leave(one) for one in live if not _is_leaving(one, actions)]
    surplus = len(new) - track.wanted
    if surplus > 0:
        leaving = sorted(new, key=_first_to_go)[:surplus]
        actions += [_leave(one) for one in leaving]
        ready = [one for one in ready if one not in leaving]
    # Old ones that do not answer are no loss; of the others so many may go as there are new ones in their place.
    well = [one for one in old if one.state == "ready"]
    spare = len(ready) + len(well) - track.wanted
    going = [one for one in old if one.state == "unready" and ready] + well[: max(0, spare)]
    actions += [_leave(one) for one in going]
    missing = track.wanted - len(new)
    if missing > 0 and track.package == "ready" and not (track.retry_at and track.retry_at > now):
        staying = len(old) - len(going)
        room = track.wanted + 1 - staying - len(new) if staying else missing
        if (count := min(missing, room, limits.at_once)) > 0:
            actions.append(Start(track.id, count))
    return actions


def _leave(replica: ReplicaSeen) -> Move:
    """Out: first of the routing table, where it is in it."""
    return Move(replica.id, replica.state, "draining" if replica.state in {"ready", "unready"} else "ending")


def _is_leaving(replica: ReplicaSeen, actions: Iterable[Action]) -> bool:
    return any(isinstance(one, Move) and one.replica_id == replica.id for one in actions)


def _first_to_go(replica: ReplicaSeen) -> tuple[int, float]:
    """Those without traffic before those with it, the youngest first."""
    order = {"waiting": 0, "starting": 1, "unready": 2, "ready": 3}
    return order[replica.state], -(replica.created_at.timestamp() if replica.created_at else 0.0)


def _is_past(since: datetime, seconds: float, now: datetime) -> bool:
    return now >= since + timedelta(seconds=seconds)
