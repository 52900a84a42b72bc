"""Services as the database has them, for deciding."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.db import in_batches
from tidemill.packages.tables import PackageVersionRow
from tidemill.serving.reconciling.seen import PackageState, ReplicaSeen, ServiceSeen, TrackSeen
from tidemill.serving.states import ROLES
from tidemill.serving.tables import DeploymentRow, ReplicaRow, ServiceRow, TrackRow
from tidemill.workloads.tables import WorkloadRow

_PACKAGES: dict[str, PackageState] = {
    "pending": "waiting",
    "building": "building",
    "completed": "ready",
    "failed": "failed",
    "stopped": "failed",
}


@dataclass(slots=True)
class Loaded:
    """A service with the rows that are live of it."""

    row: ServiceRow
    project: ProjectRow
    tracks: list[TrackRow] = field(default_factory=list)
    replicas: list[ReplicaRow] = field(default_factory=list)
    deployments: dict[str, DeploymentRow] = field(default_factory=dict)
    packages: dict[str, PackageVersionRow] = field(default_factory=dict)
    """By version id."""
    workloads: dict[str, WorkloadRow] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        row = self.row
        return row.is_stopped or row.deleted_at is not None or self.project.deleted_at is not None

    def seen(self, health: Mapping[str, bool]) -> ServiceSeen:
        """As values; what was asked for its health says how it is."""
        return ServiceSeen(
            id=self.row.id,
            asked=self.row.asked,
            is_over=self.is_over,
            tracks=tuple(self._track(track) for track in self.tracks),
            replicas=tuple(self._replica(one, health.get(one.id)) for one in self.replicas),
        )

    def _track(self, track: TrackRow) -> TrackSeen:
        package = self.packages.get(self.deployments[track.deployment_id].package_version_id)
        return TrackSeen(
            id=track.id,
            role=track.role,  # type: ignore[arg-type]
            deployment_id=track.deployment_id,
            generation=track.generation,
            wanted=track.replicas,
            package=_PACKAGES[package.state] if package else "failed",
            failures=track.failures,
            retry_at=track.retry_at,
        )

    def _replica(self, row: ReplicaRow, is_well: bool | None) -> ReplicaSeen:
        workload = self.workloads.get(row.workload_id)
        return ReplicaSeen(
            id=row.id,
            track_id=row.track_id,
            deployment_id=row.deployment_id,
            generation=row.generation,
            state=row.state,  # type: ignore[arg-type]
            workload=workload.state if workload else None,  # type: ignore[arg-type]
            stop_reason=workload.stop_reason if workload else None,
            running_since=workload.started_at if workload else None,
            is_well=is_well,
            created_at=row.created_at,
            ready_at=row.ready_at,
            unwell_since=row.unwell_since,
            draining_at=row.draining_at,
            drain_revision=row.drain_revision,
        )


def load(session: Session, ids: Collection[str] | None = None) -> list[Loaded]:
    """All services, deleted ones too as long as they have a row; or these."""
    statement = sa.select(ServiceRow, ProjectRow).join(ProjectRow, ProjectRow.id == ServiceRow.project_id)
    if ids is not None:
        statement = statement.where(ServiceRow.id.in_(ids))
    found = {row.id: Loaded(row, project) for row, project in session.execute(statement.order_by(ServiceRow.id))}
    for batch in in_batches(list(found)):
        _fill(session, batch, found)
    return list(found.values())


def _fill(session: Session, ids: Collection[str], found: dict[str, Loaded]) -> None:
    live = sa.select(ReplicaRow).where(ReplicaRow.service_id.in_(ids), ReplicaRow.ended_at.is_(None))
    replicas = session.scalars(live.order_by(ReplicaRow.id)).all()
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id.in_(ids))).all()
    wanted = {track.deployment_id for track in tracks} | {one.deployment_id for one in replicas}
    deployments = {row.id: row for row in session.scalars(sa.select(DeploymentRow).where(DeploymentRow.id.in_(wanted)))}
    versions = {row.package_version_id for row in deployments.values()}
    packages = session.scalars(sa.select(PackageVersionRow).where(PackageVersionRow.version_id.in_(versions)))
    by_version = {row.version_id: row for row in packages}
    running = [one.workload_id for one in replicas]
    workloads = {row.id: row for row in session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(running)))}
    grouped: defaultdict[str, list[ReplicaRow]] = defaultdict(list)
    for one in replicas:
        grouped[one.service_id].append(one)
    for service_id in ids:
        loaded = found[service_id]
        mine = [track for track in tracks if track.service_id == service_id]
        loaded.tracks = sorted(mine, key=lambda track: ROLES.index(track.role))
        loaded.replicas = grouped[service_id]
        loaded.deployments, loaded.packages, loaded.workloads = deployments, by_version, workloads
