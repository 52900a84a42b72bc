"""Lists of services and of what is of them."""

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import say
from tidemill.kernel.db import contains
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.serving.schemas import DeploymentView, ReplicaView, ServiceEventView, ServiceView
from tidemill.serving.states import ServiceState
from tidemill.serving.tables import DeploymentRow, EventRow, ReplicaRow, ServiceRow, TrackRow
from tidemill.serving.views import reader_of, replica_views, views


def list_services(
    session: Session, page: PageQuery, *, state: ServiceState | None, request: Request, by: Caller
) -> Page[ServiceView]:
    statement = sa.select(ServiceRow).where(ServiceRow.project_id == by.project.id, ServiceRow.deleted_at.is_(None))
    if state is not None:
        statement = statement.where(ServiceRow.state == state)
    if page.q:
        statement = statement.where(contains(ServiceRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={
            "name": ServiceRow.name_key,
            "created_at": ServiceRow.created_at,
            "updated_at": ServiceRow.updated_at,
        },
        id_column=ServiceRow.id,
        default_sort="-created_at",
        view=lambda rows: views(session, rows, reader_of(request, by)),
    )


def list_replicas(session: Session, row: ServiceRow, page: PageQuery, *, ended: bool, by: Caller) -> Page[ReplicaView]:
    statement = sa.select(ReplicaRow).where(ReplicaRow.service_id == row.id)
    if not ended:
        statement = statement.where(ReplicaRow.ended_at.is_(None))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": ReplicaRow.created_at},
        id_column=ReplicaRow.id,
        default_sort="-created_at",
        view=lambda rows: replica_views(session, rows, by.language),
    )


def list_deployments(session: Session, row: ServiceRow, page: PageQuery) -> Page[DeploymentView]:
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id == row.id)).all()
    roles = {track.deployment_id: track.role for track in tracks}
    return fetch_page(
        session,
        sa.select(DeploymentRow).where(DeploymentRow.service_id == row.id),
        page,
        sorts={"number": DeploymentRow.number},
        id_column=DeploymentRow.id,
        default_sort="-number",
        view=lambda rows: [
            DeploymentView(
                number=one.number,
                package=one.package,
                package_version_id=one.package_version_id,
                models=one.models,
                spec=one.spec,
                role=roles.get(one.id),
                created_at=one.created_at,
                created_by=one.created_by,
            )
            for one in rows
        ],
    )


def list_events(session: Session, row: ServiceRow, page: PageQuery, *, by: Caller) -> Page[ServiceEventView]:
    return fetch_page(
        session,
        sa.select(EventRow).where(EventRow.service_id == row.id),
        page,
        sorts={"created_at": EventRow.id},
        id_column=EventRow.id,
        default_sort="-created_at",
        view=lambda rows: [
            ServiceEventView(
                id=one.id,
                at=one.at,
                kind=one.kind,
                role=one.role,
                number=one.number,
                message=say(one.message, by.language),
                by=one.by,
            )
            for one in rows
        ],
    )
