"""Services in the lineage graph: what they run, and what they came from."""

from collections.abc import Sequence
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.graph import lineage_graph
from tidemill.assets.known import load_versions, readable_versions
from tidemill.assets.schemas import EdgeView, LineageView, NodeView
from tidemill.assets.uses import Use
from tidemill.kernel.db import in_batches
from tidemill.serving.lookup import get_deployment
from tidemill.serving.tables import DeploymentRow, ServiceRow, TrackRow

KIND = "service"


def service_link(project: str, name: str) -> str:
    return f"/p/{quote(project, safe='')}/services/{quote(name, safe='')}"


def find_uses(session: Session, version_ids: Sequence[str]) -> list[Use]:
    """Services that run one of these package versions now."""
    found: list[Use] = []
    for batch in in_batches(list(version_ids)):
        rows = session.execute(
            sa.select(ServiceRow, ProjectRow.name, TrackRow.role, DeploymentRow.package_version_id)
            .join(ProjectRow, ProjectRow.id == ServiceRow.project_id)
            .join(TrackRow, TrackRow.service_id == ServiceRow.id)
            .join(DeploymentRow, DeploymentRow.id == TrackRow.deployment_id)
            .where(
                DeploymentRow.package_version_id.in_(batch),
                ServiceRow.deleted_at.is_(None),
                ProjectRow.deleted_at.is_(None),
            )
            .order_by(ServiceRow.id, TrackRow.role)
        )
        found += [
            Use(
                version_id=version_id,
                kind=KIND,
                id=row.id,
                name=row.name,
                detail=role,
                project_id=row.project_id,
                project=project,
                link=service_link(project, row.name),
                created_at=row.created_at,
                created_by=row.created_by,
            )
            for row, project, role, version_id in rows
        ]
    return found


def service_lineage(session: Session, row: ServiceRow, *, depth: int, by: Caller) -> LineageView:
    """The service and everything its packages came from, as far as the caller may see."""
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id == row.id)).all()
    versions = sorted({get_deployment(session, track).package_version_id for track in tracks})
    nodes: dict[str, NodeView] = {}
    edges: dict[tuple[str, str, str], EdgeView] = {}
    truncated = False
    readable = readable_versions(session, list(load_versions(session, versions).values()), by=by)
    for version_id in versions:
        if version_id not in readable:
            continue
        graph = lineage_graph(session, version_id, depth=depth, by=by)
        truncated |= graph.truncated
        nodes |= {node.id: node for node in graph.nodes}
        for edge in graph.edges:
            told = edge.model_dump(by_alias=True)
            edges[told["from"], told["to"], told["relation"]] = edge
    kept = _ancestors(row.id, edges)
    shown = [node.model_copy(update={"is_self": node.id == row.id}) for node in nodes.values() if node.id in kept]
    if not any(node.id == row.id for node in shown):
        shown.append(_self_node(row, by))
    return LineageView(
        nodes=shown,
        edges=[edge for (source, made, _), edge in edges.items() if source in kept and made in kept],
        truncated=truncated,
    )


def _ancestors(service_id: str, edges: dict[tuple[str, str, str], EdgeView]) -> set[str]:
    """The service and all that leads to it: what else was made from the same is not its lineage."""
    kept, frontier = {service_id}, {service_id}
    while frontier:
        frontier = {source for source, made, _ in edges if made in frontier} - kept
        kept |= frontier
    return kept


def _self_node(row: ServiceRow, by: Caller) -> NodeView:
    return NodeView(
        id=row.id,
        kind=KIND,
        name=row.name,
        version="",
        project=by.project.name,
        label=row.name,
        exists=True,
        created_at=row.created_at,
        created_by=row.created_by,
        is_self=True,
        link=service_link(by.project.name, row.name),
    )
