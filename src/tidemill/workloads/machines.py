"""Machines as administrators see them."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.workloads.capacity import free_machine, load_holding
from tidemill.workloads.placing import FreeMachine
from tidemill.workloads.planning import free_machines
from tidemill.workloads.schemas import DeviceView, MachineView
from tidemill.workloads.tables import MachineRow


def list_machines(session: Session) -> list[MachineView]:
    """Each with what is given out of it now."""
    rows = session.scalars(sa.select(MachineRow).order_by(MachineRow.name)).all()
    holding = load_holding(session)
    free = free_machines([free_machine(row) for row in rows], holding)
    busy: dict[str, int] = {}
    for held in holding:
        for name in {node["machine"] for node in held.placement}:
            busy[name] = busy.get(name, 0) + 1
    return [_view(row, free[row.name], busy.get(row.name, 0)) for row in rows]


def _view(row: MachineRow, free: FreeMachine, workloads: int) -> MachineView:
    left = {(device.kind, device.id): device.free / device.shares for device in free.devices}
    return MachineView(
        name=row.name,
        cpus=row.cpus,
        memory_bytes=row.memory_bytes,
        cpus_used=max(0.0, row.cpus - free.cpus),
        memory_used_bytes=max(0, row.memory_bytes - free.memory_bytes),
        devices=[
            DeviceView(
                kind=device["kind"],
                id=device["id"],
                memory_bytes=device["memory_bytes"],
                shares=device["shares"],
                used=1.0 - left[device["kind"], device["id"]],
            )
            for device in row.devices
        ],
        fabrics=row.fabrics,
        runtimes=row.runtimes,
        enforced=row.enforced,
        workloads=workloads,
        seen_at=row.seen_at,
    )
