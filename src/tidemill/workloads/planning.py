"""Who may start now: a pure function from what there is and who waits to decisions.

In order of priority, then of the share of the platform that a project holds already (the least first), then of age.
The first that does not fit for want of room, once it has waited a while, has that room held back for it: smaller ones
may pass it only where they do not use what it needs. What is urgent may put out what is less so and said it could be.
"""

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tidemill.workloads.placing import EPSILON, FreeMachine, Shape, choose, choose_from, leftover, take

HOLD_BACK_AFTER = timedelta(seconds=60)
"""How long the head of the line is passed by smaller ones before room is held back for it."""

Placement = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Quota:
    """The most a project may hold; None is no limit."""

    cpus: float | None = None
    memory_bytes: int | None = None
    accelerators: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Used:
    """What a project holds."""

    cpus: float = 0.0
    memory_bytes: int = 0
    accelerators: dict[str, float] = field(default_factory=dict)

    def add(self, shape: Shape) -> None:
        self.cpus += shape.cpus * shape.nodes
        self.memory_bytes += shape.memory_bytes * shape.nodes
        if shape.accelerator:
            held = self.accelerators.get(shape.accelerator, 0.0)
            self.accelerators[shape.accelerator] = held + shape.accelerators * shape.nodes


@dataclass(frozen=True, slots=True)
class Waiting:
    """A workload that wants to start."""

    id: str
    project_id: str
    shape: Shape
    priority: int
    queued_at: datetime
    window: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """A workload that holds something."""

    id: str
    project_id: str
    shape: Shape
    priority: int
    placement: Placement
    preemptible: bool = False
    is_leaving: bool = False
    """It is on its way out already."""
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything the decision hangs on."""

    now: datetime
    machines: Sequence[FreeMachine]
    """With nothing taken."""
    holding: Sequence[Holding]
    waiting: Sequence[Waiting]
    quotas: dict[str, Quota]


@dataclass(frozen=True, slots=True)
class Why:
    """Why one has not been started, as a message code and its parameters; `resource` is what is short."""

    code: str
    params: dict[str, Any]
    resource: str | None = None


@dataclass(slots=True)
class Decisions:
    """What to do, and what to tell those who wait."""

    starts: list[tuple[str, Placement]] = field(default_factory=list)
    preempt: list[tuple[str, str]] = field(default_factory=list)
    """(who is put out, for whom)"""
    why: dict[str, Why] = field(default_factory=dict)
    """In the order of the line."""


def plan(situation: Situation) -> Decisions:
    """One round of admission."""
    return _Round(situation).run()


def free_machines(machines: Iterable[FreeMachine], holding: Iterable[Holding]) -> dict[str, FreeMachine]:
    """What is left of the machines; what is held on one that is gone does not count."""
    free = {machine.name: machine.copy() for machine in machines}
    for held in holding:
        for node in held.placement:
            if machine := free.get(node["machine"]):
                machine.occupy(node)
    return free


class _Round:
    def __init__(self, situation: Situation) -> None:
        self._now = situation.now
        self._situation = situation
        self._free = free_machines(situation.machines, situation.holding)
        self._machines = list(self._free.values())
        self._used: dict[str, Used] = {}
        for held in situation.holding:
            self._used.setdefault(held.project_id, Used()).add(held.shape)
        self._total = _total(situation.machines)
        self._full: dict[Shape, str] = {}
        """Shapes that found no room, and what was short: there is only less of it as the round goes on."""
        self._candidates: dict[Shape, list[FreeMachine]] = {}
        self._has_held_back = False
        self._victims: set[str] = set()
        self._decisions = Decisions()

    def run(self) -> Decisions:
        for priority in sorted({waiting.priority for waiting in self._situation.waiting}, reverse=True):
            self._admit([waiting for waiting in self._situation.waiting if waiting.priority == priority])
        return self._decisions

    def _admit(self, line: list[Waiting]) -> None:
        """One priority: the project with the smallest share has its oldest one looked at, again and again."""
        queues: dict[str, deque[Waiting]] = {}
        for waiting in sorted(line, key=lambda w: (w.queued_at, w.id)):
            queues.setdefault(waiting.project_id, deque()).append(waiting)
        turns = [(self._share(project), queue[0].queued_at, project) for project, queue in queues.items()]
        heapq.heapify(turns)
        while turns:
            _, _, project = heapq.heappop(turns)
            queue = queues[project]
            self._consider(queue.popleft())
            if queue:
                heapq.heappush(turns, (self._share(project), queue[0].queued_at, project))

    def _consider(self, waiting: Waiting) -> None:
        why = self._not_now(waiting) or self._over_quota(waiting)
        if why is None:
            placement = None if waiting.shape in self._full else self._place(waiting.shape)
            if placement is not None:
                self._used.setdefault(waiting.project_id, Used()).add(waiting.shape)
                self._decisions.starts.append((waiting.id, placement))
                return
            why = self._no_room(waiting)
        self._decisions.why[waiting.id] = why

    def _place(self, shape: Shape) -> Placement | None:
        """`place`, without looking again at machines that had no room for this shape: they have none now either."""
        candidates = self._candidates.get(shape)
        if candidates is None:
            candidates = sorted(self._machines, key=lambda machine: leftover(machine, shape))
        room: list[tuple[int, FreeMachine]] = []
        for number, machine in enumerate(candidates):
            count = machine.copies(shape)
            if count >= shape.nodes:
                self._candidates[shape] = [other for _, other in room] + candidates[number:]
                return take(shape, [(machine, shape.nodes)])
            if count:
                room.append((count, machine))
        self._candidates[shape] = [machine for _, machine in room]
        chosen = choose_from(shape, room)
        return None if chosen is None else take(shape, chosen)

    def _not_now(self, waiting: Waiting) -> Why | None:
        if waiting.window is None or is_open(waiting.window, self._now):
            return None
        start, end, zone = waiting.window
        return Why("waiting_window", {"start": start, "end": end, "zone": zone})

    def _over_quota(self, waiting: Waiting) -> Why | None:
        quota = self._situation.quotas.get(waiting.project_id)
        if quota is None:
            return None
        return over_quota(quota, self._used.get(waiting.project_id) or Used(), waiting.shape)

    def _no_room(self, waiting: Waiting) -> Why:
        shape = waiting.shape
        is_first_of_shape = shape not in self._full
        if is_first_of_shape:
            self._full[shape] = short_of(shape, self._machines)
        resource = self._full[shape]
        if is_first_of_shape and self._preempt_for(waiting):
            self._hold_back(waiting)
            return Why("waiting_preemption", {"resource": resource}, resource)
        if not self._has_held_back and waiting.queued_at <= self._now - HOLD_BACK_AFTER:
            self._has_held_back = self._hold_back(waiting)
        return Why("waiting_capacity", {"resource": resource}, resource)

    def _hold_back(self, waiting: Waiting) -> bool:
        """Keeps room for one, on the machines where least is missing; False when no machines could ever take it."""
        empty = {machine.name: machine.copy() for machine in self._situation.machines}
        order = sorted(empty.values(), key=lambda machine: -self._free[machine.name].cpus)
        left = waiting.shape.nodes
        for machine in order:
            count = min(machine.copies(waiting.shape), left)
            for _ in range(count):
                self._free[machine.name].hold_back(waiting.shape)
            left -= count
        return left == 0

    def _preempt_for(self, waiting: Waiting) -> bool:
        """Puts out as few as will do; True when room is being made, by these or by others on their way out."""
        leaving = [held for held in self._situation.holding if held.is_leaving or held.id in self._victims]
        able = [
            held
            for held in self._situation.holding
            if held.preemptible and held.priority < waiting.priority and held not in leaving
        ]
        if not able and not any(held.preemptible for held in leaving):
            return False
        if self._fits_without(waiting.shape, leaving):
            return True
        able.sort(key=lambda held: (held.priority, -(held.started_at or self._now).timestamp(), held.id))
        out: list[Holding] = []
        for held in able:
            out.append(held)
            if self._fits_without(waiting.shape, leaving + out):
                break
        else:
            return False
        for held in list(out):
            fewer = [other for other in out if other is not held]
            if self._fits_without(waiting.shape, leaving + fewer):
                out = fewer
        self._victims.update(held.id for held in out)
        self._decisions.preempt += [(held.id, waiting.id) for held in out]
        return True

    def _fits_without(self, shape: Shape, gone: Iterable[Holding]) -> bool:
        machines = {name: machine.copy() for name, machine in self._free.items()}
        for held in gone:
            for node in held.placement:
                if machine := machines.get(node["machine"]):
                    machine.release(node)
        return choose(shape, machines.values()) is not None

    def _share(self, project_id: str) -> float:
        """The largest part of any one resource that the project holds."""
        used = self._used.get(project_id)
        if used is None:
            return 0.0
        parts = [used.cpus / (self._total.cpus or 1.0), used.memory_bytes / (self._total.memory_bytes or 1)]
        for kind, amount in used.accelerators.items():
            parts.append(amount / (self._total.accelerators.get(kind) or 1.0))
        return max(parts)


def over_quota(quota: Quota, used: Used, shape: Shape) -> Why | None:
    """Which limit of the project the shape would pass, if any."""
    wants = Used()
    wants.add(shape)
    if quota.cpus is not None and used.cpus + wants.cpus > quota.cpus + EPSILON:
        return _quota_why("cpus", wants.cpus, used.cpus, quota.cpus)
    if quota.memory_bytes is not None and used.memory_bytes + wants.memory_bytes > quota.memory_bytes:
        return _quota_why("memory_bytes", wants.memory_bytes, used.memory_bytes, quota.memory_bytes)
    for kind, amount in wants.accelerators.items():
        limit = quota.accelerators.get(kind)
        held = used.accelerators.get(kind, 0.0)
        if limit is not None and amount > 0 and held + amount > limit + EPSILON:
            return _quota_why(kind, amount, held, limit)
    return None


def is_open(window: Sequence[str], now: datetime) -> bool:
    """Whether the time of day is within the window; one that ends before it begins goes over midnight."""
    start, end = (time.fromisoformat(text) for text in window[:2])
    there = now.astimezone(ZoneInfo(window[2])).time().replace(tzinfo=None)
    return start <= there < end if start <= end else there >= start or there < end


def short_of(shape: Shape, machines: Sequence[FreeMachine]) -> str:
    """Which resource is missing: the one without which it would fit, and the dearest first when all are."""
    if shape.accelerator and shape.accelerators:
        without = Shape(shape.cpus, shape.memory_bytes, None, 0.0, shape.fabrics, shape.nodes)
        if choose(without, machines) is not None:
            return shape.accelerator
    without = Shape(0.0, shape.memory_bytes, shape.accelerator, shape.accelerators, shape.fabrics, shape.nodes)
    if choose(without, machines) is not None:
        return "cpus"
    without = Shape(shape.cpus, 0, shape.accelerator, shape.accelerators, shape.fabrics, shape.nodes)
    if choose(without, machines) is not None:
        return "memory_bytes"
    return shape.accelerator or "cpus"


def _quota_why(resource: str, wanted: float, used: float, limit: float) -> Why:
    left = max(0, limit - used)
    params = {"resource": resource, "wanted": wanted, "left": left, "limit": limit}
    return Why("waiting_quota", params, resource)


def _total(machines: Iterable[FreeMachine]) -> Used:
    total = Used()
    for machine in machines:
        total.cpus += machine.cpus
        total.memory_bytes += machine.memory_bytes
        for device in machine.devices:
            total.accelerators[device.kind] = total.accelerators.get(device.kind, 0.0) + 1.0
    return total
