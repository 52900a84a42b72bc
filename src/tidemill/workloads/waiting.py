"""Why is it waiting? The reason, the place in the line, who holds what is short, and the least that would change it."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.jobs.texts import Text, say, text
from tidemill.kernel.errors import Conflict
from tidemill.kernel.i18n import Language
from tidemill.workloads.board import Posted, board
from tidemill.workloads.capacity import load_holding, load_machines, shape_of
from tidemill.workloads.lifecycle import HOLDING
from tidemill.workloads.placing import FreeMachine, Shape, choose, most_nodes
from tidemill.workloads.planning import Holding, Why, free_machines
from tidemill.workloads.schemas import HolderView, WaitingDetailView, WaitingView
from tidemill.workloads.tables import SpecRow, WorkloadRow

GIB = 2**30
HOLDERS_SHOWN = 50
_SOON = Posted(Why("waiting_soon", {}), 1, 1)
"""Before its first round, and in a process that admits nobody."""


def short_view(row: WorkloadRow, language: Language) -> WaitingView:
    """What a list shows."""
    posted = board.find(row.id) or _SOON
    return WaitingView(
        code=posted.why.code,
        text=say(reason_text(posted.why), language),
        resource=posted.why.resource,
        place=posted.place,
        of=posted.of,
    )


def explain(session: Session, row: WorkloadRow, *, by: Caller) -> WaitingDetailView:
    """Everything there is to say of one that waits."""
    if row.state != "pending":
        raise Conflict("workload_not_waiting", name=row.name)
    posted = board.find(row.id) or _SOON
    holding = load_holding(session)
    return WaitingDetailView(
        **short_view(row, by.language).model_dump(),
        holders=_holders(session, row, posted.why, holding, by),
        smallest_change=say(_smallest_change(session, row, posted.why, holding, by), by.language),
    )


def waiting_text(workload_id: str) -> Text:
    """Why it waits and its place in the line, for whoever shows it as a part of something else."""
    posted = board.find(workload_id)
    if posted is None:
        return reason_text(_SOON.why)
    return text("waiting_at", why=reason_text(posted.why), place=posted.place, of=posted.of)


def reason_text(why: Why) -> Text:
    """The reason in words, with amounts people read."""
    params = dict(why.params)
    resource = params.get("resource")
    if resource is not None:
        params["resource"] = resource_text(resource, is_counted="wanted" in params)
        for name in ("wanted", "left", "limit"):
            if name in params:
                params[name] = amount_words(resource, params[name])
    return text(why.code, **params)


def resource_text(resource: str, *, is_counted: bool = True) -> Any:
    """Its name, after a number or alone."""
    if resource == "cpus":
        return text("resource_cpus")
    if resource == "memory_bytes":
        return text("resource_memory") if is_counted else text("resource_memory_alone")
    return resource


def amount_words(resource: str, amount: float) -> str:
    return f"{amount / GIB if resource == 'memory_bytes' else amount:.4g}"


def _holders(session: Session, row: WorkloadRow, why: Why, holding: Sequence[Holding], by: Caller) -> list[HolderView]:
    if why.resource is None:
        return []
    among = [held for held in holding if why.code != "waiting_quota" or held.project_id == row.project_id]
    amounts = {held.id: _amount(held.shape, why.resource) for held in among}
    largest = sorted((key for key, amount in amounts.items() if amount > 0), key=lambda key: -amounts[key])
    shown = largest[:HOLDERS_SHOWN]
    rows = {found.id: found for found in session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(shown)))}
    projects = session.scalars(
        sa.select(ProjectRow).where(ProjectRow.id.in_({found.project_id for found in rows.values()}))
    ).all()
    held_by_caller = permissions_by_project(session, by, projects)
    names = {project.id: project.name for project in projects}
    return [
        _holder(rows[key], amounts[key], names, "workload.read" in held_by_caller[rows[key].project_id])
        for key in shown
        if key in rows
    ]


def _holder(row: WorkloadRow, amount: float, names: dict[str, str], is_readable: bool) -> HolderView:
    return HolderView(
        id=row.id if is_readable else None,
        name=row.name if is_readable else None,
        kind=row.kind,
        project=names.get(row.project_id) if is_readable else None,
        amount=amount,
    )


def _amount(shape: Shape, resource: str) -> float:
    if resource == "cpus":
        return shape.cpus * shape.nodes
    if resource == "memory_bytes":
        return float(shape.memory_bytes * shape.nodes)
    return shape.accelerators * shape.nodes if shape.accelerator == resource else 0.0


def _smallest_change(session: Session, row: WorkloadRow, why: Why, holding: Sequence[Holding], by: Caller) -> Text:
    if why.code == "waiting_window":
        return text("change_window", start=why.params["start"])
    if why.code == "waiting_quota":
        resource = why.params["resource"]
        missing = amount_words(resource, why.params["wanted"] - why.params["left"])
        return text("change_quota", resource=resource_text(resource), missing=missing)
    if why.code != "waiting_capacity":
        return text("change_wait")
    return _change_of_capacity(session, row, holding, by)


def _change_of_capacity(session: Session, row: WorkloadRow, holding: Sequence[Holding], by: Caller) -> Text:
    shape = shape_of(row)
    machines = load_machines(session)
    free = list(free_machines(machines, holding).values())
    if choose(shape, free) is not None:
        return text("change_wait")
    if spec := _smaller_spec(session, shape, free):
        return text("change_capacity_spec", spec=spec)
    ends = _fewest_ends(shape, machines, holding)
    if len(ends) == 1:
        return text("change_capacity_holder", name=_name_for(session, ends[0], by))
    if (fits := most_nodes(shape, free)) == 0:
        return text("change_capacity_ends", count=len(ends))
    return text("change_capacity_holders", count=len(ends), fits=fits)


def _smaller_spec(session: Session, shape: Shape, free: Sequence[FreeMachine]) -> str | None:
    """The largest spec with the same accelerator of which as many nodes would fit now."""
    specs = session.scalars(sa.select(SpecRow).where(SpecRow.is_enabled.is_(True)))
    fitting = [
        spec
        for spec in specs
        if spec.accelerator == shape.accelerator
        and choose(
            Shape(spec.cpus, spec.memory_bytes, spec.accelerator, spec.accelerators, shape.fabrics, shape.nodes), free
        )
        is not None
    ]
    return max(fitting, key=lambda spec: (spec.accelerators, spec.cpus)).name if fitting else None


def _fewest_ends(shape: Shape, machines: Sequence[FreeMachine], holding: Sequence[Holding]) -> list[Holding]:
    """Few of those who hold something whose end would make room: one that does alone, or else the largest first."""
    for held in sorted(holding, key=lambda held: held.shape.cpus * held.shape.nodes):
        rest = [other for other in holding if other is not held]
        if choose(shape, free_machines(machines, rest).values()) is not None:
            return [held]
    ends: list[Holding] = []
    for held in sorted(holding, key=lambda held: -held.shape.cpus * held.shape.nodes):
        ends.append(held)
        rest = [other for other in holding if other not in ends]
        if choose(shape, free_machines(machines, rest).values()) is not None:
            break
    return ends


def _name_for(session: Session, held: Holding, by: Caller) -> Any:
    row = session.get(WorkloadRow, held.id)
    project = session.get(ProjectRow, held.project_id)
    if row is None or project is None or row.state not in HOLDING:
        return text("another_project")
    may_read = "workload.read" in permissions_by_project(session, by, [project])[project.id]
    return row.name if may_read else text("another_project")
