"""Finding a version of a dataset by what an address says, with everything a request needs of it, in one statement."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Depends
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, needs
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import LATEST, Number, Place, Segment, get_asset, get_version
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets.states import DRAFT, PUBLISHING
from tidemill.datasets.tables import DatasetRow, DatasetVersionRow
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id
from tidemill.kernel.prepared import Prepared

Reader = Annotated[Caller, needs("dataset.read")]
Writer = Annotated[Caller, needs("dataset.write")]
Annotator = Annotated[Caller, needs("dataset.annotate")]


async def _dataset_place(project: Segment, dataset: Segment) -> Place:
    del project
    return Place(DATASET, dataset)


async def _version_place(project: Segment, dataset: Segment, version: Number) -> Place:
    del project
    return Place(DATASET, dataset, version)


DatasetPlace = Annotated[Place, Depends(_dataset_place)]
VersionPlace = Annotated[Place, Depends(_version_place)]

COLUMNS: tuple[Any, ...] = (
    AssetRow.id.label("asset_id"),
    AssetRow.name.label("asset"),
    AssetRow.project_id,
    VersionRow.id.label("version_id"),
    VersionRow.number,
    VersionRow.tree_id,
    DatasetVersionRow.vid,
    DatasetVersionRow.did,
    DatasetVersionRow.state,
    DatasetVersionRow.revision,
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A live version of a dataset."""

    asset_id: str
    asset: str
    project_id: str
    version_id: str
    number: int
    tree_id: str
    vid: int
    did: int
    state: str
    revision: int

    @property
    def name(self) -> str:
        return f"{self.asset}@{self.number}"


def open_version(session: Session, place: Place, *, project_id: str) -> Opened:
    """The version an address names; raises NotFound."""
    found = choose(_VERSION, place).rows(session, **place_values(place, project_id))
    return Opened(*found[0]) if found else _refuse(session, place, project_id)


def open_draft(session: Session, place: Place, *, project_id: str) -> Opened:
    """`open_version`; raises Conflict when its items can no longer be changed."""
    opened = open_version(session, place, project_id=project_id)
    check_draft(opened)
    return opened


def check_draft(opened: Opened) -> None:
    """Raises when the version's items cannot be changed."""
    if opened.state == PUBLISHING:
        raise Conflict("dataset_publishing", name=opened.name)
    if opened.state != DRAFT:
        raise Conflict("dataset_published", name=opened.name)


def prepare(statement: Callable[[tuple[Any, ...]], Any]) -> dict[tuple[bool, bool], Prepared]:
    """A statement about the version an address names, once for each way to name it.

    It is given the conditions, joins included, under which `COLUMNS` are those of that version.
    """
    return {(by_id, latest): Prepared(statement(_at_place(by_id, latest))) for by_id in _BOTH for latest in _BOTH}


def choose(prepared: dict[tuple[bool, bool], Prepared], place: Place) -> Prepared:
    """The one that fits how this address names its version."""
    return prepared[looks_like_id(place.asset, DATASET.id_prefix), place.version == LATEST]


def place_values(place: Place, project_id: str) -> dict[str, Any]:
    """What the chosen statement wants to know of the address."""
    is_id = looks_like_id(place.asset, DATASET.id_prefix)
    values: dict[str, Any] = {"project_id": project_id, "asset": place.asset if is_id else name_key(place.asset)}
    if place.version != LATEST:
        values["number"] = int(place.version)
    return values


_BOTH = (False, True)


def _at_place(by_id: bool, latest: bool) -> tuple[Any, ...]:
    number: Any = AssetRow.latest_version if latest else sa.bindparam("number", type_=sa.BigInteger())
    column = AssetRow.id if by_id else AssetRow.name_key
    return (
        AssetRow.project_id == sa.bindparam("project_id", type_=sa.Text()),
        AssetRow.kind == DATASET.name,
        column == sa.bindparam("asset", type_=sa.Text()),
        AssetRow.deleted_at.is_(None),
        VersionRow.asset_id == AssetRow.id,
        VersionRow.number == number,
        VersionRow.deleted_at.is_(None),
        DatasetVersionRow.version_id == VersionRow.id,
    )


_VERSION = prepare(lambda at_place: sa.select(*COLUMNS).where(*at_place))


def get_dataset(session: Session, place: Place, *, project_id: str, lock: bool = False) -> tuple[AssetRow, DatasetRow]:
    """The live dataset."""
    asset = get_asset(session, place, project_id=project_id, lock=lock)
    return asset, session.scalars(sa.select(DatasetRow).where(DatasetRow.asset_id == asset.id)).one()


def _refuse(session: Session, place: Place, project_id: str) -> Opened:
    """Says what is not there."""
    asset, version = get_version(session, place, project_id=project_id)
    raise NotFound("version_not_found", name=f"{asset.name}@{version.number}")
