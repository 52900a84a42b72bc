"""Versions from any project, loaded together with where they are, and which of them a caller may read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import in_batches


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version and where it is."""

    id: str
    kind: str
    asset: str
    number: int
    project: str
    project_row: ProjectRow
    is_live: bool
    created_at: datetime
    created_by: str


def load_versions(session: Session, ids: Collection[str]) -> dict[str, KnownVersion]:
    """Those of the versions that still have a row, deleted ones too."""
    found: dict[str, KnownVersion] = {}
    for batch in in_batches(sorted(ids)):
        rows = session.execute(
            sa.select(VersionRow, AssetRow, ProjectRow)
            .join(AssetRow, AssetRow.id == VersionRow.asset_id)
            .join(ProjectRow, ProjectRow.id == AssetRow.project_id)
            .where(VersionRow.id.in_(batch))
        )
        found.update({version.id: _known(version, asset, project) for version, asset, project in rows})
    return found


def readable_versions(session: Session, versions: Sequence[KnownVersion], *, by: Caller) -> set[str]:
    """Ids of those versions that the caller may read."""
    projects = {known.project_row.id: known.project_row for known in versions}
    held = permissions_by_project(session, by, list(projects.values()))
    return {known.id for known in versions if f"{known.kind}.read" in held[known.project_row.id]}


def _known(version: VersionRow, asset: AssetRow, project: ProjectRow) -> KnownVersion:
    return KnownVersion(
        id=version.id,
        kind=asset.kind,
        asset=asset.name,
        number=version.number,
        project=project.name,
        project_row=project,
        is_live=version.deleted_at is None and asset.deleted_at is None and project.deleted_at is None,
        created_at=version.created_at,
        created_by=version.created_by,
    )
