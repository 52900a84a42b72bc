"""Assets of all kinds."""

from typing import Annotated

from fastapi import Query, Request

from tidemill.assets import copying, lineage, service
from tidemill.assets.callers import Deleter, Reader, Writer
from tidemill.assets.kinds import Scene
from tidemill.assets.lookup import AssetPlace, KindPlace
from tidemill.assets.lookup import get_asset as get_asset_row
from tidemill.assets.schemas import AssetCopy, AssetCreate, AssetPatch, AssetView, ReferenceList
from tidemill.assets.views import asset_view
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/{kind:asset_kind}", tags=["assets"])
plain = Router(prefix="/projects/{project}/{kind:plain_kind}", tags=["assets"])
"""What a room above does its own way for kinds whose versions have items."""


@plain.get("")
def list_assets(
    caller: Reader,
    place: KindPlace,
    page: Paging,
    session: ReadSession,
    scene: Scene | None = None,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
) -> Page[AssetView]:
    """Assets of a kind; sort by name, created_at, updated_at or size_bytes."""
    return service.list_assets(session, place.kind, page, scene=scene, mine=mine, by=caller)


@plain.post("", status_code=201)
def create_asset(caller: Writer, place: KindPlace, body: AssetCreate, session: WriteSession) -> AssetView:
    """Makes an asset, without versions yet."""
    return asset_view(service.create_asset(session, place.kind, body, by=caller), by=caller)


@plain.get("/{asset}")
def get_asset(caller: Reader, place: AssetPlace, session: ReadSession) -> AssetView:
    """One asset."""
    return asset_view(get_asset_row(session, place, project_id=caller.project.id), by=caller)


@plain.patch("/{asset}")
def update_asset(caller: Writer, place: AssetPlace, body: AssetPatch, session: WriteSession) -> AssetView:
    """Changes the description."""
    return asset_view(service.update_asset(session, place, body, by=caller), by=caller)


@router.delete("/{asset}", status_code=204)
def delete_asset(caller: Deleter, place: AssetPlace, request: Request, session: WriteSession) -> None:
    """Puts an asset that has no versions left into the recycle bin."""
    service.delete_asset(session, place, by=caller, bin_days=request.app.state.settings.bin_days)


@plain.post("/{asset}/copy", status_code=201)
def copy_asset(caller: Reader, place: AssetPlace, body: AssetCopy, session: WriteSession) -> AssetView:
    """Makes another asset from one version of this; needs write permission in the project it goes to."""
    return copying.copy_asset(session, place, body, by=caller)


@router.get("/{asset}/references")
def list_references(caller: Reader, place: AssetPlace, session: ReadSession) -> ReferenceList:
    """What was made from this asset."""
    asset = get_asset_row(session, place, project_id=caller.project.id)
    return ReferenceList(items=lineage.list_references(session, asset, by=caller))
