"""What was decided is done, if the service still is as it was seen; then it is written down how it is now."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.jobs.texts import Text, error_text, text
from tidemill.kernel.errors import TidemillError
from tidemill.serving import lifecycle
from tidemill.serving.events import forget_old, tell, touch
from tidemill.serving.lookup import platform_caller
from tidemill.serving.reconciling.decide import Action, Blame, Forgive, Move, Start, Unwell, pause_s
from tidemill.serving.reconciling.explaining import first_reason, reason_of
from tidemill.serving.reconciling.health import Answer
from tidemill.serving.reconciling.judging import judge_service, judge_track
from tidemill.serving.reconciling.loading import Loaded, load
from tidemill.serving.reconciling.seen import Limits
from tidemill.serving.reconciling.starting import start_replica
from tidemill.serving.tables import ReplicaRow, ServiceRow, TrackRow
from tidemill.workloads import service as workloads

log = logging.getLogger("tidemill.services")

PLATFORM = "system"
_PACKAGE_PAUSE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Hands:
    """What applying needs besides the database."""

    ports: range
    limits: Limits
    answers: Mapping[str, Answer]
    last_lines: Mapping[str, str]
    """What replicas that died wrote last, by their id."""
    gateway_problem: str | None = None
    routed: frozenset[str] = frozenset()
    """Replicas the gateway is known to send requests to."""


def apply(
    session: Session, service_id: str, asked: int, actions: Sequence[Action], hands: Hands, now: datetime
) -> None:
    """Does what was decided, and writes down how the service is. Nothing when somebody changed it meanwhile."""
    row = session.get(ServiceRow, service_id, with_for_update=True, populate_existing=True)
    if row is None or row.asked != asked:
        return
    (before,) = load(session, [service_id])
    for action in actions:
        _do(session, before, action, hands, now)
    session.flush()
    session.expire_all()
    (after,) = load(session, [service_id])
    settle(session, after, hands, now)


def settle(session: Session, loaded: Loaded, hands: Hands, now: datetime) -> None:
    """Writes down in which state the service and its tracks are; tells when that changed."""
    seen = loaded.seen({})
    judged = [judge_track(track, seen.replicas, is_over=seen.is_over) for track in seen.tracks]
    row = loaded.row
    state = judge_service(seen, judged)
    reasons = [reason_of(loaded, track, one) for track, one in zip(loaded.tracks, judged, strict=True)]
    reason = first_reason(reasons)
    if hands.gateway_problem is not None and state == "serving":
        state, reason = "degraded", text("service_gateway_down", reason=hands.gateway_problem)
    elif state == "serving" != row.state and not is_routed(loaded, hands.routed):
        state = "updating" if row.state in {"updating", "degraded"} else "starting"
        reason = text("service_unrouted")
    is_new = False
    for track, one, why in zip(loaded.tracks, judged, reasons, strict=True):
        if (track.state, track.ready, track.reason) != (one.state, one.ready, why):
            track.state, track.ready, track.reason = one.state, one.ready, why
            is_new = True
    wanted = 0 if seen.is_over else sum(track.replicas for track in loaded.tracks)
    ready = sum(one.ready for one in judged)
    if row.state != state:
        words = reason or text(f"service_state_{state}")
        tell(session, row.id, state, words, now=now, by=PLATFORM)
        forget_old(session, row.id)
    if is_new or (row.state, row.reason, row.wanted, row.ready) != (state, reason, wanted, ready):
        row.state, row.reason, row.wanted, row.ready = state, reason, wanted, ready
        touch(session, row, now)


def is_routed(loaded: Loaded, routed: frozenset[str]) -> bool:
    """Whether whoever calls the service now reaches each of its replicas."""
    return all(one.id in routed for one in loaded.replicas if one.state == "ready")


def _do(session: Session, loaded: Loaded, action: Action, hands: Hands, now: datetime) -> None:
    if isinstance(action, Move):
        _move(session, loaded, action, hands, now)
    elif isinstance(action, Unwell):
        session.execute(
            sa.update(ReplicaRow).where(ReplicaRow.id == action.replica_id).values(unwell_since=action.since)
        )
    elif isinstance(action, Start):
        _start(session, loaded, action, hands, now)
    elif isinstance(action, Blame):
        track = session.get_one(TrackRow, action.track_id)
        track.failures, track.retry_at = action.failures, action.retry_at
    elif isinstance(action, Forgive):
        track = session.get_one(TrackRow, action.track_id)
        track.failures, track.retry_at, track.failure = 0, None, None


def _move(session: Session, loaded: Loaded, action: Move, hands: Hands, now: datetime) -> None:
    replica = next(one for one in loaded.replicas if one.id == action.replica_id)
    values: dict[str, object] = {}
    if action.to == "ready" and (answer := hands.answers.get(action.replica_id)) is not None and answer.host:
        values = {"host": answer.host, "reached_port": answer.port, "reached_grpc_port": answer.grpc_port}
    if action.why:
        failure = _failure(loaded, replica, action, hands)
        values["reason"] = failure
        session.execute(sa.update(TrackRow).where(TrackRow.id == replica.track_id).values(failure=failure))
        role = next((track.role for track in loaded.tracks if track.id == replica.track_id), None)
        tell(session, loaded.row.id, "failed", failure, now=now, by=PLATFORM, role=role, number=replica.number)
    if not lifecycle.move(session, action.replica_id, action.from_state, action.to, now=now, **values):
        log.info("replica %s is not %s any more", action.replica_id, action.from_state)
        return
    touch(session, loaded.row, now)
    if action.to == "ending":
        by = platform_caller(loaded.project, loaded.deployments[replica.deployment_id], now)
        workloads.stop(session, replica.workload_id, by=by)


def _failure(loaded: Loaded, replica: ReplicaRow, action: Move, hands: Hands) -> Text:
    workload = loaded.workloads.get(replica.workload_id)
    lines = hands.last_lines.get(replica.id, "")
    if action.why == "service_died" and workload is not None and workload.message:
        return text("service_died_saying", name=replica.name, message=workload.message, lines=lines)
    code = workload.exit_code if workload is not None and workload.exit_code is not None else "?"
    return text(action.why, name=replica.name, exit_code=code, lines=lines)


def _start(session: Session, loaded: Loaded, action: Start, hands: Hands, now: datetime) -> None:
    track = session.get_one(TrackRow, action.track_id)
    for _ in range(action.count):
        try:
            with session.begin_nested():
                start_replica(session, loaded, track, hands.ports, now)
        except TidemillError as error:
            # It cannot be started as things are: it is tried again later, for things may change.
            track.failures += 1
            track.failure = error_text(error)
            pause = timedelta(seconds=pause_s(track.failures + 1, hands.limits))
            track.retry_at = now + max(pause, _PACKAGE_PAUSE)
            tell(session, loaded.row.id, "failed", track.failure, now=now, by=PLATFORM, role=track.role)
            return
