"""Specs: the sizes workloads are asked for in."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.workloads.capacity import load_machines
from tidemill.workloads.placing import FreeMachine, Shape, choose
from tidemill.workloads.schemas import SpecCreate, SpecPatch, SpecView
from tidemill.workloads.tables import MachineRow, SpecRow

GIB = 2**30


def list_specs(session: Session, page: PageQuery, *, enabled: bool | None) -> Page[SpecView]:
    """All specs, in the order administrators gave them."""
    statement = sa.select(SpecRow)
    if enabled is not None:
        statement = statement.where(SpecRow.is_enabled.is_(enabled))
    if page.q:
        statement = statement.where(contains(SpecRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"position": SpecRow.position, "name": SpecRow.name_key},
        id_column=SpecRow.id,
        default_sort="position",
        view=lambda rows: _views(session, rows),
    )


def get_spec(session: Session, name: str) -> SpecRow:
    """By name or id."""
    row = session.scalar(sa.select(SpecRow).where(sa.or_(SpecRow.name_key == name_key(name), SpecRow.id == name)))
    if row is None:
        raise NotFound("spec_not_found", name=name[:100])
    return row


def get_wanted_spec(session: Session, name: str | None) -> SpecRow:
    """What a request means: the named spec, or the first; it must be enabled."""
    if name is None:
        first = session.scalars(
            sa.select(SpecRow).where(SpecRow.is_enabled.is_(True)).order_by(SpecRow.position, SpecRow.id).limit(1)
        ).first()
        if first is None:
            raise Invalid("spec_none", field="spec")
        return first
    row = session.scalar(sa.select(SpecRow).where(SpecRow.name_key == name_key(name)))
    if row is None:
        raise Invalid("spec_unknown", field="spec", name=name[:100])
    if not row.is_enabled:
        raise Invalid("spec_disabled", field="spec", name=row.name)
    return row


def create_spec(session: Session, body: SpecCreate, *, by: Caller) -> SpecView:
    """A new spec."""
    _refuse_taken_name(session, body.name)
    given = body.model_dump()
    position = given.pop("position")
    if position is None:
        position = (session.scalar(sa.select(sa.func.max(SpecRow.position))) or 0) + 1
    row = SpecRow(
        id=new_id("spc"),
        name_key=name_key(body.name),
        position=position,
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
        **given,
    )
    _check(row)
    session.add(row)
    session.flush()
    _record(session, "spec.create", row, by, after=_shown(row))
    return view_spec(session, row)


def update_spec(session: Session, name: str, patch: SpecPatch, *, by: Caller) -> SpecView:
    """Changes a spec; what was submitted with it before keeps what it got."""
    row = get_spec(session, name)
    before = _shown(row)
    given = patch.model_dump(include=patch.model_fields_set)
    if (new_name := given.get("name")) and new_name != row.name:
        _refuse_taken_name(session, new_name, except_id=row.id)
        row.name_key = name_key(new_name)
    for field, value in given.items():
        if value is not None or field == "accelerator":
            setattr(row, field, value)
    _check(row)
    row.updated_at = by.now
    session.flush()
    _record(session, "spec.update", row, by, before=before, after=_shown(row))
    return view_spec(session, row)


def delete_spec(session: Session, name: str, *, by: Caller) -> None:
    """Removes a spec; workloads that were submitted with it are not touched."""
    row = get_spec(session, name)
    session.delete(row)
    _record(session, "spec.delete", row, by, before=_shown(row))


def view_spec(session: Session, row: SpecRow) -> SpecView:
    return _views(session, [row])[0]


def make_default_specs(session: Session, *, by: Caller) -> None:
    """Sizes that suit the machines there are, when there is no spec yet."""
    if session.scalar(sa.select(SpecRow.id).limit(1)) is not None:
        return
    machines = session.scalars(sa.select(MachineRow)).all()
    if not machines:
        return
    for position, given in enumerate(_defaults(machines), start=1):
        create_spec(session, SpecCreate(**given, position=position), by=by)


def _defaults(machines: Sequence[MachineRow]) -> list[dict[str, Any]]:
    """Small, medium, the whole of the largest machine, and one for each kind of accelerator."""
    largest = max(machines, key=lambda machine: (machine.cpus, machine.memory_bytes))
    cpus, memory_bytes = largest.cpus, largest.memory_bytes
    sizes: list[tuple[str, float, int]] = []
    for name, part in (("small", 8), ("medium", 2), ("whole", 1)):
        share = cpus if part == 1 else max(1.0, cpus // part) if cpus >= 2 else cpus / part
        sizes.append((name, share, memory_bytes if part == 1 else _round_memory(memory_bytes // part)))
    found = [{"name": name, "cpus": share, "memory_bytes": size} for name, share, size in sizes]
    return found + [_accelerator_default(kind, machines) for kind in _kinds(machines)]


def _accelerator_default(kind: str, machines: Sequence[MachineRow]) -> dict[str, Any]:
    """One device with its part of the machine that has most of them."""
    host = max(machines, key=lambda machine: _count(machine, kind))
    count = _count(host, kind)
    return {
        "name": kind,
        "cpus": max(1.0, host.cpus // count) if host.cpus >= 1 else host.cpus,
        "memory_bytes": _round_memory(host.memory_bytes // count),
        "accelerator": kind,
        "accelerators": 1.0,
    }


def _kinds(machines: Sequence[MachineRow]) -> list[str]:
    return sorted({device["kind"] for machine in machines for device in machine.devices})


def _count(machine: MachineRow, kind: str) -> int:
    return sum(device["kind"] == kind for device in machine.devices)


def _round_memory(memory_bytes: int) -> int:
    """Whole GiB, or quarters of one on a small machine."""
    step = GIB if memory_bytes >= GIB else GIB // 4
    return max(step, memory_bytes // step * step) if memory_bytes >= step else memory_bytes


def _check(row: SpecRow) -> None:
    if bool(row.accelerator) != (row.accelerators > 0):
        raise Invalid("spec_accelerators", field="accelerators" if row.accelerator else "accelerator")
    if row.accelerators > 1 and row.accelerators != int(row.accelerators):
        raise Invalid("spec_accelerators_whole", field="accelerators")


def _refuse_taken_name(session: Session, name: str, *, except_id: str | None = None) -> None:
    found = session.scalar(sa.select(SpecRow.id).where(SpecRow.name_key == name_key(name)))
    if found not in {None, except_id}:
        raise Conflict("name_taken", field="name", name=name)


def _views(session: Session, rows: Sequence[SpecRow]) -> list[SpecView]:
    machines = load_machines(session)
    return [_view(row, machines) for row in rows]


def _view(row: SpecRow, machines: Sequence[FreeMachine]) -> SpecView:
    shape = Shape(row.cpus, row.memory_bytes, row.accelerator, row.accelerators, frozenset(row.fabrics), 1)
    return SpecView(
        id=row.id,
        name=row.name,
        description=row.description,
        cpus=row.cpus,
        memory_bytes=row.memory_bytes,
        accelerator=row.accelerator,
        accelerators=row.accelerators,
        fabrics=row.fabrics,
        is_enabled=row.is_enabled,
        position=row.position,
        fits=choose(shape, machines) is not None,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def _shown(row: SpecRow) -> dict[str, Any]:
    fields = ("name", "cpus", "memory_bytes", "accelerator", "accelerators", "fabrics", "is_enabled", "position")
    return {field: getattr(row, field) for field in fields}


def _record(session: Session, action: str, row: SpecRow, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="spec", target_id=row.id, target_name=row.name, **change)
