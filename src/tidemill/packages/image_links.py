"""Images and packages: which image a version was built on or made, told to the rooms below."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.assets.tables import AssetRow, EdgeRow, VersionRow
from tidemill.assets.uses import Source
from tidemill.images.tables import ImageRow
from tidemill.packages.tables import PackageVersionRow

KIND = "image"
SHOWN = 20


def find_images(session: Session, ids: Sequence[str]) -> list[Source]:
    """Those of the images that are there, as lineage shows them."""
    rows = session.execute(
        sa.select(ImageRow, ProjectRow)
        .join(ProjectRow, ProjectRow.id == ImageRow.project_id)
        .where(ImageRow.id.in_(ids), ProjectRow.deleted_at.is_(None))
    )
    return [source_of(row, project) for row, project in rows]


def source_of(row: ImageRow, project: ProjectRow) -> Source:
    return Source(
        kind=KIND,
        id=row.id,
        name=row.name,
        version=row.version,
        label=f"{row.name}:{row.version}",
        project_id=project.id,
        project=project.name,
        link=f"/p/{quote(project.name, safe='')}/images/{row.id}",
        created_at=row.created_at,
        created_by=row.created_by,
    )


class PackageUsers:
    """Live package versions that were built on an image, or run in it."""

    def of_image(self, session: Session, image_id: str, *, project_id: str | None = None) -> list[dict[str, Any]]:
        built_on = sa.exists().where(
            EdgeRow.version_id == VersionRow.id, EdgeRow.source_id == image_id, EdgeRow.source_kind == KIND
        )
        statement = (
            sa.select(VersionRow.id, VersionRow.number, AssetRow.name)
            .join(PackageVersionRow, PackageVersionRow.version_id == VersionRow.id)
            .join(AssetRow, AssetRow.id == VersionRow.asset_id)
            .where(
                VersionRow.deleted_at.is_(None),
                AssetRow.deleted_at.is_(None),
                sa.or_(built_on, PackageVersionRow.image_id == image_id),
            )
            .limit(SHOWN)
        )
        if project_id is not None:
            statement = statement.where(AssetRow.project_id == project_id)
        found = session.execute(statement)
        return [{"id": row.id, "name": f"{row.name}@{row.number}", "kind": "package"} for row in found]

    def digests(self, session: Session) -> set[str]:
        """None beyond those there are rows of: an environment that was collected is made again from the store."""
        del session
        return set()
