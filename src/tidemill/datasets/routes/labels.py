"""Labels of versions over HTTP."""

from typing import Annotated

from fastapi import Path

from tidemill.datasets import labels
from tidemill.datasets.lookup import Reader, VersionPlace, Writer
from tidemill.datasets.schemas import LabelList, LabelPatch, LabelsAdd, LabelsPut, LabelView
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}/labels", tags=["datasets"])

LabelPath = Annotated[int, Path(ge=1, le=2**53, description="A label's number")]


@router.get("")
def list_labels(caller: Reader, place: VersionPlace, session: ReadSession) -> LabelList:
    """All labels, in order, with how often each is used."""
    return labels.list_labels(session, place, by=caller)


@router.put("")
def put_labels(caller: Writer, place: VersionPlace, body: LabelsPut, session: WriteSession) -> LabelList:
    """Makes these the version's labels; those that are not among the `known` ones stay."""
    return labels.put_labels(session, place, body.labels, known=body.known, by=caller)


@router.post("")
def add_labels(caller: Writer, place: VersionPlace, body: LabelsAdd, session: WriteSession) -> LabelList:
    """The labels of these names, in their order; those that are not there yet are made."""
    return labels.add_labels(session, place, body.labels, by=caller)


@router.patch("/{number}")
def update_label(
    caller: Writer, place: VersionPlace, number: LabelPath, body: LabelPatch, session: WriteSession
) -> LabelView:
    """Changes one label."""
    return labels.update_label(session, place, number, body, by=caller)


@router.delete("/{number}", status_code=204)
def delete_label(caller: Writer, place: VersionPlace, number: LabelPath, session: WriteSession) -> None:
    """Removes a label that no annotation uses."""
    labels.delete_label(session, place, number, by=caller)
