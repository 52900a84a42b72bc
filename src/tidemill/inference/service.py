"""Entries of batch inference: made, changed, copied, deleted."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.kinds import Scene
from tidemill.inference import launching
from tidemill.inference.schemas import InferenceCopy, InferenceCreate, InferencePatch, InferenceView
from tidemill.inference.settings import CodeSettings, Form, ModelSettings
from tidemill.inference.tables import InferenceRow, InferenceRunRow
from tidemill.inference.views import inference_views
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.training.schemas import RunState

PREFIX = "inf"


def list_inferences(
    session: Session,
    page: PageQuery,
    *,
    form: Form | None,
    scene: Scene | None,
    state: RunState | None,
    mine: bool,
    by: Caller,
) -> Page[InferenceView]:
    """The project's entries."""
    statement = sa.select(InferenceRow).where(InferenceRow.project_id == by.project.id)
    if form is not None:
        statement = statement.where(InferenceRow.form == form)
    if scene is not None:
        statement = statement.where(InferenceRow.scene == scene.value)
    if mine:
        statement = statement.where(InferenceRow.created_by_id == by.user_id)
    if state is not None:
        newest = sa.select(InferenceRunRow.id).where(InferenceRunRow.state == state)
        statement = statement.where(
            InferenceRow.last_run_id.in_(newest.where(InferenceRunRow.project_id == by.project.id))
        )
    if page.q:
        statement = statement.where(contains(InferenceRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={
            "name": InferenceRow.name_key,
            "created_at": InferenceRow.created_at,
            "updated_at": InferenceRow.updated_at,
        },
        id_column=InferenceRow.id,
        default_sort="-created_at",
        view=lambda rows: inference_views(session, rows),
    )


def get_inference(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> InferenceRow:
    """An entry of the project of this call; `lock` for every change."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = InferenceRow.id == name_or_id if by_id else InferenceRow.name_key == name_key(name_or_id)
    statement = sa.select(InferenceRow).where(InferenceRow.project_id == by.project.id, match)
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("inference_not_found", name=name_or_id[:100])
    return row


def create_inference(session: Session, body: InferenceCreate, *, allow: list[str], by: Caller) -> InferenceRow:
    launching.check(session, body.settings, allow=allow, by=by)
    row = _add(session, body.name, body.scene.value, body.description, body.settings, by=by)
    _audit(session, "inference.create", row, by=by, after=_told(row))
    return row


def update_inference(
    session: Session, row: InferenceRow, body: InferencePatch, *, allow: list[str], by: Caller
) -> None:
    """Changes what was named; runs keep what they were started with."""
    before = _told(row)
    if body.name is not None and name_key(body.name) != row.name_key:
        _refuse_taken_name(session, body.name, by=by)
    if body.name is not None:
        row.name, row.name_key = body.name, name_key(body.name)
    if body.scene is not None:
        row.scene = body.scene.value
    if body.description is not None:
        row.description = body.description
    if body.settings is not None:
        launching.check(session, body.settings, allow=allow, by=by)
        row.settings, row.form = body.settings.model_dump(mode="json"), body.settings.form
    row.updated_at = by.now
    session.flush()
    _audit(session, "inference.update", row, by=by, before=before, after=_told(row))


def copy_inference(session: Session, source: InferenceRow, body: InferenceCopy, *, by: Caller) -> InferenceRow:
    """An entry of its own with the same settings; runs stay where they are."""
    row = _add(session, body.name, source.scene, source.description, None, by=by)
    row.settings, row.form = dict(source.settings), source.form
    session.flush()
    _audit(session, "inference.copy", row, by=by, after={**_told(row), "from": source.name})
    return row


def delete_inference(session: Session, row: InferenceRow, *, by: Caller) -> None:
    """Only when it has no runs."""
    if row.runs_count:
        raise Conflict("inference_has_runs", name=row.name, count=row.runs_count)
    session.delete(row)
    session.flush()
    _audit(session, "inference.delete", row, by=by, before=_told(row))


def _add(
    session: Session,
    name: str,
    scene: str,
    description: str,
    settings: CodeSettings | ModelSettings | None,
    *,
    by: Caller,
) -> InferenceRow:
    _refuse_taken_name(session, name, by=by)
    row = InferenceRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=name,
        name_key=name_key(name),
        scene=scene,
        description=description,
        form=settings.form if settings else "model",
        settings=settings.model_dump(mode="json") if settings else {},
        runs_count=0,
        last_number=0,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    return row


def _refuse_taken_name(session: Session, name: str, *, by: Caller) -> None:
    taken = sa.select(InferenceRow.id).where(
        InferenceRow.project_id == by.project.id, InferenceRow.name_key == name_key(name)
    )
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


def _told(row: InferenceRow) -> dict[str, Any]:
    """For the audit log: variables may hold secrets, so only their names are told."""
    settings = dict(row.settings)
    if "environment" in settings:
        settings["environment"] = sorted(settings["environment"])
    return {"name": row.name, "scene": row.scene, "description": row.description, "settings": settings}


def _audit(session: Session, action: str, row: InferenceRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="inference", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
