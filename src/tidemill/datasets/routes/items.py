"""Items of versions over HTTP."""

import time
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import Depends, Path, Query, Request, Response
from pydantic import BaseModel, Field

from tidemill.accounts.access import Needs
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import NUMBER_PATTERN, Place
from tidemill.datasets import bulk, choosing, inline, items, trees
from tidemill.datasets.lookup import Annotator, Reader, VersionPlace, Writer, open_draft, open_version
from tidemill.datasets.schemas import (
    BulkAdd,
    BulkResult,
    ChangedCount,
    Chosen,
    ItemFilter,
    ItemPage,
    ItemView,
    OwnerChange,
    StateChange,
)
from tidemill.datasets.states import STATE_CODES, ItemState
from tidemill.datasets.tables import ItemRow
from tidemill.datasets.thumbnails.studio import SIZES, Studio
from tidemill.kernel.errors import NotFound
from tidemill.kernel.lean import json_answer, lean_route, read_values
from tidemill.kernel.paging import LIMIT_MAX
from tidemill.kernel.routing import ReadSession, Router
from tidemill.store import serving
from tidemill.transfers.receive import disk_has_room

router = Router(prefix="/projects/{project}/datasets/{dataset}/versions/{version}/items", tags=["items"])

ItemPath = Annotated[int, Path(ge=1, le=2**53, description="An item's number")]
DigestStart = Annotated[
    str | None, Query(pattern="^[0-9a-f]{8,64}$", description="The content's digest, or its start: then it may be kept")
]
_JSON = "application/json"
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


async def _page_wish(
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
    cursor: Annotated[str | None, Query(max_length=100, description="`next` of the page before")] = None,
    after: Annotated[
        int | None, Query(ge=0, le=2**53, description="Begin after this item (before it, from the last to the first)")
    ] = None,
    sort: Annotated[
        Literal["seq", "-seq", "uncertainty", "surprise"],
        Query(
            description="`-seq` is from the last to the first; `uncertainty` what a model is least certain of first,"
            " `surprise` what it did not expect: only items that a model has looked at"
        ),
    ] = "seq",
    with_: Annotated[
        Literal["annotations", "doubt", "annotations,doubt"] | None,
        Query(alias="with", description="`annotations` adds them to each item, `doubt` what a model thought of it"),
    ] = None,
) -> items.PageWish:
    more = (with_ or "").split(",")
    return items.PageWish(
        limit,
        cursor,
        after=after,
        descending=sort == "-seq",
        with_annotations="annotations" in more,
        order=None if sort in {"seq", "-seq"} else sort,  # type: ignore[arg-type]
        with_doubt="doubt" in more,
    )


async def _filter(
    state: ItemState | None = None,
    label: Annotated[int | None, Query(ge=1, le=2**53, description="Items with annotations of this label")] = None,
    annotator: Annotated[str | None, Query(max_length=400, description="A user's name or id")] = None,
    owner: Annotated[str | None, Query(max_length=400, description="A user's name or id")] = None,
    q: Annotated[str | None, Query(max_length=200, description="Part of the path")] = None,
) -> ItemFilter:
    return ItemFilter.model_construct(state=state, label=label, annotator=annotator, owner=owner, q=q)


ItemFilterQuery = Annotated[ItemFilter, Depends(_filter)]


@router.get("", response_class=Response, responses={200: {"model": ItemPage}})
def list_items(
    caller: Reader,
    place: VersionPlace,
    page: Annotated[items.PageWish, Depends(_page_wish)],
    wanted: ItemFilterQuery,
    session: ReadSession,
) -> Response:
    """One page of items, by number."""
    return Response(items.list_items(session, place, wanted, page, by=caller), media_type=_JSON)


def add_items(caller: Writer, place: VersionPlace, body: BulkAdd, request: Request) -> BulkResult:
    """Adds items whose content was sent before, or comes along, with their annotations.

    Sent again, it adds nothing twice.
    """
    given, refused = bulk.prepare(body.items, by=caller)
    db = request.app.state.db
    with db.read() as session:
        opened = open_draft(session, place, project_id=caller.project.id)
    trees.part_tree(db, opened, caller.now)
    with disk_has_room():
        placed = inline.place(db, request.app.state.store.backend, given, by=caller)
    results: list[BulkResult] = []
    while given:
        # Several short transactions: who saves an annotation meanwhile has their turn between them.
        is_beside_others = db.are_small_writes_about()
        size = bulk.AT_ONCE_BESIDE_OTHERS if is_beside_others else bulk.AT_ONCE
        some, given = given[:size], given[size:]
        with db.write() as session:
            opened = open_draft(session, place, project_id=caller.project.id)
            done = bulk.add_items(
                session, opened, some, existing=body.existing, reason=str(body.reason), by=caller, placed=placed
            )
        results.append(done)
        if is_beside_others and given:
            time.sleep(bulk.REST_BESIDE_OTHERS_S)
    return bulk.join_results(results, refused)


_may_write = Needs("dataset.write")


class _Asked(BaseModel):
    dataset: Annotated[str, Field(max_length=400)]
    version: Annotated[str, Field(pattern=NUMBER_PATTERN)]


def _add_items(request: Request, content: bytes) -> Response:
    caller = _may_write(request)
    asked = read_values(_Asked, request.path_params)
    place = Place(DATASET, asked.dataset, asked.version)
    body = bulk.read(content, in_pieces=request.app.state.db.are_small_writes_about())
    return json_answer(add_items(caller, place, body, request))


router.add_api_route("/bulk", add_items, methods=["POST"], route_class_override=lean_route(_add_items))


@router.get("/next", response_class=Response, responses={200: {"model": ItemView | None}})
def get_next_item(
    caller: Reader,
    place: VersionPlace,
    session: ReadSession,
    wanted: ItemFilterQuery,
    after: Annotated[int, Query(ge=0, le=2**53, description="The item one is at")] = 0,
    back: Annotated[bool, Query(description="The one before instead")] = False,
    sort: Annotated[
        Literal["seq", "uncertainty", "surprise"], Query(description="The order it is the next one in")
    ] = "seq",
) -> Response:
    """The next item that the filter finds, with its annotations; null when there is none."""
    order = None if sort == "seq" else sort
    found = items.get_next(session, place, wanted, after=after, back=back, order=order, by=caller)
    return Response(found, media_type=_JSON)


@router.post("/state")
def change_item_states(caller: Annotator, place: VersionPlace, body: StateChange, request: Request) -> ChangedCount:
    """Gives items another state: sets them aside, brings them back, sends them to rework."""
    code = STATE_CODES[body.state]
    return choosing.change_items(request.app.state.db, place, body, choosing.STATE, code, by=caller)


@router.post("/owner")
def change_item_owners(caller: Writer, place: VersionPlace, body: OwnerChange, request: Request) -> ChangedCount:
    """Gives items to somebody to annotate."""
    with request.app.state.db.write() as session:
        owner = choosing.owner_number(session, body.owner, by=caller)
    return choosing.change_items(request.app.state.db, place, body, choosing.OWNER, owner, by=caller)


@router.post("/delete")
def delete_items(caller: Writer, place: VersionPlace, body: Chosen, request: Request) -> ChangedCount:
    """Takes items out of a draft."""
    return choosing.change_items(request.app.state.db, place, body, choosing.REMOVE, by=caller)


@router.get("/{seq}", response_class=Response, responses={200: {"model": ItemView}})
def get_item(caller: Reader, place: VersionPlace, seq: ItemPath, session: ReadSession) -> Response:
    """One item with its annotations."""
    return Response(items.get_item(session, place, seq, by=caller), media_type=_JSON)


@router.get("/{seq}/content", response_class=Response, responses={200: {"content": _BYTES}})
def get_item_content(
    caller: Reader,
    place: VersionPlace,
    seq: ItemPath,
    request: Request,
    download: bool = False,
    digest: DigestStart = None,
) -> Response:
    """An item's bytes; ranges and conditions are understood."""
    row = _find(request, caller, place, seq)
    answer = serving.blob_response(
        request,
        request.app.state.store.backend,
        row.digest,
        row.size_bytes,
        media_type=row.media,
        filename=row.path.rpartition("/")[2],
        download=download,
    )
    answer.headers["Cache-Control"] = _caching(row, digest)
    return answer


@router.get("/{seq}/thumbnail", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
def get_item_thumbnail(
    caller: Reader,
    place: VersionPlace,
    seq: ItemPath,
    request: Request,
    size: Annotated[int, Query(ge=16, le=1024, description="The longer side, in pixels: 128, 256, 512 or 1024")] = 256,
    digest: DigestStart = None,
) -> Response:
    """A small picture of an item; 404 where it is none that can be drawn."""
    row = _find(request, caller, place, seq)
    if not row.media.startswith("image/"):
        raise NotFound("thumbnail_none")
    studio: Studio = request.app.state.thumbnails
    wanted = next(known for known in SIZES if known >= size)
    file = studio.thumbnail(row.digest, row.size_bytes, wanted)
    return Response(file.read_bytes(), media_type="image/jpeg", headers={"Cache-Control": _caching(row, digest)})


def _caching(row: Any, digest: str | None) -> str:
    """An address that names the content may be kept for ever; the number alone may stand for another one day."""
    if digest is not None and row.digest.startswith(digest):
        return "private, max-age=31536000, immutable"
    return "private, max-age=60"


def _find(request: Request, caller: Reader, place: VersionPlace, seq: int) -> Any:
    with request.app.state.db.read() as session:
        opened = open_version(session, place, project_id=caller.project.id)
        columns = (ItemRow.digest, ItemRow.size_bytes, ItemRow.media, ItemRow.path)
        row = session.execute(sa.select(*columns).where(ItemRow.vid == opened.vid, ItemRow.seq == seq)).one_or_none()
    if row is None:
        raise NotFound("item_not_found", seq=seq, name=opened.name)
    return row
