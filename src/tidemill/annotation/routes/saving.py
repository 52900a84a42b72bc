"""Saving annotations over HTTP, and an item's history."""

from typing import Annotated

from fastapi import Header, Query, Request, Response
from pydantic import BaseModel, Field

from tidemill.accounts.access import Needs
from tidemill.annotation import history, many, restoring, saving
from tidemill.annotation.saving import Wish
from tidemill.annotation.schemas import AnnotationsPut, History, Restore, SaveAnswers, Saved, SavesPost
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import NUMBER_PATTERN, Place
from tidemill.datasets.lookup import Annotator, Reader, VersionPlace
from tidemill.datasets.routes.items import ItemPath
from tidemill.datasets.schemas import Seq
from tidemill.kernel.db import Database
from tidemill.kernel.lean import json_answer, lean_route, read_body, read_values
from tidemill.kernel.routing import KEY_MAX, ReadSession, Router, WriteSession, never_replayed

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}/items", tags=["annotation"])

Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=KEY_MAX)]


@never_replayed  # the revision itself keeps the key, for good
def save_annotations(
    caller: Annotator,
    place: VersionPlace,
    seq: ItemPath,
    body: AnnotationsPut,
    session: WriteSession,
    key: Key = None,
) -> Saved:
    """Saves an item's annotations; 409 with what is there now when that is not the revision that was changed."""
    wish = Wish(seq, body.base, body.annotations, body.state, key, merge=body.merge)
    return Saved(**saving.save(session, place, wish, by=caller).view())


_may_annotate = Needs("dataset.annotate")


class _Asked(BaseModel):
    dataset: Annotated[str, Field(max_length=400)]
    version: Annotated[str, Field(pattern=NUMBER_PATTERN)]
    seq: Seq
    key: Annotated[str, Field(max_length=KEY_MAX)] | None


def _save(request: Request, content: bytes) -> Response:
    caller = _may_annotate(request)
    asked = read_values(_Asked, request.path_params | {"key": request.headers.get("Idempotency-Key")})
    body = read_body(AnnotationsPut, content)
    place = Place(DATASET, asked.dataset, asked.version)
    db: Database = request.app.state.db
    return json_answer(
        db.write_small(lambda session: save_annotations(caller, place, asked.seq, body, session, asked.key))
    )


router.add_api_route("/{seq}/annotations", save_annotations, methods=["PUT"], route_class_override=lean_route(_save))


@router.post("/annotations")
@never_replayed  # each save has its own key
def save_many_annotations(caller: Annotator, place: VersionPlace, body: SavesPost, request: Request) -> SaveAnswers:
    """Saves several items, each by itself: one that is refused or in conflict does not keep the others."""
    return SaveAnswers(answers=many.save_many(request.app.state.db, place, body.saves, by=caller))


@router.get("/{seq}/history", response_class=Response, responses={200: {"model": History}})
def list_item_history(
    caller: Reader,
    place: VersionPlace,
    seq: ItemPath,
    session: ReadSession,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    with_: Annotated[
        str | None, Query(alias="with", pattern="^annotations$", description="`annotations` adds them to each revision")
    ] = None,
) -> Response:
    """The revisions an item's annotations went through, newest first."""
    found = history.list_history(
        session, place, seq, before=before, limit=limit, with_annotations=with_ is not None, by=caller
    )
    return Response(found, media_type="application/json")


@router.post("/{seq}/restore")
def restore_item(caller: Annotator, place: VersionPlace, seq: ItemPath, body: Restore, session: WriteSession) -> Saved:
    """Gives an item the annotations of one of its earlier revisions."""
    done = restoring.restore(session, place, seq, revision=body.revision, base=body.base, by=caller)
    return Saved(**done.view())
