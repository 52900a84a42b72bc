"""In which state a service is: a pure function of what was seen of it. "serving" is said only when all is ready."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidemill.serving.reconciling.decide import is_current
from tidemill.serving.reconciling.seen import ReplicaSeen, ServiceSeen, TrackSeen
from tidemill.serving.states import LIVE, ServiceState


@dataclass(frozen=True, slots=True)
class TrackJudged:
    """A track's state and why it is not serving, as the code of its words."""

    state: ServiceState
    why: str
    ready: int
    """Of all that is ready, whichever deployment it is of."""


def judge_track(track: TrackSeen, replicas: Sequence[ReplicaSeen], *, is_over: bool) -> TrackJudged:
    """The state of one track."""
    mine = [one for one in replicas if one.track_id == track.id]
    live = [one for one in mine if one.state in LIVE]
    ready = sum(one.state == "ready" for one in live)
    wanted = 0 if is_over else track.wanted
    if wanted == 0:
        return TrackJudged("stopping", "service_ending", ready) if mine else TrackJudged("stopped", "", 0)
    if track.package == "failed":
        return TrackJudged("degraded" if ready else "failed", "service_package_failed", ready)
    if track.package in {"waiting", "building"}:
        why = "service_package_waits" if track.package == "waiting" else "service_package_building"
        return TrackJudged("updating" if ready else "building", why, ready)
    new = [one for one in live if is_current(one, track)]
    new_ready = sum(one.state == "ready" for one in new)
    if new_ready == wanted == len(live):
        return TrackJudged("serving", "", ready)
    if track.failures and new_ready < wanted:
        return TrackJudged("degraded" if ready else "failed", "service_failing", ready)
    if any(one.state == "unready" for one in new):
        return TrackJudged("degraded" if ready else "failed", "service_unwell", ready)
    waits = any(one.state == "waiting" and one.workload == "pending" for one in new)
    if ready == 0:
        return TrackJudged("starting", "service_waits" if waits else "service_starting", ready)
    if len(new) < len(live):
        return TrackJudged("updating", "service_waits" if waits else "service_rolling", ready)
    return TrackJudged("updating", "service_waits" if waits else "service_scaling", ready)


def judge_service(service: ServiceSeen, tracks: Sequence[TrackJudged]) -> ServiceState:
    """The state of the whole, from its tracks' (production first)."""
    if service.is_over or not tracks:
        return "stopping" if service.replicas else "stopped"
    states = [one.state for one in tracks]
    if all(state == "serving" for state in states):
        return "serving"
    first = states[0]
    if first in {"failed", "building", "starting", "stopping", "stopped", "degraded"}:
        return first
    if any(state in {"failed", "degraded"} for state in states):
        return "degraded"
    return "updating"
