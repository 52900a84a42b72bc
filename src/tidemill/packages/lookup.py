"""Package versions as rows, found by what addresses and references say."""

from typing import Annotated

import sqlalchemy as sa
from fastapi import Depends
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, needs
from tidemill.assets.kinds import PACKAGE
from tidemill.assets.lookup import Found, Number, Place, Segment, get_version, resolve_reference
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.packages.tables import PackageVersionRow

Reader = Annotated[Caller, needs("package.read")]
Writer = Annotated[Caller, needs("package.write")]
Program = Annotated[Caller, needs("package.work")]
"""No role has it: only the token of a build's own program does."""


async def _package_place(project: Segment, package: Segment) -> Place:
    del project
    return Place(PACKAGE, package)


async def _version_place(project: Segment, package: Segment, version: Number) -> Place:
    del project
    return Place(PACKAGE, package, version)


PackagePlace = Annotated[Place, Depends(_package_place)]
VersionPlace = Annotated[Place, Depends(_version_place)]


def get_package_version(
    session: Session, place: Place, *, project_id: str, lock: bool = False
) -> tuple[AssetRow, VersionRow, PackageVersionRow]:
    """The live package, its live version, and what that has as a package's."""
    asset, version = get_version(session, place, project_id=project_id, lock=lock)
    return asset, version, session.get_one(PackageVersionRow, version.id, with_for_update=lock or None)


def resolve_package(session: Session, text: str, *, by: Caller, field: str = "package") -> Found:
    """The version that `name@3`, `public/name@3` or a name means; a name alone is the newest that is built."""
    found = resolve_reference(session, text, by=by, kind=PACKAGE, field=field)
    if "@" in text:
        return found
    newest = session.scalar(newest_built(found.asset.id))
    return found if newest is None else Found(found.project, found.asset, newest)


def newest_built(asset_id: str) -> sa.Select[VersionRow]:
    return (
        sa.select(VersionRow)
        .join(PackageVersionRow, PackageVersionRow.version_id == VersionRow.id)
        .where(
            VersionRow.asset_id == asset_id,
            VersionRow.deleted_at.is_(None),
            PackageVersionRow.state == "completed",
        )
        .order_by(VersionRow.number.desc())
        .limit(1)
    )
