"""Algorithms with manifests and models with facts: found, listed."""

from typing import Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.kinds import ALGORITHM, MODEL
from tidemill.assets.known import KnownVersion, load_versions
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import Database, contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.models.facts import BROKEN, READ, FactsReader
from tidemill.models.manifests import Manifest
from tidemill.models.schemas import FactsView
from tidemill.models.tables import FactsRow
from tidemill.models.views import facts_views

Scope = Literal["all", "project", "public"]
LISTED_MAX = 200


def get_manifest(db: Database, facts: FactsReader, place: Place, *, by: Caller) -> tuple[KnownVersion, Manifest]:
    """The manifest of an algorithm's committed version."""
    with db.read() as session:
        asset, version = get_version(session, place, project_id=by.project.id)
        known = load_versions(session, {version.id})[version.id]
    name = f"{asset.name}@{version.number}"
    if version.state != "committed":
        raise Conflict("manifest_draft", name=name)
    return known, manifest_of(facts.ensure(version.id), name)


def manifest_of(row: FactsRow | None, name: str) -> Manifest:
    """The manifest in a row; raises when there is none or it cannot be understood."""
    if row is not None and row.state == BROKEN:
        raise Invalid("manifest_broken", field="algorithm", name=name, problem=row.problem or "")
    if row is None or row.state != READ:
        raise NotFound("manifest_none", name=name)
    return Manifest.model_validate(row.facts)


def get_facts(db: Database, facts: FactsReader, place: Place, *, by: Caller) -> FactsRow:
    """The facts of a model's committed version."""
    with db.read() as session:
        asset, version = get_version(session, place, project_id=by.project.id)
    row = facts.ensure(version.id)
    if row is None:
        raise Conflict("model_not_committed", name=f"{asset.name}@{version.number}")
    return row


def list_manifests(session: Session, *, task: str | None, by: Caller) -> list[tuple[KnownVersion, Manifest]]:
    """The newest committed version of each algorithm of the project and the public one that has a manifest."""
    newest = (
        sa.select(sa.func.max(VersionRow.number))
        .where(VersionRow.asset_id == AssetRow.id, VersionRow.state == "committed", VersionRow.deleted_at.is_(None))
        .correlate(AssetRow)
        .scalar_subquery()
    )
    statement = (
        sa.select(FactsRow)
        .join(VersionRow, VersionRow.id == FactsRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(
            FactsRow.project_id.in_(projects_of(session, "all", by)),
            FactsRow.kind == ALGORITHM.name,
            FactsRow.state == READ,
            AssetRow.deleted_at.is_(None),
            VersionRow.number == newest,
        )
        .order_by(FactsRow.name_key)
        .limit(LISTED_MAX)
    )
    if task is not None:
        statement = statement.where(FactsRow.task == task)
    rows = session.scalars(statement).all()
    known = load_versions(session, {row.version_id for row in rows})
    # One's own first.
    found = [(known[row.version_id], Manifest.model_validate(row.facts)) for row in rows]
    return sorted(found, key=lambda one: one[0].project_row.id != by.project.id)


def list_facts(
    session: Session, page: PageQuery, *, task: str | None, model: str | None, scope: Scope, by: Caller
) -> Page[FactsView]:
    """Model versions that say what they are."""
    statement = (
        sa.select(FactsRow)
        .join(VersionRow, VersionRow.id == FactsRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(
            FactsRow.project_id.in_(projects_of(session, scope, by)),
            FactsRow.kind == MODEL.name,
            FactsRow.state == READ,
            VersionRow.deleted_at.is_(None),
            AssetRow.deleted_at.is_(None),
        )
    )
    if task is not None:
        statement = statement.where(FactsRow.task == task)
    if model is not None:
        statement = statement.where(FactsRow.name_key == name_key(model))
    if page.q:
        statement = statement.where(contains(FactsRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": FactsRow.created_at, "primary_value": FactsRow.rank, "name": FactsRow.name_key},
        id_column=FactsRow.version_id,
        default_sort="-created_at",
        view=lambda rows: facts_views(session, rows, by=by),
    )


def projects_of(session: Session, scope: Scope, by: Caller) -> list[str]:
    """Ids of the projects that are meant: the caller's own, and the public one, which everyone reads."""
    public = [] if by.token_project_id else list(session.scalars(sa.select(ProjectRow.id).where(ProjectRow.is_public)))
    own = [by.project.id]
    return own if scope == "project" else public if scope == "public" else [*own, *public]
