"""Files of ours as a committed version of an asset: built-in algorithms, models of the catalogue.

The same files again give no second version. A process that dies on the way leaves bytes that nothing uses, or a draft
that the next attempt commits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import versions
from tidemill.assets.commits import commit_version
from tidemill.assets.editing import editable_tree
from tidemill.assets.kinds import Kind, Scene
from tidemill.assets.lookup import Place, get_asset
from tidemill.assets.schemas import AssetCreate
from tidemill.assets.service import create_asset
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import NotFound
from tidemill.store import trees
from tidemill.store.depot import Store
from tidemill.store.tables import TreeRow

Entry = trees.Entry


@dataclass(frozen=True, slots=True)
class Plant:
    """What is to be there."""

    kind: Kind
    name: str
    scene: str
    description: str
    note: str
    entries: Sequence[Entry]
    """Of content that the project holds."""


def plant(db: Database, store: Store, wanted: Plant, *, by: Caller) -> tuple[int, bool]:
    """The number of the version with exactly these files in the caller's project, and whether it is new."""
    with db.write() as session:
        asset = _asset(session, wanted, by)
        newest = _newest(session, asset)
        if newest is not None and _has_same(session, newest, wanted.entries):
            version, is_new = newest, False
        else:
            version, is_new = _write_draft(session, asset, wanted, by), True
        number, is_draft = version.number, version.state == "draft"
    if is_draft:
        commit_version(db, store, Place(wanted.kind, asset.id, str(number)), note=None, by=by)
    return number, is_new


def find_planted(session: Session, wanted: Plant, *, by: Caller) -> int | None:
    """The number of the newest version, when it has exactly these files and is committed."""
    try:
        asset = get_asset(session, Place(wanted.kind, wanted.name), project_id=by.project.id)
    except NotFound:
        return None
    newest = _newest(session, asset)
    if newest is None or newest.state != "committed" or not _has_same(session, newest, wanted.entries):
        return None
    return newest.number


def _asset(session: Session, wanted: Plant, by: Caller) -> AssetRow:
    try:
        return get_asset(session, Place(wanted.kind, wanted.name), project_id=by.project.id, lock=True)
    except NotFound:
        body = AssetCreate(name=wanted.name, scene=Scene(wanted.scene), description=wanted.description[:500])
        return create_asset(session, wanted.kind, body, by=by)


def _newest(session: Session, asset: AssetRow) -> VersionRow | None:
    return session.scalar(
        sa.select(VersionRow).where(
            VersionRow.asset_id == asset.id, VersionRow.number == asset.latest_version, VersionRow.deleted_at.is_(None)
        )
    )


def _has_same(session: Session, version: VersionRow, entries: Sequence[Entry]) -> bool:
    tree = session.get_one(TreeRow, version.tree_id)
    if tree.files != len(entries):
        return False
    here = {entry.path: entry.digest for entry in entries}
    return all(here.get(node.path) == node.digest for node in trees.walk(session, tree.id))


def _write_draft(session: Session, asset: AssetRow, wanted: Plant, by: Caller) -> VersionRow:
    version = versions.new_version(session, asset, None, note=wanted.note, by=by)
    version.origin = "upload"
    with editable_tree(session, asset, version, by.now) as tree:
        trees.put_entries(session, tree, list(wanted.entries), by.now)
    versions.record(session, "create_version", asset, version, by=by, after={"note": wanted.note})
    return version
