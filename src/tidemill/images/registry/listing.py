"""What the registry lists: repositories, tags, referrers."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.images.registry.manifests import OCI_INDEX, OCI_MANIFEST
from tidemill.images.registry.repositories import Repository
from tidemill.images.service import registry_name
from tidemill.images.tables import ImageRow, ManifestRow
from tidemill.jobs.visibility import visible_projects

PAGE = 1000


def repositories_after(session: Session, by: Caller, last: str, limit: int) -> list[str]:
    """`project/name` of what the caller may read, in order, after `last`."""
    last_project, _, last_name = last.partition("/")
    found: list[str] = []
    for address, project_id in _readable(session, by):
        if address < last_project or len(found) >= limit:
            continue
        after = last_name if address == last_project else ""
        names = (
            sa.select(ManifestRow.name)
            .where(ManifestRow.project_id == project_id, ManifestRow.name > after)
            .distinct()
            .order_by(ManifestRow.name)
            .limit(limit - len(found))
        )
        found += [f"{address}/{name}" for name in session.scalars(names)]
    return found


def tags_after(session: Session, place: Repository, last: str, limit: int) -> list[str]:
    """Tags in order, after `last`."""
    is_there = sa.and_(ImageRow.kind == "oci", ImageRow.digest != "")
    tags = sa.select(ImageRow.version).where(place.holds(ImageRow), is_there, ImageRow.version > last)
    return list(session.scalars(tags.order_by(ImageRow.version).limit(limit)))


def referrers(
    session: Session, place: Repository, subject: str, artifact_type: str | None, last: str
) -> tuple[dict[str, Any], str | None]:
    """An index of what refers to a manifest, and the digest to go on after, where there is more."""
    rows = sa.select(ManifestRow).where(place.holds(ManifestRow), ManifestRow.subject == subject)
    if artifact_type is not None:
        rows = rows.where(ManifestRow.artifact_type == artifact_type)
    found = session.scalars(rows.where(ManifestRow.digest > last).order_by(ManifestRow.digest).limit(PAGE + 1)).all()
    shown = found[:PAGE]
    index = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [_descriptor(row) for row in shown]}
    return index, shown[-1].digest if len(found) > PAGE else None


def _descriptor(row: ManifestRow) -> dict[str, Any]:
    described: dict[str, Any] = {
        "mediaType": row.media_type or OCI_MANIFEST,
        "digest": f"sha256:{row.digest}",
        "size": row.size_bytes,
    }
    if row.artifact_type:
        described["artifactType"] = row.artifact_type
    if row.annotations:
        described["annotations"] = row.annotations
    return described


def _readable(session: Session, by: Caller) -> list[tuple[str, str]]:
    """(name in the registry, id) of each project whose images the caller may read."""
    public = sa.and_(ProjectRow.is_public, ProjectRow.deleted_at.is_(None))
    known = sa.or_(ProjectRow.id.in_(visible_projects(by)), public)
    projects = session.scalars(sa.select(ProjectRow).where(known)).all()
    rights = permissions_by_project(session, by, projects)
    return sorted((registry_name(each), each.id) for each in projects if "image.read" in rights[each.id])
