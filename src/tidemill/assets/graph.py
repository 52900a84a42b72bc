"""Lineage as a graph, for the version's page."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.known import KnownVersion, load_versions, readable_versions
from tidemill.assets.lineage import GIT, readable_uses
from tidemill.assets.links import version_link
from tidemill.assets.schemas import EdgeView, LineageView, NodeView
from tidemill.assets.tables import EdgeRow
from tidemill.assets.uses import Source, Use, find_sources, find_uses
from tidemill.kernel.db import in_batches

NODES_MAX = 200
_COMMIT_SHOWN = 10

_Edges: TypeAlias = dict[str, EdgeRow]


def lineage_graph(session: Session, version_id: str, *, depth: int, by: Caller) -> LineageView:
    """What the version came from and what came from it, `depth` steps each way, as far as the caller may see."""
    edges: _Edges = {}
    seen = {version_id}
    truncated = False
    for is_upwards in (True, False):
        frontier = {version_id}
        for _ in range(depth):
            found = _edges_of(session, frontier, is_upwards=is_upwards)
            edges.update({edge.id: edge for edge in found})
            fresh = {edge.source_id if is_upwards else edge.version_id for edge in found} - seen
            if len(seen) + len(fresh) > NODES_MAX:
                truncated = True
                fresh = set(sorted(fresh)[: max(0, NODES_MAX - len(seen))])
            seen |= fresh
            frontier = _readable(session, fresh, by)
            if not frontier:
                break
    shown = [edge for edge in edges.values() if edge.source_id in seen and edge.version_id in seen]
    uses = find_uses(session, sorted(_readable(session, seen, by)))[:NODES_MAX]
    return LineageView(
        nodes=[*_nodes(session, version_id, seen, shown, by), *_use_nodes(session, uses, by)],
        edges=[
            *(_edge(edge.source_id, edge.version_id, edge.relation) for edge in sorted(shown, key=lambda one: one.id)),
            *(_edge(use.version_id, use.id, "served_by") for use in uses),
        ],
        truncated=truncated,
    )


def _edge(source: str, made: str, relation: str) -> EdgeView:
    return EdgeView.model_validate({"from": source, "to": made, "relation": relation})


def _edges_of(session: Session, ids: Collection[str], *, is_upwards: bool) -> list[EdgeRow]:
    column = EdgeRow.version_id if is_upwards else EdgeRow.source_id
    found: list[EdgeRow] = []
    for batch in in_batches(sorted(ids)):
        found += session.scalars(sa.select(EdgeRow).where(column.in_(batch)).order_by(EdgeRow.id).limit(NODES_MAX * 2))
    return found


def _readable(session: Session, ids: Collection[str], by: Caller) -> set[str]:
    """Only from what the caller may read does the search go on."""
    return readable_versions(session, list(load_versions(session, ids).values()), by=by)


def _nodes(session: Session, self_id: str, ids: Collection[str], edges: list[EdgeRow], by: Caller) -> list[NodeView]:
    known = load_versions(session, ids)
    readable = readable_versions(session, list(known.values()), by=by)
    words = {edge.source_id: edge for edge in edges}
    others = [words[node_id] for node_id in ids if node_id not in known and node_id in words]
    told = _told_projects(session, others, by)
    sources = _sources(session, others)
    nodes = []
    for node_id in sorted(ids):
        if node_id in readable:
            nodes.append(_version_node(known[node_id], is_self=node_id == self_id))
        elif node_id in known:
            nodes.append(_hidden_node(known[node_id]))
        elif node_id in sources:
            nodes.append(_source_node(sources[node_id], told))
        elif node_id in words:
            nodes.append(_remembered_node(words[node_id], told))
    return nodes


def _version_node(known: KnownVersion, *, is_self: bool) -> NodeView:
    return NodeView(
        id=known.id,
        kind=known.kind,
        name=known.asset,
        version=str(known.number),
        project=known.project,
        label=f"{known.asset}@{known.number}",
        exists=known.is_live,
        created_at=known.created_at,
        created_by=known.created_by,
        is_self=is_self,
        link=version_link(known.project, known.kind, known.asset, known.number) if known.is_live else None,
    )


def _hidden_node(known: KnownVersion) -> NodeView:
    """It is there, in a project the caller cannot read: no more than that is shown."""
    return _bare_node(known.id, known.kind, name="", version="", project=None, label="", exists=known.is_live)


def _sources(session: Session, edges: list[EdgeRow]) -> dict[str, Source]:
    by_kind: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        by_kind[edge.source_kind].append(edge.source_id)
    return find_sources(session, by_kind)


def _source_node(source: Source, told: set[tuple[str | None, str]]) -> NodeView:
    """No version, but something that is there."""
    if (source.project_id, source.kind) not in told:
        return _bare_node(source.id, source.kind, name="", version="", project=None, label="", exists=True)
    return NodeView(
        id=source.id,
        kind=source.kind,
        name=source.name,
        version=source.version,
        project=source.project,
        label=source.label,
        exists=True,
        created_at=source.created_at,
        created_by=source.created_by,
        is_self=False,
        link=source.link,
    )


def _use_nodes(session: Session, uses: Sequence[Use], by: Caller) -> list[NodeView]:
    """What runs versions, each once; what the caller may not read shows that it is there."""
    readable = readable_uses(session, uses, by=by)
    nodes = []
    for use in {use.id: use for use in uses}.values():
        if use.id not in readable:
            nodes.append(_bare_node(use.id, use.kind, name="", version="", project=None, label="", exists=True))
            continue
        nodes.append(
            NodeView(
                id=use.id,
                kind=use.kind,
                name=use.name,
                version=use.detail,
                project=use.project,
                label=use.name,
                exists=True,
                created_at=use.created_at,
                created_by=use.created_by,
                is_self=False,
                link=use.link,
            )
        )
    return nodes


def _told_projects(session: Session, gone: list[EdgeRow], by: Caller) -> set[tuple[str | None, str]]:
    """(project, kind) of what is gone whose names the caller may still read."""
    ids = {edge.source_project_id for edge in gone if edge.source_project_id}
    projects = session.scalars(sa.select(ProjectRow).where(ProjectRow.id.in_(ids))).all()
    held = permissions_by_project(session, by, projects)
    return {
        (edge.source_project_id, edge.source_kind)
        for edge in gone
        if f"{edge.source_kind}.read" in held.get(edge.source_project_id or "", ())
    }


def _remembered_node(edge: EdgeRow, told: set[tuple[str | None, str]]) -> NodeView:
    """Outside of the platform, or gone for good: what was written down when the edge was made."""
    if edge.source_kind == GIT:
        short = edge.source_version[:_COMMIT_SHOWN]
        label = f"{edge.source_name}@{short}"
        return _bare_node(
            edge.source_id,
            GIT,
            name=edge.source_name,
            version=edge.source_version,
            project=None,
            label=label,
            exists=True,
        )
    if (edge.source_project_id, edge.source_kind) not in told:
        return _bare_node(edge.source_id, edge.source_kind, name="", version="", project=None, label="", exists=False)
    return _bare_node(
        edge.source_id,
        edge.source_kind,
        name=edge.source_name,
        version=edge.source_version,
        project=edge.source_project,
        label=f"{edge.source_name}@{edge.source_version}",
        exists=False,
    )


def _bare_node(
    node_id: str, kind: str, *, name: str, version: str, project: str | None, label: str, exists: bool
) -> NodeView:
    return NodeView(
        id=node_id,
        kind=kind,
        name=name,
        version=version,
        project=project,
        label=label,
        exists=exists,
        created_at=None,
        created_by=None,
        is_self=False,
        link=None,
    )
