"""Where the nodes of a gang can go: arithmetic on what machines have left. Knows no database and no engine.

Devices are counted in their shares: one that two may use together has two, and a workload that asks for half takes one.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

EPSILON = 1e-6
"""Sums of fractions are not exact."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is asked for: so many nodes of so much."""

    cpus: float
    memory_bytes: int
    accelerator: str | None
    accelerators: float
    fabrics: frozenset[str]
    """What a machine must have beside room: `ib`, `roce`, and the runtime that the image needs."""
    nodes: int

    @property
    def is_fraction(self) -> bool:
        return 0 < self.accelerators < 1


@dataclass(slots=True)
class FreeDevice:
    kind: str
    id: str
    shares: int
    free: int


@dataclass(slots=True)
class FreeMachine:
    """A machine and what is left of it."""

    name: str
    cpus: float
    memory_bytes: int
    fabrics: frozenset[str]
    devices: list[FreeDevice] = field(default_factory=list)
    _whole: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    """How many devices of a kind nobody uses, once counted; forgotten when a device changes hands."""
    _spare: int | None = field(default=None, repr=False, compare=False)

    def copies(self, shape: Shape) -> int:
        """How many nodes of the shape fit in here."""
        if shape.fabrics and not shape.fabrics <= self.fabrics:
            return 0
        count = shape.nodes
        if shape.cpus > 0 and shape.cpus * count > self.cpus + EPSILON:
            count = int((self.cpus + EPSILON) // shape.cpus)
        if shape.memory_bytes > 0 and shape.memory_bytes * count > self.memory_bytes:
            count = self.memory_bytes // shape.memory_bytes
        if count <= 0:
            return 0
        if shape.accelerator is not None and shape.accelerators > 0:
            return min(count, self._copies_of_devices(shape))
        return count

    def _copies_of_devices(self, shape: Shape) -> int:
        kind = shape.accelerator or ""
        if shape.is_fraction:
            mine = [device for device in self.devices if device.kind == kind]
            return sum(device.free // units(shape, device) for device in mine if device.shares > 1)
        whole = self._whole.get(kind)
        if whole is None:
            whole = sum(device.kind == kind and device.free == device.shares for device in self.devices)
            self._whole[kind] = whole
        return int(whole // shape.accelerators)

    def spare(self) -> int:
        """How many shares of devices are left."""
        if self._spare is None:
            self._spare = sum(device.free for device in self.devices)
        return self._spare

    def _devices_change(self) -> None:
        self._whole.clear()
        self._spare = None

    def take(self, shape: Shape) -> list[list[Any]]:
        """Takes one node of the shape, which fits; its devices as (kind, id, share)."""
        self.cpus -= shape.cpus
        self.memory_bytes -= shape.memory_bytes
        return self._take_devices(shape, all_or_none=True)

    def hold_back(self, shape: Shape) -> None:
        """Keeps as much of the shape from others as there is now; what is missing is owed."""
        self.cpus -= shape.cpus
        self.memory_bytes -= shape.memory_bytes
        self._take_devices(shape, all_or_none=False)

    def _take_devices(self, shape: Shape, *, all_or_none: bool) -> list[list[Any]]:
        if shape.accelerator is None or shape.accelerators <= 0:
            return []
        self._devices_change()
        mine = [device for device in self.devices if device.kind == shape.accelerator]
        if shape.is_fraction:
            # The fullest that still has room: whole devices stay whole for those who need them so.
            for device in sorted(mine, key=lambda d: d.free):
                if device.shares > 1 and device.free >= units(shape, device):
                    device.free -= units(shape, device)
                    return [[device.kind, device.id, units(shape, device) / device.shares]]
            return []
        taken: list[list[Any]] = []
        for device in sorted(mine, key=lambda d: d.shares):
            if len(taken) == int(shape.accelerators):
                break
            if device.free == device.shares or (not all_or_none and device.free > 0):
                device.free = 0
                taken.append([device.kind, device.id, 1.0])
        return taken

    def occupy(self, node: dict[str, Any]) -> None:
        """What a node that is there already holds is not free."""
        self.cpus -= node["cpus"]
        self.memory_bytes -= node["memory_bytes"]
        self._change_devices(node, -1)

    def release(self, node: dict[str, Any]) -> None:
        """The other way round."""
        self.cpus += node["cpus"]
        self.memory_bytes += node["memory_bytes"]
        self._change_devices(node, 1)

    def _change_devices(self, node: dict[str, Any], sign: int) -> None:
        self._devices_change()
        for kind, device_id, share in node["devices"]:
            for device in self.devices:
                if (device.kind, device.id) == (kind, device_id):
                    device.free += sign * round(share * device.shares)

    def copy(self) -> "FreeMachine":
        devices = [FreeDevice(d.kind, d.id, d.shares, d.free) for d in self.devices]
        return FreeMachine(self.name, self.cpus, self.memory_bytes, self.fabrics, devices)


def units(shape: Shape, device: FreeDevice) -> int:
    """How many of a device's shares a fraction is."""
    return max(1, math.ceil(shape.accelerators * device.shares - EPSILON))


def place(shape: Shape, machines: Sequence[FreeMachine]) -> list[dict[str, Any]] | None:
    """Takes room for all nodes of the shape, on as few machines as it goes; None, and nothing taken, if it cannot."""
    chosen = choose(shape, machines)
    return None if chosen is None else take(shape, chosen)


def take(shape: Shape, chosen: Iterable[tuple[FreeMachine, int]]) -> list[dict[str, Any]]:
    """Takes the room that was chosen."""
    placement: list[dict[str, Any]] = []
    for machine, count in chosen:
        for _ in range(count):
            devices = machine.take(shape)
            placement.append(
                {
                    "index": len(placement),
                    "machine": machine.name,
                    "cpus": shape.cpus,
                    "memory_bytes": shape.memory_bytes,
                    "devices": devices,
                }
            )
    return placement


def choose(shape: Shape, machines: Iterable[FreeMachine]) -> list[tuple[FreeMachine, int]] | None:
    """Machines for the nodes: one that takes them all and is left the fullest, otherwise those that take most."""
    return choose_from(shape, [(machine.copies(shape), machine) for machine in machines])


def choose_from(shape: Shape, room: Sequence[tuple[int, FreeMachine]]) -> list[tuple[FreeMachine, int]] | None:
    """`choose`, when it is known how many fit where."""
    whole = [machine for count, machine in room if count >= shape.nodes]
    if whole:
        return [(min(whole, key=lambda machine: leftover(machine, shape)), shape.nodes)]
    left, chosen = shape.nodes, []
    for count, machine in sorted(((c, m) for c, m in room if c), key=lambda pair: -pair[0]):
        chosen.append((machine, min(count, left)))
        left -= chosen[-1][1]
        if left == 0:
            return chosen
    return None


def most_nodes(shape: Shape, machines: Iterable[FreeMachine]) -> int:
    """How many nodes of that size would fit."""
    endless = Shape(shape.cpus, shape.memory_bytes, shape.accelerator, shape.accelerators, shape.fabrics, 1_000_000)
    return sum(machine.copies(endless) for machine in machines)


def leftover(machine: FreeMachine, shape: Shape) -> tuple[int, float]:
    """Machines without accelerators first for those who need none; then the one with the least to spare."""
    return (machine.spare() if shape.accelerator is None else 0, machine.cpus)
