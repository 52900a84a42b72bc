"""What there is and what of it is held, of the platform and of each project."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.workloads.capacity import load_holding, load_machines, quota_of
from tidemill.workloads.placing import FreeMachine
from tidemill.workloads.planning import Holding, Quota, Used

CPU = "cpu"
MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Use:
    """One resource."""

    capacity: float
    used: float


Uses = dict[str, Use]
"""`cpu`, `memory` (bytes), and each kind of accelerator."""


def platform_use(session: Session) -> Uses:
    """Of all machines together."""
    total = _total(load_machines(session))
    return _join(total, _held(load_holding(session)))


def project_use(session: Session, project_id: str) -> Uses:
    """Of one project: what its quota allows, or, where it sets no limit, what the platform has."""
    held = [one for one in load_holding(session) if one.project_id == project_id]
    quota = quota_of(session.get_one(ProjectRow, project_id).quota)
    return _join(_allowed(_total(load_machines(session)), quota), _held(held))


def uses_by_project(session: Session) -> dict[str, Uses]:
    """Of every project that holds something."""
    total = _total(load_machines(session))
    by_project: dict[str, list[Holding]] = {}
    for one in load_holding(session):
        by_project.setdefault(one.project_id, []).append(one)
    quotas = session.execute(sa.select(ProjectRow.id, ProjectRow.quota).where(ProjectRow.id.in_(by_project)))
    return {key: _join(_allowed(total, quota_of(quota)), _held(by_project[key])) for key, quota in quotas}


def _total(machines: Iterable[FreeMachine]) -> dict[str, float]:
    total = {CPU: 0.0, MEMORY: 0.0}
    for machine in machines:
        total[CPU] += machine.cpus
        total[MEMORY] += machine.memory_bytes
        for device in machine.devices:
            total[device.kind] = total.get(device.kind, 0.0) + 1
    return total


def _held(holding: Iterable[Holding]) -> dict[str, float]:
    used = Used()
    for one in holding:
        used.add(one.shape)
    return {CPU: used.cpus, MEMORY: float(used.memory_bytes), **used.accelerators}


def _allowed(total: dict[str, float], quota: Quota) -> dict[str, float]:
    limits: dict[str, float | None] = {CPU: quota.cpus, MEMORY: quota.memory_bytes, **quota.accelerators}
    return {name: _least(limits.get(name), amount) for name, amount in total.items()}


def _least(limit: float | None, amount: float) -> float:
    return amount if limit is None else min(limit, amount)


def _join(capacity: dict[str, float], used: dict[str, float]) -> Uses:
    return {name: Use(capacity.get(name, 0.0), used.get(name, 0.0)) for name in dict.fromkeys([*capacity, *used])}
