"""Development environments: made, changed, copied, deleted. Starting and stopping is in `starting`."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.devenv.inputs import KINDS, check_inputs, inputs_of, named_inputs
from tidemill.devenv.schemas import EnvironmentCreate, EnvironmentPatch
from tidemill.devenv.starting import find_workload_of, stop
from tidemill.devenv.tables import EnvironmentRow
from tidemill.images.service import resolve
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.workloads.lifecycle import FINAL, State
from tidemill.workloads.specs import get_wanted_spec
from tidemill.workloads.tables import WorkloadRow

PREFIX = "env"
DEFAULT_IMAGE = "tidemill/jupyter"
NEVER_STARTED: State = "stopped"
ENVIRONMENTS_MAX = 1000
"""In one project."""


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A password and its hash, made before the transaction because that takes time."""

    hash: str
    shown: str | None
    """When we made it: told once."""


def list_environments(
    session: Session, page: PageQuery, *, mine: bool, state: State | None, view: Any, by: Caller
) -> Page[Any]:
    statement = sa.select(EnvironmentRow).where(
        EnvironmentRow.project_id == by.project.id, EnvironmentRow.deleted_at.is_(None)
    )
    if mine:
        statement = statement.where(EnvironmentRow.created_by_id == by.user_id)
    if state:
        of_environment = (WorkloadRow.id == EnvironmentRow.workload_id) & WorkloadRow.deleted_at.is_(None)
        statement = statement.outerjoin(WorkloadRow, of_environment).where(
            sa.func.coalesce(WorkloadRow.state, NEVER_STARTED) == state
        )
    if page.q:
        statement = statement.where(contains(EnvironmentRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={
            "name": EnvironmentRow.name_key,
            "created_at": EnvironmentRow.created_at,
            "updated_at": EnvironmentRow.updated_at,
        },
        id_column=EnvironmentRow.id,
        default_sort="-created_at",
        view=view,
    )


def get_environment(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> EnvironmentRow:
    """An environment of the project of this call."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = EnvironmentRow.id == name_or_id if by_id else EnvironmentRow.name_key == name_key(name_or_id)
    statement = sa.select(EnvironmentRow).where(
        EnvironmentRow.project_id == by.project.id, EnvironmentRow.deleted_at.is_(None), match
    )
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("environment_not_found", name=name_or_id[:100])
    return row


def create_environment(
    session: Session, body: EnvironmentCreate, *, password: NewPassword, by: Caller
) -> EnvironmentRow:
    _refuse_taken_name(session, body.name, by=by)
    _refuse_too_many(session, by=by)
    row = EnvironmentRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        image=body.image or DEFAULT_IMAGE,
        spec=body.spec,
        nodes=body.nodes,
        inputs=inputs_of(body.model_dump()),
        save_model=body.save_model,
        time_limit_s=body.time_limit_s,
        idle_limit_s=body.idle_limit_s,
        password_hash=password.hash,
        port=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    _check(session, row, by=by)
    session.add(row)
    session.flush()
    record(session, "environment.create", row, by=by, after=_told(row))
    return row


def update_environment(session: Session, row: EnvironmentRow, body: EnvironmentPatch, *, by: Caller) -> None:
    """Changes what was named."""
    before = _told(row)
    given = body.model_fields_set
    if body.name is not None:
        if name_key(body.name) != row.name_key:
            _refuse_taken_name(session, body.name, by=by)
        row.name, row.name_key = body.name, name_key(body.name)
    for field in ("description", "nodes"):
        if (value := getattr(body, field)) is not None:
            setattr(row, field, value)
    for field in ("spec", "save_model", "time_limit_s", "idle_limit_s"):
        if field in given:
            setattr(row, field, getattr(body, field))
    if "image" in given:
        row.image = body.image or DEFAULT_IMAGE
    named = {kind.segment: refs for kind in KINDS if (refs := getattr(body, kind.segment)) is not None}
    row.inputs = inputs_of(named_inputs(row.inputs) | named)
    if "idle_limit_s" in given:
        row.idle_since = row.warned_at = None
    row.updated_at = by.now
    _check(session, row, by=by)
    session.flush()
    record(session, "environment.update", row, by=by, before=before, after=_told(row))


def copy_environment(
    session: Session, source: EnvironmentRow, name: str, *, password: NewPassword, by: Caller
) -> EnvironmentRow:
    """The same settings under another name. Files are not copied: what was placed is placed again when it starts."""
    _refuse_taken_name(session, name, by=by)
    _refuse_too_many(session, by=by)
    kept = ("description", "image", "spec", "nodes", "inputs", "save_model", "time_limit_s", "idle_limit_s")
    row = EnvironmentRow(
        **{field: getattr(source, field) for field in kept},
        id=new_id(PREFIX),
        project_id=source.project_id,
        name=name,
        name_key=name_key(name),
        password_hash=password.hash,
        port=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    record(session, "environment.copy", row, by=by, after=_told(row) | {"of": source.name})
    return row


def delete_environment(session: Session, row: EnvironmentRow, *, confirm: str, by: Caller) -> None:
    """Gone for everybody at once; stopped where it runs, and its files removed soon after."""
    if name_key(confirm) != row.name_key:
        raise Invalid("environment_confirm", field="confirm", name=row.name)
    workload = find_workload_of(session, row)
    if workload is not None and workload.state not in FINAL:
        stop(session, row, reason="deleted", by=by)
    row.deleted_at = by.now
    record(session, "environment.delete", row, by=by, before=_told(row))


def set_password(session: Session, row: EnvironmentRow, *, password: NewPassword, by: Caller) -> None:
    """Whoever is inside by the old one is shown out."""
    row.password_hash = password.hash
    row.updated_at = by.now
    record(session, "environment.set_password", row, by=by)


def record(session: Session, action: str, row: EnvironmentRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="environment", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip


def _check(session: Session, row: EnvironmentRow, *, by: Caller) -> None:
    """Says now what would fail at the start."""
    check_inputs(session, row.inputs, by=by)
    resolve(session, by.project.id, row.image)
    if row.spec is not None:
        get_wanted_spec(session, row.spec)
    if row.save_model is not None and not by.may("model.write"):
        raise Invalid("environment_save_forbidden", field="save_model")


def _refuse_taken_name(session: Session, name: str, *, by: Caller) -> None:
    taken = sa.select(EnvironmentRow.id).where(
        EnvironmentRow.project_id == by.project.id,
        EnvironmentRow.name_key == name_key(name),
        EnvironmentRow.deleted_at.is_(None),
    )
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


def _refuse_too_many(session: Session, *, by: Caller) -> None:
    there = sa.select(sa.func.count()).where(
        EnvironmentRow.project_id == by.project.id, EnvironmentRow.deleted_at.is_(None)
    )
    if (session.scalar(there) or 0) >= ENVIRONMENTS_MAX:
        raise Conflict("environment_limit", max=ENVIRONMENTS_MAX)


def _told(row: EnvironmentRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "image": row.image,
        "spec": row.spec,
        "nodes": row.nodes,
        "inputs": [f"{one['kind']}:{one['ref']}" for one in row.inputs],
        "time_limit_s": row.time_limit_s,
        "idle_limit_s": row.idle_limit_s,
    }
