"""The routing table, as the rows have it: who is ready, who gets how much, who may call."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.gateway.publishing import TURN, publish
from tidemill.gateway.schemas import KeyRoute, ReplicaRoute, RoutingTable, ServiceRoute, Shadow, TrackRoute
from tidemill.kernel.db import take_turn
from tidemill.packages.tables import PackageVersionRow
from tidemill.serving.internal import InternalKeys
from tidemill.serving.tables import DeploymentRow, KeyRow, ReplicaRow, ServiceRow, TrackRow

ROUTED = ("ready", "unready")


def build(session: Session, internal: InternalKeys, now: datetime) -> RoutingTable:
    """What the gateway is to serve."""
    services = session.execute(
        sa.select(ServiceRow, ProjectRow.name)
        .join(ProjectRow, ProjectRow.id == ServiceRow.project_id)
        .where(ServiceRow.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
        .order_by(ServiceRow.id)
    ).all()
    tracks = _by_service(session.scalars(sa.select(TrackRow)).all())
    live = sa.select(ReplicaRow).where(ReplicaRow.ended_at.is_(None), ReplicaRow.state.in_(ROUTED))
    replicas = _by_service(session.scalars(live.order_by(ReplicaRow.id)).all())
    keys = _by_service(session.scalars(sa.select(KeyRow).order_by(KeyRow.id)).all())
    deployments = _deployments(session, [track for some in tracks.values() for track in some], replicas)
    return RoutingTable(
        tuple(
            _service(row, project, tracks[row.id], replicas[row.id], keys[row.id], deployments, internal, now)
            for row, project in services
        )
    )


def spread(session: Session, internal: InternalKeys, now: datetime) -> tuple[RoutingTable, int]:
    """Publishes what is to be served as of this transaction: the table and its revision."""
    take_turn(session, TURN)
    session.flush()
    table = build(session, internal, now)
    return table, publish(session, table, now)


def _by_service(rows: Sequence[object]) -> defaultdict[str, list]:  # type: ignore[type-arg]
    found: defaultdict[str, list] = defaultdict(list)  # type: ignore[type-arg]
    for row in rows:
        found[row.service_id].append(row)  # type: ignore[attr-defined]
    return found


class _Known:
    """A deployment and whether its package speaks the inference protocol."""

    def __init__(self, row: DeploymentRow, plan: dict[str, object] | None) -> None:
        self.row = row
        self.is_inference = bool(plan and plan.get("protocol", "v2") == "v2")


def _deployments(
    session: Session, tracks: Sequence[TrackRow], replicas: dict[str, list[ReplicaRow]]
) -> dict[str, _Known]:
    ids = {track.deployment_id for track in tracks} | {one.deployment_id for some in replicas.values() for one in some}
    found = session.execute(
        sa.select(DeploymentRow, PackageVersionRow.plan)
        .outerjoin(PackageVersionRow, PackageVersionRow.version_id == DeploymentRow.package_version_id)
        .where(DeploymentRow.id.in_(ids))
    )
    return {row.id: _Known(row, plan) for row, plan in found}


def _service(
    row: ServiceRow,
    project: str,
    tracks: Sequence[TrackRow],
    replicas: Sequence[ReplicaRow],
    keys: Sequence[KeyRow],
    deployments: dict[str, _Known],
    internal: InternalKeys,
    now: datetime,
) -> ServiceRoute:
    roles = {track.role: track for track in tracks}
    canary, production = roles.get("canary"), roles.get("production")
    share = canary.share if canary else 0.0
    routes = [
        *(_track(production, 100.0 - share, replicas, deployments) if production else ()),
        *(_track(canary, share, replicas, deployments) if canary else ()),
    ]
    safe = all(deployments[track.deployment_id].is_inference for track in tracks)
    return ServiceRoute(
        id=row.id,
        project_id=row.project_id,
        project=project,
        name=row.name,
        access=row.access,  # type: ignore[arg-type]
        cors=tuple(row.cors),
        body_max_bytes=row.body_max_bytes,
        timeout_s=row.timeout_s,
        rate_per_s=row.rate_per_s,
        keys=(
            *(KeyRoute(key.id, key.sha256, key.rate_per_s) for key in keys),
            *internal.routes(row.id, now),
        ),
        tracks=tuple(routes),
        shadow=_shadow(row, canary, replicas, deployments),
        retry_posts=safe if row.retry_posts is None else row.retry_posts,
    )


def _track(
    track: TrackRow, share: float, replicas: Sequence[ReplicaRow], deployments: dict[str, _Known]
) -> list[TrackRoute]:
    """While an update is rolled out, two deployments divide the track's share as their replicas are."""
    mine = [one for one in replicas if one.track_id == track.id and one.host and one.reached_port]
    # One that does not answer us may still answer others: better than nobody.
    usable = [one for one in mine if one.state == "ready"] or mine
    by_deployment: defaultdict[str, list[ReplicaRow]] = defaultdict(list)
    for one in usable:
        by_deployment[one.deployment_id].append(one)
    if not usable:
        return [_route(track, deployments[track.deployment_id].row, share, [])]
    return [
        _route(track, deployments[deployment_id].row, share * len(some) / len(usable), some)
        for deployment_id, some in sorted(by_deployment.items())
    ]


def _route(track: TrackRow, deployment: DeploymentRow, share: float, replicas: Sequence[ReplicaRow]) -> TrackRoute:
    routes = tuple(
        ReplicaRoute(one.id, one.host or "", one.reached_port or 0, one.reached_grpc_port) for one in replicas
    )
    return TrackRoute(track.role, deployment.id, deployment.number, round(share, 6), routes)  # type: ignore[arg-type]


def _shadow(
    row: ServiceRow, canary: TrackRow | None, replicas: Sequence[ReplicaRow], deployments: dict[str, _Known]
) -> Shadow | None:
    if row.shadow_percent is None or canary is None:
        return None
    # While it is rolled out, only what is new of it: the comparison is about that.
    mine = [one for one in replicas if one.track_id == canary.id and one.deployment_id == canary.deployment_id]
    ready = [one for one in mine if one.state == "ready" and one.host]
    if not ready:
        return None
    route = _route(canary, deployments[canary.deployment_id].row, 0.0, ready)
    return Shadow(TrackRoute("shadow", route.version_id, route.number, 0.0, route.replicas), row.shadow_percent)
