"""Copying an asset, within a project or into another: rows, no bytes."""

from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, ProjectRef, find_project, permissions_in
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.lookup import Found, Place, get_asset
from tidemill.assets.schemas import AssetCopy, AssetView
from tidemill.assets.service import new_asset
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.versions import new_version
from tidemill.assets.views import asset_view, version_name
from tidemill.kernel.errors import Forbidden, NotFound


def copy_asset(session: Session, place: Place, body: AssetCopy, *, by: Caller) -> AssetView:
    """A new asset whose first version is a draft with the files of one version of this one."""
    source = get_asset(session, place, project_id=by.project.id)
    in_target = _in_target_project(session, body.to_project, place.kind.name, by=by)
    version = _version_to_copy(session, source, body.version)
    copy = new_asset(
        session,
        place.kind,
        project_id=in_target.project.id,
        name=body.name,
        scene=source.scene,
        description=source.description,
        by=by,
    )
    if version is not None:
        home = session.get_one(ProjectRow, source.project_id)
        new_version(session, copy, Found(home, source, version), note="", by=by)
    taken = version_name(source, version) if version else source.name
    audit.record(
        session,
        f"{copy.kind}.copy",
        by=in_target,
        target_kind=copy.kind,
        target_id=copy.id,
        target_name=copy.name,
        after={"name": copy.name, "from": taken, "from_project": by.project.name},
    )
    session.flush()
    return asset_view(copy, by=in_target)


def _in_target_project(session: Session, name: str | None, kind: str, *, by: Caller) -> Caller:
    """The caller in the project the copy goes to; one they cannot read is not there."""
    project = find_project(session, name or by.project.id)
    held = permissions_in(session, by, project) if project else frozenset()
    if project is None or not held:
        raise NotFound("project_not_found", field="to_project", name=(name or "")[:100])
    if f"{kind}.write" not in held:
        raise Forbidden("copy_target", field="to_project", project=project.name)
    return replace(by, permissions=held, project_ref=ProjectRef(project.id, project.name, project.is_public))


def _version_to_copy(session: Session, asset: AssetRow, number: int | None) -> VersionRow | None:
    live = sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    if number is not None:
        version = session.scalar(live.where(VersionRow.number == number))
        if version is None:
            raise NotFound("version_not_found", name=f"{asset.name}@{number}")
        return version
    is_draft = sa.case((VersionRow.state == "committed", 0), else_=1)
    return session.scalar(live.order_by(is_draft, VersionRow.number.desc()).limit(1))
