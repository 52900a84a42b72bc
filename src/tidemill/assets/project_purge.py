"""The end of a project: everything in it is taken apart, then the project itself is removed."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from tidemill.accounts.access import Caller
from tidemill.accounts.projects import remove_project
from tidemill.assets import lineage
from tidemill.assets.tables import AssetCountRow, AssetRow, BinRow, VersionRow
from tidemill.kernel.db import Database
from tidemill.store import trees
from tidemill.store.leaving import clear_project
from tidemill.store.tables import TreeRow

_BATCH = 500


Clearer = Callable[[str], None]
"""Removes what a room above has of a project, given its id; raises when that has to wait. Safe to repeat."""


def purge_project(db: Database, project_id: str, *, by: Caller, clearers: Sequence[Clearer] = ()) -> None:
    """Removes a project whose time in the bin is over: in short transactions, safe to repeat or to be stopped.

    Rooms above go first; they add their clearers to `app.state.project_clearers`.
    """
    for clear in reversed(clearers):
        clear(project_id)
    while version_id := _find_version(db, project_id):
        _purge_version(db, version_id)
    while _purge_assets(db, project_id):
        continue
    clear_project(db, project_id)
    with db.write() as session:
        session.execute(sa.delete(AssetCountRow).where(AssetCountRow.project_id == project_id))
        remove_project(session, project_id, by=by)


def _find_version(db: Database, project_id: str) -> str | None:
    with db.read() as session:
        return session.scalar(
            sa.select(VersionRow.id)
            .join(AssetRow, AssetRow.id == VersionRow.asset_id)
            .where(AssetRow.project_id == project_id)
            .limit(1)
        )


def _purge_version(db: Database, version_id: str) -> None:
    with db.write() as session:
        version = session.get(VersionRow, version_id)
        if version is None:
            return
        tree = session.get_one(TreeRow, version.tree_id)
        session.execute(sa.delete(BinRow).where(BinRow.version_id == version_id))
        lineage.forget_version(session, version_id)
        session.delete(version)
        session.flush()
        is_gone = trees.drop(session, tree)
    if not is_gone:
        trees.dissolve(db, tree.id)


def _purge_assets(db: Database, project_id: str) -> bool:
    with db.write() as session:
        ids = session.scalars(sa.select(AssetRow.id).where(AssetRow.project_id == project_id).limit(_BATCH)).all()
        session.execute(sa.delete(BinRow).where(BinRow.asset_id.in_(ids)))
        session.execute(sa.delete(AssetRow).where(AssetRow.id.in_(ids)))
    return bool(ids)
