"""Label sets: named lists of labels that a project keeps, to be applied to its datasets."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, find_project, permissions_in
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place, resolve_reference
from tidemill.datasets import labels
from tidemill.datasets.schemas import (
    LabelList,
    LabelPut,
    LabelSetCreate,
    LabelSetFromVersion,
    LabelSetPatch,
    LabelSetView,
    SetLabel,
)
from tidemill.datasets.tables import DatasetVersionRow, LabelRow, LabelSetRow
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page

PREFIX = "lbs"
SORTS = {"name": LabelSetRow.name_key, "updated_at": LabelSetRow.updated_at, "created_at": LabelSetRow.created_at}


def list_sets(session: Session, page: PageQuery, *, by: Caller) -> Page[LabelSetView]:
    """The project's label sets."""
    mine = sa.select(LabelSetRow).where(LabelSetRow.project_id == by.project.id)
    if page.q:
        mine = mine.where(contains(LabelSetRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        mine,
        page,
        sorts=SORTS,
        id_column=LabelSetRow.id,
        default_sort="name",
        view=lambda rows: [view(row, by.project.name) for row in rows],
    )


def create_set(session: Session, body: LabelSetCreate, *, by: Caller) -> LabelSetView:
    """A new label set."""
    _check_labels(body.labels)
    _check_free(session, body.name, by=by)
    row = LabelSetRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        labels=[label.model_dump() for label in body.labels],
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    _record(session, "label_set.create", row, by=by, after={"name": row.name, "labels": len(row.labels)})
    return view(row, by.project.name)


def create_from_version(session: Session, body: LabelSetFromVersion, *, by: Caller) -> LabelSetView:
    """A new label set with the labels of a version."""
    found = resolve_reference(session, body.version, by=by, kind=DATASET, field="version")
    vid = session.scalars(
        sa.select(DatasetVersionRow.vid).where(DatasetVersionRow.version_id == found.version.id)
    ).one()
    taken = as_set(labels.load(session, vid))
    return create_set(session, LabelSetCreate(name=body.name, description=body.description, labels=taken), by=by)


def get_set(session: Session, name_or_id: str, *, project_id: str, lock: bool = False) -> LabelSetRow:
    """A label set of the project; raises NotFound."""
    is_id = looks_like_id(name_or_id, PREFIX)
    here = LabelSetRow.id == name_or_id if is_id else LabelSetRow.name_key == name_key(name_or_id)
    statement = sa.select(LabelSetRow).where(LabelSetRow.project_id == project_id, here)
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("label_set_not_found", name=name_or_id[:100])
    return row


def update_set(session: Session, name_or_id: str, patch: LabelSetPatch, *, by: Caller) -> LabelSetView:
    """Renames a label set, or changes its labels; datasets it was applied to stay as they are."""
    row = get_set(session, name_or_id, project_id=by.project.id, lock=True)
    if patch.seen is not None and patch.seen != row.updated_at:
        raise Conflict("label_set_changed", field="labels", name=row.name)
    before = {"name": row.name, "description": row.description, "labels": len(row.labels)}
    if patch.name is not None and name_key(patch.name) != row.name_key:
        _check_free(session, patch.name, by=by)
    if patch.name is not None:
        row.name, row.name_key = patch.name, name_key(patch.name)
    if patch.description is not None:
        row.description = patch.description
    if patch.labels is not None:
        _check_labels(patch.labels)
        row.labels = [label.model_dump() for label in patch.labels]
    row.updated_at = by.now
    session.flush()
    after = {"name": row.name, "description": row.description, "labels": len(row.labels)}
    _record(session, "label_set.update", row, by=by, before=before, after=after)
    return view(row, by.project.name)


def delete_set(session: Session, name_or_id: str, *, by: Caller) -> None:
    """Removes a label set; datasets it was applied to keep their labels."""
    row = get_set(session, name_or_id, project_id=by.project.id, lock=True)
    session.delete(row)
    _record(session, "label_set.delete", row, by=by, before={"name": row.name})


def apply_set(session: Session, place: Place, name: str, *, by: Caller) -> LabelList:
    """Adds the labels of a set to a draft; those of the same name are there already and stay as they are."""
    project_name, _, rest = name.rpartition("/")
    project = find_project(session, project_name or by.project.id)
    if project is None or "dataset.read" not in permissions_in(session, by, project):
        raise NotFound("label_set_not_found", name=name[:100])
    chosen = [SetLabel.model_validate(one) for one in get_set(session, rest, project_id=project.id).labels]
    ordered = sorted(chosen, key=lambda label: label.parent is not None)
    wanted = [LabelPut(**label.model_dump(exclude={"parent"}), parent_name=label.parent) for label in ordered]
    if wanted:
        labels.add_labels(session, place, wanted, by=by)
    return labels.list_labels(session, place, by=by)


def as_set(rows: Sequence[LabelRow]) -> list[SetLabel]:
    """Labels of a version, as a set keeps them."""
    names = {row.number: row.name for row in rows}
    return [
        SetLabel(
            name=row.name,
            parent=names.get(row.parent or 0),
            colour=row.colour,
            shortcut=row.shortcut,
            attributes=row.attributes,
            skeleton=row.skeleton,
        )
        for row in rows
    ]


def view(row: LabelSetRow, project: str) -> LabelSetView:
    return LabelSetView(
        id=row.id,
        name=row.name,
        project=project,
        description=row.description,
        labels_count=len(row.labels),
        labels=row.labels,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def _check_labels(given: Sequence[SetLabel]) -> None:
    tops = {label.name for label in given if label.parent is None}
    seen: set[tuple[str | None, str]] = set()
    for label in given:
        if label.parent is not None and label.parent not in tops:
            raise Invalid("label_parent", field="labels", name=label.name)
        if (label.parent, label.name) in seen:
            raise Invalid("label_name_taken", field="labels", name=label.name)
        seen.add((label.parent, label.name))


def _check_free(session: Session, name: str, *, by: Caller) -> None:
    taken = sa.select(LabelSetRow.id).where(
        LabelSetRow.project_id == by.project.id, LabelSetRow.name_key == name_key(name)
    )
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


def _record(session: Session, action: str, row: LabelSetRow, *, by: Caller, **change: Any) -> None:
    audit.record(session, action, by=by, target_kind="label_set", target_id=row.id, target_name=row.name, **change)
