"""What a version was made from, and what was made from it.

An edge of a blocking relation keeps its source from being deleted for as long as what was made from it is there (not in
the bin). Copies do not block: they have the content themselves.
"""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, permissions_by_project
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.known import KnownVersion, load_versions, readable_versions
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Found, Place, get_version, resolve_reference
from tidemill.assets.schemas import ReferenceView, Relation, SourcesAdd
from tidemill.assets.tables import AssetRow, EdgeRow, VersionRow
from tidemill.assets.uses import Source, Use, ask_guard, find_uses
from tidemill.assets.views import version_name
from tidemill.kernel.db import in_batches, upsert
from tidemill.kernel.errors import Conflict
from tidemill.kernel.ids import new_id

BLOCKING: tuple[Relation, ...] = ("made_from", "trained_on")
GIT = "git"
_CYCLE_SEARCH_MAX = 10_000
_SHOWN_MAX = 200


def add_copy(session: Session, version: VersionRow, source: Found, *, by: Caller) -> None:
    """The version began as a copy of the source."""
    _add_edge(session, version, source, "copied_from", by=by)


def add_import(session: Session, version: VersionRow, *, url: str, commit: str, by: Caller) -> None:
    """The version's files came from a Git repository. The address holds no secret."""
    _insert(
        session,
        version_id=version.id,
        relation="imported_from",
        source_id=f"{GIT}:{url}@{commit}",
        source_kind=GIT,
        source_name=url,
        source_version=commit,
        by=by,
    )


def add_made_from(session: Session, version: VersionRow, source_ids: Collection[str], *, by: Caller) -> None:
    """The version was made from these versions, by something that ran; one that is gone by now is left out."""
    for known in load_versions(session, set(source_ids) - {version.id}).values():
        _insert(
            session,
            version_id=version.id,
            relation="made_from",
            source_id=known.id,
            source_kind=known.kind,
            source_name=known.asset,
            source_version=str(known.number),
            source_project_id=known.project_row.id,
            source_project=known.project,
            by=by,
        )


def add_made_from_other(session: Session, version: VersionRow, source: Source, *, by: Caller) -> None:
    """The version was made from something that is no version, such as an image."""
    _insert(
        session,
        version_id=version.id,
        relation="made_from",
        source_id=source.id,
        source_kind=source.kind,
        source_name=source.name,
        source_version=source.version,
        source_project_id=source.project_id,
        source_project=source.project,
        by=by,
    )


def add_sources(session: Session, place: Place, body: SourcesAdd, *, by: Caller) -> VersionRow:
    """Says what a version was made from or trained on."""
    _lock_together(session, place, body.sources, by=by)
    asset, version = get_version(session, place, project_id=by.project.id)
    for source in body.sources:
        found = resolve_reference(session, source, by=by, field="sources")
        if found.version.id == version.id or _is_made_from(session, found.version.id, version.id):
            raise Conflict("lineage_cycle", field="sources", source=source, name=version_name(asset, version))
        _add_edge(session, version, found, body.relation, by=by)
    audit.record(
        session,
        f"{asset.kind}.sources",
        by=by,
        target_kind=f"{asset.kind}_version",
        target_id=version.id,
        target_name=version_name(asset, version),
        after={"relation": body.relation, "sources": body.sources},
    )
    return version


def refuse_if_used(session: Session, asset: AssetRow, *, by: Caller, version: VersionRow | None = None) -> None:
    """Raises, with the list, when something live was made from the asset, or from that version of it, or uses it."""
    if version is not None:
        ask_guard(session, asset, version)
    used_by = _referrers(session, asset, version, BLOCKING)
    uses = find_uses(session, [version.id]) if version is not None else []
    if used_by or uses:
        found = _reference_views(session, used_by[:_SHOWN_MAX], by=by) + use_views(session, uses[:_SHOWN_MAX], by=by)
        name = version_name(asset, version) if version else asset.name
        details = [item.model_dump() for item in found]
        raise Conflict("in_use", details=details, name=name, count=len(used_by) + len(uses))


def list_references(session: Session, asset: AssetRow, *, by: Caller) -> list[ReferenceView]:
    """Everything live that came from the asset, copies too, and what uses a version of it."""
    found = _referrers(session, asset, None, None)
    live = sa.select(VersionRow.id).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    uses = find_uses(session, session.scalars(live.order_by(VersionRow.number.desc()).limit(_SHOWN_MAX)).all())
    shown = _reference_views(session, found[:_SHOWN_MAX], by=by) + use_views(session, uses[:_SHOWN_MAX], by=by)
    return [item for item in shown if item.name is not None]


def readable_uses(session: Session, uses: Sequence[Use], *, by: Caller) -> set[str]:
    """Ids of what the caller may read of these."""
    ids = {use.project_id for use in uses}
    projects = session.scalars(sa.select(ProjectRow).where(ProjectRow.id.in_(ids))).all() if ids else []
    held = permissions_by_project(session, by, projects)
    return {use.id for use in uses if f"{use.kind}.read" in held.get(use.project_id, ())}


def use_views(session: Session, uses: Sequence[Use], *, by: Caller) -> list[ReferenceView]:
    """Uses as they are listed; what the caller may not read has no name."""
    readable = readable_uses(session, uses, by=by)
    return [
        ReferenceView(
            kind=use.kind,
            id=use.id if use.id in readable else None,
            name=use.name if use.id in readable else None,
            version=None,
            project=use.project if use.id in readable else None,
            relation="served_by",
            link=use.link if use.id in readable else None,
        )
        for use in uses
    ]


def forget_version(session: Session, version_id: str) -> None:
    """The version is going for good: so does what it was made from. Those made from it keep its name."""
    session.execute(sa.delete(EdgeRow).where(EdgeRow.version_id == version_id))


def _lock_together(session: Session, place: Place, sources: Sequence[str], *, by: Caller) -> None:
    """Locks the asset and its sources' assets, always in one order: no source is deleted while it is being named."""
    asset, _ = get_version(session, place, project_id=by.project.id)
    found = [resolve_reference(session, source, by=by, field="sources") for source in sources]
    for asset_id in sorted({asset.id, *(source.asset.id for source in found)}):
        session.execute(sa.select(AssetRow.id).where(AssetRow.id == asset_id).with_for_update(key_share=True))
    session.expire_all()


def _add_edge(session: Session, version: VersionRow, source: Found, relation: Relation, *, by: Caller) -> None:
    _insert(
        session,
        version_id=version.id,
        relation=relation,
        source_id=source.version.id,
        source_kind=source.asset.kind,
        source_name=source.asset.name,
        source_version=str(source.version.number),
        source_project_id=source.project.id,
        source_project=source.project.name,
        by=by,
    )


def _insert(session: Session, *, by: Caller, **values: str) -> None:
    session.flush()
    session.execute(
        upsert(session, EdgeRow)
        .values(id=new_id("edg"), created_at=by.now, created_by=by.user_name, **values)
        .on_conflict_do_nothing()
    )


def _is_made_from(session: Session, version_id: str, ancestor_id: str) -> bool:
    """Whether `ancestor_id` is among what the version was, however indirectly, made from."""
    seen, frontier = {version_id}, [version_id]
    while frontier and len(seen) < _CYCLE_SEARCH_MAX:
        sources: set[str] = set()
        for batch in in_batches(frontier):
            sources.update(session.scalars(sa.select(EdgeRow.source_id).where(EdgeRow.version_id.in_(batch))))
        if ancestor_id in sources:
            return True
        frontier = list(sources - seen)
        seen |= sources
    return False


def _referrers(
    session: Session, asset: AssetRow, version: VersionRow | None, relations: Sequence[Relation] | None
) -> list[tuple[EdgeRow, KnownVersion]]:
    """Edges from this asset, or one version of it, to live versions."""
    mine = sa.select(VersionRow.id).where(VersionRow.asset_id == asset.id)
    statement = (
        sa.select(EdgeRow)
        .join(VersionRow, VersionRow.id == EdgeRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .join(ProjectRow, ProjectRow.id == AssetRow.project_id)
        .where(
            EdgeRow.source_id == version.id if version else EdgeRow.source_id.in_(mine),
            VersionRow.deleted_at.is_(None),
            AssetRow.deleted_at.is_(None),
            ProjectRow.deleted_at.is_(None),
        )
        .order_by(EdgeRow.id)
        .limit(1000)
    )
    if relations is not None:
        statement = statement.where(EdgeRow.relation.in_(relations))
    edges = session.scalars(statement).all()
    known = load_versions(session, {edge.version_id for edge in edges})
    return [(edge, known[edge.version_id]) for edge in edges]


def _reference_views(
    session: Session, found: Sequence[tuple[EdgeRow, KnownVersion]], *, by: Caller
) -> list[ReferenceView]:
    readable = readable_versions(session, [known for _, known in found], by=by)
    return [_reference_view(edge, known, is_readable=known.id in readable) for edge, known in found]


def _reference_view(edge: EdgeRow, known: KnownVersion, *, is_readable: bool) -> ReferenceView:
    """What is in a project the caller cannot read shows that it is there, not what it is."""
    if not is_readable:
        return ReferenceView(
            kind=known.kind,
            id=None,
            name=None,
            version=None,
            project=None,
            relation=edge.relation,
            link=None,
        )
    return ReferenceView(
        kind=known.kind,
        id=known.id,
        name=known.asset,
        version=known.number,
        project=known.project,
        relation=edge.relation,
        link=version_link(known.project, known.kind, known.asset, known.number),
    )
