"""Label sets over HTTP."""

from typing import Annotated

from fastapi import Path

from tidemill.datasets import label_sets
from tidemill.datasets.lookup import Reader, VersionPlace, Writer
from tidemill.datasets.schemas import (
    LabelList,
    LabelSetApply,
    LabelSetCreate,
    LabelSetFromVersion,
    LabelSetPatch,
    LabelSetView,
)
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}", tags=["datasets"])

SetPath = Annotated[str, Path(max_length=400, description="A label set's name or id")]


@router.get("/label-sets")
def list_label_sets(caller: Reader, page: Paging, session: ReadSession) -> Page[LabelSetView]:
    """Label sets; sort by name, created_at or updated_at."""
    return label_sets.list_sets(session, page, by=caller)


@router.post("/label-sets", status_code=201)
def create_label_set(caller: Writer, body: LabelSetCreate, session: WriteSession) -> LabelSetView:
    """Makes a label set."""
    return label_sets.create_set(session, body, by=caller)


@router.post("/label-sets/from-version", status_code=201)
def create_label_set_from_version(caller: Writer, body: LabelSetFromVersion, session: WriteSession) -> LabelSetView:
    """Makes a label set of the labels of a dataset's version."""
    return label_sets.create_from_version(session, body, by=caller)


@router.get("/label-sets/{label_set}")
def get_label_set(caller: Reader, label_set: SetPath, session: ReadSession) -> LabelSetView:
    """One label set."""
    row = label_sets.get_set(session, label_set, project_id=caller.project.id)
    return label_sets.view(row, caller.project.name)


@router.patch("/label-sets/{label_set}")
def update_label_set(caller: Writer, label_set: SetPath, body: LabelSetPatch, session: WriteSession) -> LabelSetView:
    """Renames a label set, or changes its labels."""
    return label_sets.update_set(session, label_set, body, by=caller)


@router.delete("/label-sets/{label_set}", status_code=204)
def delete_label_set(caller: Writer, label_set: SetPath, session: WriteSession) -> None:
    """Removes a label set."""
    label_sets.delete_set(session, label_set, by=caller)


@router.post("/datasets/{dataset}/versions/{version}/labels/apply")
def apply_label_set(caller: Writer, place: VersionPlace, body: LabelSetApply, session: WriteSession) -> LabelList:
    """Adds the labels of a set to a draft; all its labels."""
    return label_sets.apply_set(session, place, body.label_set, by=caller)
