"""Who may start: a pure function, tried on situations."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.workloads.placing import FreeDevice, FreeMachine, Shape, place
from tidemill.workloads.planning import (
    HOLD_BACK_AFTER,
    Decisions,
    Holding,
    Quota,
    Situation,
    Waiting,
    free_machines,
    is_open,
    plan,
)

GIB = 2**30
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SIZE: dict[str, Any] = {"priority": 1}


def shape(cpus: float = 1, gib: float = 1, nodes: int = 1, gpu: float = 0, fabrics: set[str] | None = None) -> Shape:
    return Shape(cpus, int(gib * GIB), "gpu" if gpu else None, gpu, frozenset(fabrics or ()), nodes)


def computer(
    name: str = "m", cpus: float = 4, gib: int = 8, gpus: int = 0, shares: int = 1, **more: Any
) -> FreeMachine:
    devices = [FreeDevice("gpu", f"{name}-{n}", shares, shares) for n in range(gpus)]
    return FreeMachine(name, cpus, gib * GIB, frozenset(more.get("fabrics", ())), devices)


def waits(key: str, want: Shape, *, project: str = "a", priority: int = 1, age_s: float = 0, **more: Any) -> Waiting:
    return Waiting(key, project, want, priority, NOW - timedelta(seconds=age_s), **more)


def holds(key: str, want: Shape, machines: list[FreeMachine], *, project: str = "a", **more: Any) -> Holding:
    """Somebody who holds what they would have been given on empty machines beside `more`'s others."""
    taken = place(want, machines)
    assert taken is not None
    given_more = {"priority": 1, **more}
    return Holding(key, project, want, placement=taken, **given_more)


def decide(
    machines: list[FreeMachine],
    waiting: list[Waiting],
    holding: list[Holding] | None = None,
    quotas: dict[str, Quota] | None = None,
    now: datetime = NOW,
) -> Decisions:
    return plan(Situation(now, machines, holding or [], waiting, quotas or {}))


def started(decisions: Decisions) -> list[str]:
    return [key for key, _ in decisions.starts]


def test_what_fits_starts_and_what_does_not_is_told_why() -> None:
    found = decide([computer(cpus=2)], [waits(str(n), shape(), age_s=9 - n) for n in range(3)])
    assert started(found) == ["0", "1"]
    assert list(found.why) == ["2"]
    assert found.why["2"].code == "waiting_capacity"
    assert found.why["2"].resource == "cpus"


def test_a_gang_starts_whole_or_not_at_all() -> None:
    machines = [computer("a", cpus=2), computer("b", cpus=1)]
    found = decide(machines, [waits("gang", shape(nodes=3))])
    placement = dict(found.starts)["gang"]
    assert sorted(node["machine"] for node in placement) == ["a", "a", "b"]
    assert [node["index"] for node in placement] == [0, 1, 2]
    assert started(decide(machines, [waits("gang", shape(nodes=4))])) == []


def test_a_gang_stays_on_one_machine_where_it_can() -> None:
    found = decide([computer("a", cpus=2), computer("b", cpus=8)], [waits("gang", shape(nodes=3))])
    assert {node["machine"] for node in dict(found.starts)["gang"]} == {"b"}


def test_devices_are_given_out_by_id_and_once() -> None:
    machines = [computer(cpus=8, gpus=3)]
    found = decide(
        machines,
        [waits("two", shape(gpu=2), age_s=2), waits("one", shape(gpu=1), age_s=1), waits("more", shape(gpu=1))],
    )
    given = [device[1] for _, placement in found.starts for node in placement for device in node["devices"]]
    assert sorted(given) == ["m-0", "m-1", "m-2"]
    assert found.why["more"].resource == "gpu"


def test_a_device_that_can_be_divided_is_shared_by_as_many_as_it_says() -> None:
    machines = [computer(cpus=8, gpus=2, shares=2)]
    found = decide(
        machines, [waits(str(n), shape(gpu=0.5), age_s=9 - n) for n in range(3)] + [waits("whole", shape(gpu=1))]
    )
    devices = [placement[0]["devices"][0] for _, placement in found.starts]
    assert [device[2] for device in devices] == [0.5, 0.5, 0.5]
    assert devices[0][1] == devices[1][1] != devices[2][1]
    assert "whole" in found.why, "half of the second device is taken"


def test_a_device_that_cannot_be_divided_is_not() -> None:
    assert started(decide([computer(gpus=1)], [waits("half", shape(gpu=0.5))])) == []


def test_those_who_need_no_device_leave_machines_with_devices_alone() -> None:
    found = decide([computer("with", gpus=1), computer("without")], [waits("x", shape())])
    assert dict(found.starts)["x"][0]["machine"] == "without"


def test_fabrics_are_needed_where_they_are_asked_for() -> None:
    machines = [computer("plain"), computer("fast", fabrics=["ib"])]
    found = decide(machines, [waits("x", shape(fabrics={"ib"}))])
    assert dict(found.starts)["x"][0]["machine"] == "fast"


def test_the_urgent_go_first_then_the_older() -> None:
    line = [waits("new", shape()), waits("old", shape(), age_s=5), waits("urgent", shape(), priority=2)]
    assert started(decide([computer(cpus=2)], line)) == ["urgent", "old"]


def test_the_project_that_holds_least_goes_first() -> None:
    machines = [computer(cpus=4)]
    held = [holds("h", shape(cpus=2), [computer(cpus=4)], project="rich")]
    line = [
        waits("r", shape(), project="rich", age_s=50),
        waits("p1", shape(), project="poor"),
        waits("p2", shape(), project="poor", age_s=1),
    ]
    found = decide(machines, line, held)
    assert started(found) == ["p2", "p1"]
    assert found.why["r"].code == "waiting_capacity"


def test_projects_take_turns_as_their_shares_grow() -> None:
    line = [waits(f"{p}{n}", shape(), project=p, age_s=9 - n) for p in "ab" for n in range(3)]
    assert started(decide([computer(cpus=4)], line)) == ["a0", "b0", "a1", "b1"]


def test_a_quota_holds_a_project_back_and_nobody_else() -> None:
    quotas = {"a": Quota(cpus=1)}
    line = [waits("a1", shape(), age_s=3), waits("a2", shape(), age_s=2), waits("b1", shape(), project="b")]
    found = decide([computer()], line, quotas=quotas)
    assert set(started(found)) == {"a1", "b1"}
    why = found.why["a2"]
    assert (why.code, why.params["wanted"], why.params["left"], why.params["limit"]) == ("waiting_quota", 1, 0, 1)


def test_a_quota_of_one_kind_of_accelerator_counts_that_kind() -> None:
    machines = [computer(gpus=4)]
    found = decide(
        machines, [waits("x", shape(gpu=2)), waits("y", shape(gpu=2))], quotas={"a": Quota(accelerators={"gpu": 2})}
    )
    assert len(found.starts) == 1
    (why,) = found.why.values()
    assert (why.code, why.resource) == ("waiting_quota", "gpu")


@pytest.mark.parametrize(("hour", "is_so"), [(21, False), (22, True), (2, True), (6, False)])
def test_a_window_over_midnight(hour: int, is_so: bool) -> None:
    now = NOW.replace(hour=hour)
    assert is_open(("22:00", "06:00", "UTC"), now) is is_so
    found = decide([computer()], [waits("x", shape(), window=("22:00", "06:00", "UTC"))], now=now)
    assert bool(found.starts) is is_so
    assert is_so or found.why["x"].code == "waiting_window"


def test_a_window_is_of_its_own_time_zone() -> None:
    assert is_open(("20:00", "21:00", "Asia/Shanghai"), NOW)


def test_small_ones_pass_a_big_one_only_for_a_while() -> None:
    machines = [computer(cpus=4)]
    held = [holds("h", shape(cpus=2), [computer(cpus=4)])]
    young = [waits("big", shape(cpus=4), age_s=30), waits("small", shape(), project="b")]
    assert started(decide(machines, young, held)) == ["small"]
    long = HOLD_BACK_AFTER.total_seconds() + 1
    old = [waits("big", shape(cpus=4), project="b", age_s=long), waits("small", shape(), project="b")]
    assert started(decide(machines, old, held)) == []


def test_what_fits_beside_the_room_held_back_still_starts() -> None:
    long = HOLD_BACK_AFTER.total_seconds() + 1
    machines = [computer("a", cpus=4), computer("b", cpus=2)]
    held = [holds("h", shape(cpus=3), [computer("a", cpus=4)])]
    line = [
        waits("big", shape(cpus=4), project="b", age_s=long),
        waits("s1", shape(), project="b"),
        waits("s2", shape(), project="b"),
        waits("s3", shape(), project="b"),
    ]
    found = decide(machines, line, held)
    assert len(found.starts) == 2
    assert {placement[0]["machine"] for _, placement in found.starts} == {"b"}


def test_the_urgent_put_out_what_is_less_so_and_said_it_could_be() -> None:
    room = [computer(cpus=2)]
    held = [
        holds("old", shape(), room, priority=0, preemptible=True, started_at=NOW - timedelta(hours=2)),
        holds("new", shape(), room, priority=0, preemptible=True, started_at=NOW - timedelta(hours=1)),
    ]
    found = decide([computer(cpus=2)], [waits("urgent", shape(), priority=2)], held)
    assert found.preempt == [("new", "urgent")]
    assert found.starts == []
    assert found.why["urgent"].code == "waiting_preemption"


def test_nobody_is_put_out_who_did_not_say_so_or_is_as_urgent_or_when_it_would_not_help() -> None:
    def try_with(want: Shape, **held: Any) -> list[tuple[str, str]]:
        room = [computer(cpus=2)]
        holding = [holds("h", shape(cpus=2), room, **held)]
        return decide([computer(cpus=2)], [waits("urgent", want, priority=2)], holding).preempt

    assert try_with(shape(), priority=0, preemptible=False) == []
    assert try_with(shape(), priority=2, preemptible=True) == []
    assert try_with(shape(cpus=3), priority=0, preemptible=True) == []
    assert try_with(shape(), priority=1, preemptible=True) == [("h", "urgent")]


def test_nobody_more_is_put_out_while_somebody_is_leaving() -> None:
    room = [computer(cpus=2)]
    held = [
        holds("leaving", shape(), room, priority=0, preemptible=True, is_leaving=True),
        holds("other", shape(), room, priority=0, preemptible=True),
    ]
    found = decide([computer(cpus=2)], [waits("urgent", shape(), priority=2)], held)
    assert found.preempt == []
    assert found.why["urgent"].code == "waiting_preemption"


def test_what_is_held_on_a_machine_that_is_gone_hurts_nobody() -> None:
    held = [holds("h", shape(cpus=4), [computer("gone")])]
    assert started(decide([computer("here")], [waits("x", shape(cpus=4))], held)) == ["x"]


sizes = st.builds(
    shape,
    cpus=st.sampled_from([0.5, 1, 2, 3]),
    gib=st.sampled_from([0.5, 1, 4]),
    nodes=st.integers(1, 4),
    gpu=st.sampled_from([0, 0.5, 1, 2]),
)


@given(
    st.lists(st.tuples(sizes, st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 200)), max_size=30),
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(0, 3)), min_size=1, max_size=4),
)
def test_nothing_is_ever_given_out_twice(line: list[Any], having: list[Any]) -> None:
    machines = [computer(f"m{n}", cpus, gib, gpus, shares=2) for n, (cpus, gib, gpus) in enumerate(having)]
    waiting = [waits(str(n), want, project=p, priority=i, age_s=age) for n, (want, p, i, age) in enumerate(line)]
    found = decide(machines, waiting)
    by_id = {one.id: one for one in waiting}
    holding = [Holding(key, "x", by_id[key].shape, 1, placement) for key, placement in found.starts]
    for left in free_machines(machines, holding).values():
        assert left.cpus >= -1e-6
        assert left.memory_bytes >= 0
        assert all(device.free >= 0 for device in left.devices)
    assert set(started(found)) | set(found.why) == set(by_id)
    assert all(len(placement) == by_id[key].shape.nodes for key, placement in found.starts)


def test_a_thousand_over_a_hundred_machines_take_no_time_to_speak_of() -> None:
    machines = [computer(f"m{n}", 32, 128, 8) for n in range(100)]
    kinds = [shape(1, 2), shape(4, 16, gpu=1), shape(8, 32, nodes=4, gpu=8), shape(2, 4, nodes=2)]
    waiting = [waits(str(n), kinds[n % 4], project=f"p{n % 10}", age_s=1000 - n) for n in range(1000)]
    begun = time.process_time()
    found = decide(machines, waiting)
    assert len(found.starts) + len(found.why) == 1000
    assert time.process_time() - begun < 1.0, "ten times what it may take on an idle machine"
