"""Services as people see them, in their language."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.jobs.texts import Text, say
from tidemill.kernel.i18n import Language
from tidemill.kernel.settings import Settings
from tidemill.serving.addresses import grpc_view, service_url
from tidemill.serving.metrics.lately import traffic_of
from tidemill.serving.schemas import AlertRule, ReplicaView, RollbackRule, ServiceView, TrackView
from tidemill.serving.states import WAITING_FOR, WaitsFor
from tidemill.serving.tables import AlertRow, DeploymentRow, ReplicaRow, ServiceRow, TrackRow
from tidemill.workloads.tables import WorkloadRow


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks, and when: their language, and the host they reach us by."""

    settings: Settings
    language: Language
    now: datetime
    host: str | None = None


def service_view(session: Session, row: ServiceRow, *, request: Request, by: Caller) -> ServiceView:
    return views(session, [row], reader_of(request, by))[0]


def reader_of(request: Request, by: Caller) -> Reader:
    return Reader(request.app.state.settings, by.language, by.now, request.url.hostname)


def views(session: Session, rows: Sequence[ServiceRow], reader: Reader) -> list[ServiceView]:
    """All rows of a page at once."""
    ids = [row.id for row in rows]
    projects: dict[str, str] = dict(
        session.execute(
            sa.select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_({row.project_id for row in rows}))
        ).all()
    )
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id.in_(ids))).all()
    live = session.scalars(
        sa.select(ReplicaRow)
        .where(ReplicaRow.service_id.in_(ids), ReplicaRow.ended_at.is_(None))
        .order_by(ReplicaRow.id)
    ).all()
    deployed = {track.deployment_id for track in tracks}
    deployments = {
        one.id: one for one in session.scalars(sa.select(DeploymentRow).where(DeploymentRow.id.in_(deployed)))
    }
    shown = replica_views(session, live, reader.language)
    by_track: defaultdict[str, list[ReplicaView]] = defaultdict(list)
    for replica, view in zip(live, shown, strict=True):
        by_track[replica.track_id].append(view)
    open_alerts: dict[str, int] = dict(
        session.execute(
            sa.select(AlertRow.service_id, sa.func.count())
            .where(AlertRow.service_id.in_(ids), AlertRow.state == "open")
            .group_by(AlertRow.service_id)
        ).all()
    )
    traffic = traffic_of(session, ids, reader.now)
    found = []
    for row in rows:
        mine = {track.role: track for track in tracks if track.service_id == row.id}
        share = mine["canary"].share if "canary" in mine else 0.0
        shares = {"production": 100.0 - share, "canary": share}
        by_role = {
            role: _track(track, deployments[track.deployment_id], shares[role], by_track[track.id], reader)
            for role, track in mine.items()
        }
        about = {"open_alerts": open_alerts.get(row.id, 0), "traffic": traffic[row.id]}
        found.append(_service(row, projects[row.project_id], by_role, about, reader))
    return found


def replica_views(session: Session, rows: Sequence[ReplicaRow], language: Language) -> list[ReplicaView]:
    roles: dict[str, Any] = dict(
        session.execute(
            sa.select(TrackRow.id, TrackRow.role).where(TrackRow.id.in_({row.track_id for row in rows}))
        ).all()
    )
    placed: dict[str, Any] = dict(
        session.execute(
            sa.select(WorkloadRow.id, WorkloadRow.placement).where(
                WorkloadRow.id.in_([row.workload_id for row in rows])
            )
        ).all()
    )
    return [
        ReplicaView(
            id=row.id,
            name=row.name,
            role=roles.get(row.track_id),
            number=row.number,
            state=row.state,
            reason=say(row.reason, language) if row.reason else "",
            workload_id=row.workload_id,
            machine=next((str(node["machine"]) for node in placed.get(row.workload_id) or ()), None),
            created_at=row.created_at,
            ready_at=row.ready_at,
            ended_at=row.ended_at,
        )
        for row in rows
    ]


def _service(
    row: ServiceRow, project: str, tracks: dict[str, TrackView], about: dict[str, Any], reader: Reader
) -> ServiceView:
    return ServiceView(
        id=row.id,
        name=row.name,
        description=row.description,
        project=project,
        state=row.state,
        reason=say(row.reason, reader.language) if row.reason else "",
        waits_for=_waits_for(row.reason),
        url=service_url(reader.settings, project, row.name, reader.host),
        grpc=grpc_view(reader.settings, project, row.name, reader.host),
        wanted=row.wanted,
        ready=row.ready,
        production=tracks.get("production"),
        canary=tracks.get("canary"),
        is_stopped=row.is_stopped,
        access=row.access,
        cors=row.cors,
        body_max_bytes=row.body_max_bytes,
        timeout_s=row.timeout_s,
        rate_per_s=row.rate_per_s,
        retry_posts=row.retry_posts,
        alerts=[AlertRule(**rule) for rule in row.alert_rules],
        rollback=RollbackRule(**row.rollback_rule) if row.rollback_rule else None,
        shadow_percent=row.shadow_percent,
        **about,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def _waits_for(reason: Text | None) -> WaitsFor | None:
    return WAITING_FOR.get(reason.get("code", "")) if reason else None


def _track(
    track: TrackRow, deployment: DeploymentRow, share: float, replicas: list[ReplicaView], reader: Reader
) -> TrackView:
    return TrackView(
        id=track.id,
        role=track.role,
        number=deployment.number,
        package=deployment.package,
        package_version_id=deployment.package_version_id,
        model=deployment.models[0] if deployment.models else None,
        models=deployment.models,
        spec=deployment.spec,
        environment=deployment.environment,
        secret_names=sorted(deployment.secrets),
        wanted=track.replicas,
        ready=track.ready,
        share=share,
        state=track.state,
        reason=say(track.reason, reader.language) if track.reason else "",
        waits_for=_waits_for(track.reason),
        rolled_back_at=track.rolled_back_at,
        replicas=replicas,
        created_at=deployment.created_at,
        created_by=deployment.created_by,
    )
