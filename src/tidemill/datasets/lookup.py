"""Finding a version of a dataset by what an address says, with everything a request needs of it, in one statement."""

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

Reader = Annotated[Caller, needs("dataset.read")]
Writer = Annotated[Caller, needs("dataset.write")]
Annotator = Annotated[Caller, needs("dataset.annotate")]


def _dataset_place(project: Segment, dataset: Segment) -> Place:
    del project
    return Place(DATASET, dataset)


def _version_place(project: Segment, dataset: Segment, version: Number) -> Place:
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
    row = session.execute(sa.select(*COLUMNS).where(*at_place(place, project_id))).one_or_none()
    return Opened(*row) if row is not None else _refuse(session, place, project_id)


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


def at_place(place: Place, project_id: str) -> tuple[Any, ...]:
    """The conditions, joins included, under which `COLUMNS` are those of the address's version."""
    number: Any = AssetRow.latest_version if place.version == LATEST else int(place.version)
    return (
        *_is_asset(place, project_id),
        VersionRow.asset_id == AssetRow.id,
        VersionRow.number == number,
        VersionRow.deleted_at.is_(None),
        DatasetVersionRow.version_id == VersionRow.id,
    )


def get_dataset(session: Session, place: Place, *, project_id: str, lock: bool = False) -> tuple[AssetRow, DatasetRow]:
    """The live dataset."""
    asset = get_asset(session, place, project_id=project_id, lock=lock)
    return asset, session.scalars(sa.select(DatasetRow).where(DatasetRow.asset_id == asset.id)).one()


def _is_asset(place: Place, project_id: str) -> tuple[Any, ...]:
    is_id = looks_like_id(place.asset, DATASET.id_prefix)
    return (
        AssetRow.project_id == project_id,
        AssetRow.kind == DATASET.name,
        AssetRow.id == place.asset if is_id else AssetRow.name_key == name_key(place.asset),
        AssetRow.deleted_at.is_(None),
    )


def _refuse(session: Session, place: Place, project_id: str) -> Opened:
    """Says what is not there."""
    asset, version = get_version(session, place, project_id=project_id)
    raise NotFound("version_not_found", name=f"{asset.name}@{version.number}")
