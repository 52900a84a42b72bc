"""What is to be done for a service: decided from what was seen, whatever that is."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.serving.reconciling.decide import Action, Blame, Forgive, Move, Start, Unwell, decide, pause_s
from tidemill.serving.reconciling.judging import judge_service, judge_track
from tidemill.serving.reconciling.seen import GatewaySeen, Limits, ReplicaSeen, ServiceSeen, TrackSeen
from tidemill.serving.states import LIVE, MOVES, REPLICA_STATES

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = Limits()


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def track(wanted: int = 1, **more: object) -> TrackSeen:
    given = {"id": "t", "role": "production", "deployment_id": "d1", "generation": 0, "wanted": wanted, **more}
    return TrackSeen(**given)  # type: ignore[arg-type]


def replica(name: str = "r1", state: str = "ready", **more: object) -> ReplicaSeen:
    workload = {"waiting": "pending", "ending": "stopping"}.get(state, "running")
    given = {
        "id": name, "track_id": "t", "deployment_id": "d1", "generation": 0, "state": state, "workload": workload,
        "created_at": ago(100), "running_since": ago(90), "ready_at": ago(5), **more,
    }  # fmt: skip
    return ReplicaSeen(**given)  # type: ignore[arg-type]


def done(
    tracks: Sequence[TrackSeen], replicas: Sequence[ReplicaSeen] = (), *, is_over: bool = False,
    gateway: GatewaySeen | None = None,
) -> list[Action]:  # fmt: skip
    return decide(ServiceSeen("s", 0, is_over, tuple(tracks), tuple(replicas)), gateway, NOW, LIMITS)


def test_what_is_as_it_should_be_is_left_alone() -> None:
    assert done([track(2)], [replica("a"), replica("b")]) == []


def test_missing_replicas_are_started_all_at_once() -> None:
    assert done([track(3)], [replica("a")]) == [Start("t", 2)]


def test_nothing_starts_while_the_package_is_built() -> None:
    assert done([track(2, package="waiting")]) == []
    assert done([track(2, package="building")]) == []
    assert done([track(2, package="failed")]) == []


def test_a_replica_gets_traffic_only_once_it_said_that_it_is_well() -> None:
    assert done([track()], [replica(state="starting")]) == []
    assert done([track()], [replica(state="starting", is_well=False)]) == []
    assert done([track()], [replica(state="starting", is_well=True)]) == [Move("r1", "starting", "ready")]


def test_one_that_is_never_ready_is_ended_and_blamed() -> None:
    late = replica(state="starting", running_since=ago(LIMITS.ready_s + 1))
    assert done([track()], [late]) == [
        Move("r1", "starting", "ending", "service_never_ready"),
        Blame("t", "r1", 1, NOW),
        Start("t", 1),
    ]


def test_the_first_death_is_made_good_at_once_and_further_ones_after_growing_pauses() -> None:
    dead = replica(workload="failed", stop_reason="exit_code")
    assert done([track()], [dead])[-1] == Start("t", 1)
    again = done([track(failures=3)], [dead])
    assert again == [
        Move("r1", "ready", "ended", "service_died"),
        Blame("t", "r1", 4, NOW + timedelta(seconds=pause_s(4, LIMITS))),
    ]
    assert done([track(failures=4, retry_at=NOW + timedelta(seconds=1))]) == []
    assert done([track(failures=4, retry_at=NOW)]) == [Start("t", 1)]
    pauses = [pause_s(count, LIMITS) for count in range(1, 30)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.0, LIMITS.backoff_max_s)


@pytest.mark.parametrize("why", ["user", "preempted", "node_lost", "deleted"])
def test_an_end_that_is_nobodys_fault_is_not_held_against_it(why: str) -> None:
    gone = replica(workload="stopped", stop_reason=why)
    assert done([track()], [gone]) == [Move("r1", "ready", "ended"), Start("t", 1)]


def test_failures_are_forgotten_once_a_replica_has_been_well_for_a_while() -> None:
    steady = replica(ready_at=ago(LIMITS.steady_s + 1))
    assert done([track(failures=2)], [steady]) == [Forgive("t")]


def test_one_that_stops_answering_loses_its_traffic_and_then_its_place() -> None:
    assert done([track()], [replica(is_well=False)]) == [Unwell("r1", NOW)]
    assert done([track()], [replica(is_well=False, unwell_since=ago(5))]) == []
    assert done([track()], [replica(is_well=False, unwell_since=ago(11))]) == [Move("r1", "ready", "unready")]
    assert done([track()], [replica(state="unready", is_well=True, unwell_since=ago(11))]) == [
        Move("r1", "unready", "ready"),
        Unwell("r1", None),
    ]
    lost = done([track()], [replica(state="unready", is_well=False, unwell_since=ago(41))])
    assert lost[0] == Move("r1", "unready", "ending", "service_lost")


def test_scaled_down_those_without_traffic_go_first() -> None:
    found = done([track(1)], [replica("a"), replica("b", "starting"), replica("c", "waiting")])
    assert found == [Move("c", "waiting", "ending"), Move("b", "starting", "ending")]


def test_scaled_down_those_with_traffic_are_drained() -> None:
    young = replica("b", created_at=ago(1))
    assert done([track(1)], [replica("a"), young]) == [Move("b", "ready", "draining")]


def test_one_drains_until_the_gateway_has_dropped_it_and_its_requests_are_done() -> None:
    leaving = replica(state="draining", draining_at=ago(1), drain_revision=7)
    tracks = [track(0)]
    assert done(tracks, [leaving]) == [], "no gateway answers: somebody may still be inside"
    assert done(tracks, [leaving], gateway=GatewaySeen(6)) == []
    assert done(tracks, [leaving], gateway=GatewaySeen(7, {"r1": 1})) == []
    assert done(tracks, [leaving], gateway=GatewaySeen(7)) == [Move("r1", "draining", "ending")]
    unpublished = replace(leaving, drain_revision=None)
    assert done(tracks, [unpublished], gateway=GatewaySeen(99)) == []


def test_draining_has_an_end() -> None:
    stuck = replica(state="draining", draining_at=ago(LIMITS.drain_s + 1), drain_revision=7)
    assert done([track(0)], [stuck], gateway=GatewaySeen(7, {"r1": 1})) == [Move("r1", "draining", "ending")]


def test_an_update_brings_one_new_replica_at_a_time_and_lets_an_old_one_go_when_it_is_ready() -> None:
    tracks = [track(2, deployment_id="d2")]
    old = [replica("a"), replica("b")]
    assert done(tracks, old) == [Start("t", 1)]
    coming = replica("c", "starting", deployment_id="d2")
    assert done(tracks, [*old, coming]) == []
    ready = replica("c", deployment_id="d2")
    assert done(tracks, [*old, ready]) == [Move("a", "ready", "draining"), Start("t", 1)]
    assert done(tracks, [replica("b"), ready, replica("d", deployment_id="d2")]) == [Move("b", "ready", "draining")]


def test_a_restart_is_an_update_to_the_same() -> None:
    assert done([track(1, generation=1)], [replica("a")]) == [Start("t", 1)]


def test_an_update_whose_package_is_still_built_leaves_what_serves() -> None:
    assert done([track(2, deployment_id="d2", package="building")], [replica("a"), replica("b")]) == []


def test_an_update_whose_new_replicas_die_leaves_what_serves() -> None:
    dead = replica("c", "starting", deployment_id="d2", workload="failed", stop_reason="exit_code")
    found = done([track(2, deployment_id="d2", failures=2)], [replica("a"), replica("b"), dead])
    assert [type(one) for one in found] == [Move, Blame]
    assert not any(isinstance(one, Move) and one.replica_id in "ab" for one in found)


def test_a_track_that_is_gone_is_drained() -> None:
    assert done([], [replica("a"), replica("b", "starting")]) == [
        Move("a", "ready", "draining"),
        Move("b", "starting", "ending"),
    ]


def test_a_stopped_service_ends_everything_and_starts_nothing() -> None:
    found = done([track(3)], [replica("a"), replica("b", "waiting")], is_over=True)
    assert found == [Move("a", "ready", "draining"), Move("b", "waiting", "ending")]


seconds = st.one_of(st.none(), st.floats(0, 1000).map(ago))
replicas = st.builds(
    ReplicaSeen,
    id=st.sampled_from([f"r{number}" for number in range(8)]),
    track_id=st.sampled_from(["t", "u", "gone"]),
    deployment_id=st.sampled_from(["d1", "d2"]),
    generation=st.integers(0, 1),
    state=st.sampled_from([state for state in REPLICA_STATES if state != "ended"]),
    workload=st.sampled_from([None, "pending", "starting", "running", "stopping", "completed", "failed", "stopped"]),
    stop_reason=st.sampled_from([None, "user", "exit_code"]),
    running_since=seconds,
    is_well=st.sampled_from([None, True, False]),
    created_at=seconds,
    ready_at=seconds,
    unwell_since=seconds,
    draining_at=seconds,
    drain_revision=st.sampled_from([None, 3, 9]),
)
tracks_ = st.builds(
    TrackSeen,
    id=st.just("t"),
    role=st.just("production"),
    deployment_id=st.sampled_from(["d1", "d2"]),
    generation=st.integers(0, 1),
    wanted=st.integers(0, 4),
    package=st.sampled_from(["waiting", "building", "ready", "failed"]),
    failures=st.integers(0, 5),
    retry_at=st.one_of(st.none(), st.just(NOW + timedelta(seconds=9))),
)
services = st.builds(
    ServiceSeen,
    id=st.just("s"),
    asked=st.just(0),
    is_over=st.booleans(),
    tracks=st.one_of(
        tracks_.map(lambda one: (one,)), tracks_.map(lambda one: (one, replace(one, id="u", role="canary")))
    ),
    replicas=st.lists(replicas, max_size=8, unique_by=lambda one: one.id).map(tuple),
)
gateways = st.one_of(st.none(), st.builds(GatewaySeen, st.integers(0, 10), st.just({"r1": 2})))


@given(services, gateways)
def test_whatever_is_seen_every_move_is_legal_and_what_has_traffic_is_drained_first(
    service: ServiceSeen, gateway: GatewaySeen | None
) -> None:
    states = {one.id: one.state for one in service.replicas}
    for action in decide(service, gateway, NOW, LIMITS):
        if isinstance(action, Move):
            assert states[action.replica_id] == action.from_state, "moves follow one another"
            assert action.to in MOVES[action.from_state]
            seen = next(one for one in service.replicas if one.id == action.replica_id)
            if action.from_state == "ready" and action.to == "ending":
                assert seen.workload == "stopping" or action.why, "only what is lost goes without draining"
            states[action.replica_id] = action.to


@given(services, gateways)
def test_whatever_is_seen_there_are_never_more_than_wanted_and_one(
    service: ServiceSeen, gateway: GatewaySeen | None
) -> None:
    actions = decide(service, gateway, NOW, LIMITS)
    moved = {one.replica_id: one.to for one in actions if isinstance(one, Move)}
    for one in service.tracks:
        started = sum(action.count for action in actions if isinstance(action, Start) and action.track_id == one.id)
        live = [seen for seen in service.replicas if seen.track_id == one.id and moved.get(seen.id, seen.state) in LIVE]
        wanted = 0 if service.is_over else one.wanted
        if started:
            assert len(live) + started <= wanted + 1
            assert one.package == "ready"


@given(services)
def test_whatever_is_seen_nothing_that_serves_goes_before_others_serve_in_its_place(service: ServiceSeen) -> None:
    """Of healthy replicas with traffic, an update or a scaling never leaves fewer than wanted, or than there were."""
    actions = decide(service, None, NOW, LIMITS)
    moved = {one.replica_id: one for one in actions if isinstance(one, Move)}
    for one in service.tracks:
        wanted = 0 if service.is_over else one.wanted
        before = [seen for seen in service.replicas if seen.track_id == one.id and seen.state == "ready"]
        healthy = [seen for seen in before if seen.workload == "running" and seen.is_well is not False]
        after = [seen for seen in healthy if seen.id not in moved]
        risen = [move for move in moved.values() if move.to == "ready" and _is_of(service, move.replica_id, one.id)]
        assert len(after) + len(risen) >= min(wanted, len(healthy))


def _is_of(service: ServiceSeen, replica_id: str, track_id: str) -> bool:
    return any(one.id == replica_id and one.track_id == track_id for one in service.replicas)


@given(services)
def test_serving_is_said_only_when_all_that_is_wanted_is_ready(service: ServiceSeen) -> None:
    judged = [judge_track(one, service.replicas, is_over=service.is_over) for one in service.tracks]
    if judge_service(service, judged) == "serving":
        for one in service.tracks:
            ready = [
                seen
                for seen in service.replicas
                if seen.track_id == one.id and seen.state == "ready" and seen.deployment_id == one.deployment_id
            ]
            assert len(ready) == one.wanted > 0
            assert one.package == "ready"


@pytest.mark.parametrize(
    ("given_track", "given_replicas", "state"),
    [
        (track(1), [], "starting"),
        (track(1, package="waiting"), [], "building"),
        (track(1, package="waiting", deployment_id="d2"), [replica()], "updating"),
        (track(1, package="building"), [], "building"),
        (track(1, package="failed"), [], "failed"),
        (track(1, package="failed", deployment_id="d2"), [replica()], "degraded"),
        (track(1), [replica()], "serving"),
        (track(2), [replica()], "updating"),
        (track(2, failures=1), [replica()], "degraded"),
        (track(1, failures=1), [], "failed"),
        (track(1, deployment_id="d2"), [replica()], "updating"),
        (track(1), [replica(state="unready")], "failed"),
        (track(0), [], "stopped"),
        (track(0), [replica(state="draining")], "stopping"),
    ],
)
def test_states_of_a_track(given_track: TrackSeen, given_replicas: list[ReplicaSeen], state: str) -> None:
    assert judge_track(given_track, given_replicas, is_over=False).state == state


def test_a_build_in_the_queue_is_not_said_to_be_under_way() -> None:
    def why(package: str) -> str:
        return judge_track(track(1, package=package), [], is_over=False).why

    assert (why("waiting"), why("building")) == ("service_package_waits", "service_package_building")
