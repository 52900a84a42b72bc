"""Finding services and what is of them."""

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id
from tidemill.serving.states import Role
from tidemill.serving.tables import DeploymentRow, ServiceRow, TrackRow

PREFIX = "svc"


def find_service(session: Session, name_or_id: str, *, project_id: str, lock: bool = False) -> ServiceRow | None:
    """A live service of that project."""
    by_id = looks_like_id(name_or_id, PREFIX)
    match = ServiceRow.id == name_or_id if by_id else ServiceRow.name_key == name_key(name_or_id)
    if "\x00" in name_or_id:
        return None
    statement = sa.select(ServiceRow).where(ServiceRow.project_id == project_id, ServiceRow.deleted_at.is_(None), match)
    return session.scalar(statement.with_for_update() if lock else statement)


def get_service(session: Session, name_or_id: str, *, by: Caller, lock: bool = False) -> ServiceRow:
    """`find_service` in the project of this call, or NotFound."""
    row = find_service(session, name_or_id, project_id=by.project.id, lock=lock)
    if row is None:
        raise NotFound("service_not_found", name=name_or_id[:100])
    return row


def find_track(session: Session, service_id: str, role: Role) -> TrackRow | None:
    return session.scalar(sa.select(TrackRow).where(TrackRow.service_id == service_id, TrackRow.role == role))


def get_track(session: Session, row: ServiceRow, role: Role) -> TrackRow:
    """The track, or Conflict: there is no canary."""
    track = find_track(session, row.id, role)
    if track is None:
        raise Conflict("service_no_canary", name=row.name)
    return track


def get_deployment(session: Session, track: TrackRow) -> DeploymentRow:
    return session.get_one(DeploymentRow, track.deployment_id)


def platform_caller(project: ProjectRow, deployment: DeploymentRow, now: datetime) -> Caller:
    """The platform, doing what whoever deployed it asked for: it was checked then that they may."""
    return replace(
        system_caller(now),
        user_id=deployment.created_by_id,
        user_name=deployment.created_by,
        project_ref=ProjectRef(project.id, project.name, project.is_public),
    )
