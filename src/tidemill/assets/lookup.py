"""Finding assets and versions by what people write: names, ids, numbers, `public/name@3`."""

import re
from dataclasses import dataclass
from typing import Annotated

import sqlalchemy as sa
from fastapi import Depends, Path
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, find_project, permissions_in
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.kinds import BY_NAME, BY_SEGMENT, Kind, KindSegment
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id

LATEST = "latest"
_NUMBER = re.compile(r"^[1-9][0-9]{0,14}$")

Segment = Annotated[str, Path(max_length=400)]
NUMBER_PATTERN = r"^([1-9][0-9]{0,14}|latest)$"
Number = Annotated[str, Path(pattern=NUMBER_PATTERN, description="A number, or `latest`")]


@dataclass(frozen=True, slots=True)
class Place:
    """What an address of the API names, as it was written."""

    kind: Kind
    asset: str = ""
    version: str = ""


async def _kind_place(project: Segment, kind: KindSegment) -> Place:
    del project
    return Place(BY_SEGMENT[kind])


async def _asset_place(project: Segment, kind: KindSegment, asset: Segment) -> Place:
    del project
    return Place(BY_SEGMENT[kind], asset)


async def _version_place(project: Segment, kind: KindSegment, asset: Segment, version: Number) -> Place:
    del project
    return Place(BY_SEGMENT[kind], asset, version)


KindPlace = Annotated[Place, Depends(_kind_place)]
AssetPlace = Annotated[Place, Depends(_asset_place)]
VersionPlace = Annotated[Place, Depends(_version_place)]


def get_asset(session: Session, place: Place, *, project_id: str, lock: bool = False) -> AssetRow:
    """The live asset; `lock` for every change, so that changes of one asset queue up."""
    found = _find_asset(session, project_id, place.kind, place.asset, lock=lock)
    if found is None:
        raise NotFound("asset_not_found", name=place.asset[:100])
    return found


def get_version(session: Session, place: Place, *, project_id: str, lock: bool = False) -> tuple[AssetRow, VersionRow]:
    """The live asset and its live version."""
    asset = get_asset(session, place, project_id=project_id, lock=lock)
    version = _find_version(session, asset, place.version)
    if version is None:
        raise NotFound("version_not_found", name=f"{asset.name}@{place.version}")
    return asset, version


def check_name_free(session: Session, kind: str, name: str, *, project_id: str) -> None:
    """Raises when a live asset of that kind has the name."""
    taken = sa.select(AssetRow.id).where(
        AssetRow.project_id == project_id,
        AssetRow.kind == kind,
        AssetRow.name_key == name_key(name),
        AssetRow.deleted_at.is_(None),
    )
    if session.scalar(taken):
        raise Conflict("name_taken", field="name", name=name)


@dataclass(frozen=True, slots=True)
class Found:
    """What a reference points at."""

    project: ProjectRow
    asset: AssetRow
    version: VersionRow


def resolve_reference(
    session: Session, text: str, *, by: Caller, kind: Kind | None = None, own_asset: AssetRow | None = None, field: str
) -> Found:
    """The version that `3`, `name@3`, `public/name@3` or `model:public/name@3` means to this caller.

    Without `kind` the reference must say it. A bare number is a version of `own_asset`. What the caller may not read is
    not there.
    """
    kind, rest = _split_kind(text, kind, field)
    project_name, _, rest = rest.rpartition("/")
    project = find_project(session, project_name or by.project.id)
    if project is None or f"{kind.name}.read" not in permissions_in(session, by, project):
        raise Invalid("reference_unknown", field=field, reference=text)
    if own_asset is not None and not project_name and _NUMBER.match(rest):
        asset, number = own_asset, rest
    else:
        name, _, number = rest.rpartition("@") if "@" in rest else (rest, "", LATEST)
        found = _find_asset(session, project.id, kind, name, lock=False)
        if found is None:
            raise Invalid("reference_unknown", field=field, reference=text)
        asset = found
    version = _find_version(session, asset, number)
    if version is None:
        raise Invalid("reference_unknown", field=field, reference=text)
    return Found(project, asset, version)


def _split_kind(text: str, kind: Kind | None, field: str) -> tuple[Kind, str]:
    name, colon, rest = text.partition(":")
    if colon:
        if name not in BY_NAME or (kind is not None and kind.name != name):
            raise Invalid("reference_kind", field=field, reference=text, kinds=", ".join(BY_NAME))
        return BY_NAME[name], rest
    if kind is None:
        raise Invalid("reference_kind", field=field, reference=text, kinds=", ".join(BY_NAME))
    return kind, text


def _find_asset(session: Session, project_id: str, kind: Kind, name_or_id: str, *, lock: bool) -> AssetRow | None:
    if "\x00" in name_or_id:
        return None
    column, value = (
        (AssetRow.id, name_or_id)
        if looks_like_id(name_or_id, kind.id_prefix)
        else (AssetRow.name_key, name_key(name_or_id))
    )
    statement = sa.select(AssetRow).where(
        column == value, AssetRow.project_id == project_id, AssetRow.kind == kind.name, AssetRow.deleted_at.is_(None)
    )
    return session.scalar(statement.with_for_update(key_share=True) if lock else statement)


def _find_version(session: Session, asset: AssetRow, number: str) -> VersionRow | None:
    wanted = asset.latest_version if number == LATEST else int(number) if _NUMBER.match(number) else None
    if wanted is None:
        return None
    return session.scalar(
        sa.select(VersionRow).where(
            VersionRow.asset_id == asset.id, VersionRow.number == wanted, VersionRow.deleted_at.is_(None)
        )
    )
