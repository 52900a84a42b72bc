"""What there is to give out, and who holds it, as rows become the planner's values."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.engines.base import Machine, Runtime
from tidemill.workloads.lifecycle import HOLDING
from tidemill.workloads.placing import FreeDevice, FreeMachine, Shape
from tidemill.workloads.planning import Holding, Quota, Situation, Waiting
from tidemill.workloads.tables import MachineRow, WorkloadRow


def write_machines(session: Session, machines: Sequence[Machine], now: datetime) -> None:
    """Remembers what the engine has."""
    known = {row.name: row for row in session.scalars(sa.select(MachineRow))}
    for machine in machines:
        row = known.pop(machine.name, None)
        if row is None:
            row = MachineRow(name=machine.name)
            session.add(row)
        row.cpus, row.memory_bytes, row.seen_at = machine.cpus, machine.memory_bytes, now
        row.fabrics = sorted(machine.fabrics)
        row.runtimes = [str(runtime) for runtime in machine.runtimes]
        row.enforced = {str(runtime): sorted(limits) for runtime, limits in machine.enforced.items()}
        row.devices = [
            {"kind": d.kind, "id": d.id, "memory_bytes": d.memory_bytes, "shares": d.shares} for d in machine.devices
        ]
    for gone in known.values():
        session.delete(gone)


def load_machines(session: Session) -> list[FreeMachine]:
    """All machines, with nothing taken."""
    return [free_machine(row) for row in session.scalars(sa.select(MachineRow).order_by(MachineRow.name))]


def free_machine(row: MachineRow) -> FreeMachine:
    devices = [FreeDevice(d["kind"], d["id"], d["shares"], d["shares"]) for d in row.devices]
    runs = {runs_images("oci" if runtime == Runtime.CONTAINER else "python") for runtime in row.runtimes}
    return FreeMachine(row.name, row.cpus, row.memory_bytes, frozenset(runs.union(row.fabrics)), devices)


def runs_images(kind: str) -> str:
    """What a machine that runs images of this kind has, in the planner's words."""
    return f"images:{kind}"


def load_situation(session: Session, now: datetime) -> Situation | None:
    """Everything that admission hangs on; None when nobody waits."""
    waiting = _load_waiting(session)
    if not waiting:
        return None
    projects = {w.project_id for w in waiting}
    return Situation(
        now=now,
        machines=load_machines(session),
        holding=load_holding(session),
        waiting=waiting,
        quotas=load_quotas(session, projects),
    )


def load_quotas(session: Session, project_ids: set[str]) -> dict[str, Quota]:
    found = session.execute(sa.select(ProjectRow.id, ProjectRow.quota).where(ProjectRow.id.in_(project_ids)))
    return {project_id: quota_of(quota) for project_id, quota in found}


def quota_of(stored: dict[str, Any]) -> Quota:
    """A project's stored quota."""
    return Quota(stored.get("cpu"), stored.get("memory_bytes"), dict(stored.get("accelerators") or {}))


def load_holding(session: Session) -> list[Holding]:
    """Whatever holds resources now."""
    w = WorkloadRow
    found = session.execute(
        sa.select(*_SHAPE, w.id, w.project_id, w.priority, w.placement, w.preemptible, w.state, w.started_at).where(
            w.ended_at.is_(None), w.state.in_(HOLDING)
        )
    )
    return [
        Holding(
            id=row.id,
            project_id=row.project_id,
            shape=_shape(row),
            priority=row.priority,
            placement=row.placement,
            preemptible=row.preemptible,
            is_leaving=row.state == "stopping",
            started_at=row.started_at,
        )
        for row in found
    ]


def shape_of(row: WorkloadRow) -> Shape:
    return _shape(row)


_SHAPE = (
    WorkloadRow.cpus,
    WorkloadRow.memory_bytes,
    WorkloadRow.accelerator,
    WorkloadRow.accelerators,
    WorkloadRow.fabrics,
    WorkloadRow.nodes,
    WorkloadRow.resolved_image,
)


def _shape(row: Any) -> Shape:
    needs = frozenset([*row.fabrics, runs_images(row.resolved_image["kind"])])
    return Shape(row.cpus, row.memory_bytes, row.accelerator, row.accelerators, needs, row.nodes)


def _load_waiting(session: Session) -> list[Waiting]:
    w = WorkloadRow
    found = session.execute(
        sa.select(*_SHAPE, w.id, w.project_id, w.priority, w.queued_at, w.window).where(
            w.ended_at.is_(None), w.state == "pending"
        )
    )
    return [
        Waiting(
            id=row.id,
            project_id=row.project_id,
            shape=_shape(row),
            priority=row.priority,
            queued_at=row.queued_at,
            window=row.window,
        )
        for row in found
    ]
