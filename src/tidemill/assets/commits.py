"""Committing a draft: from then on its files never change."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import formats
from tidemill.assets.kinds import BY_NAME
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import VersionView
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.versions import record
from tidemill.assets.views import version_name, version_view
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.store import trees
from tidemill.store.depot import Store
from tidemill.store.tables import TreeRow

_TRIES = 3


def commit_version(db: Database, store: Store, place: Place, *, note: str | None, by: Caller) -> VersionView:
    """Makes a draft unchanging.

    The tree is sealed first, which takes as long as it has files and holds no lock; then, in one short transaction, the
    version becomes committed if it still has that tree. When somebody edited meanwhile, it is tried again.
    """
    for _ in range(_TRIES):
        with db.read() as session:
            asset, version = get_version(session, place, project_id=by.project.id)
            _check_committable(session, asset, version)
            tree_id = version.tree_id
        try:
            trees.seal(db, store, tree_id, by.now)
        except (Conflict, NotFound):
            continue
        found = _find_format(db, store, asset, version)
        with db.write() as session:
            if view := _mark_committed(session, place, version.id, tree_id, note=note, found_format=found, by=by):
                return view
    raise Conflict("version_busy", name=version_name(asset, version))


def _check_committable(session: Session, asset: AssetRow, version: VersionRow) -> None:
    if version.state == "committed":
        raise Conflict("version_committed", name=version_name(asset, version))
    if not session.get_one(TreeRow, version.tree_id).files:
        raise Conflict("empty_version", name=version_name(asset, version))


def _find_format(db: Database, store: Store, asset: AssetRow, version: VersionRow) -> str | None:
    if version.format is not None or not BY_NAME[asset.kind].has_results:
        return version.format
    return formats.detect(db, store.backend, version.tree_id)


def _mark_committed(
    session: Session,
    place: Place,
    version_id: str,
    tree_id: str,
    *,
    note: str | None,
    found_format: str | None,
    by: Caller,
) -> VersionView | None:
    """The guarded move; None when the draft has other files by now."""
    asset, version = get_version(session, place, project_id=by.project.id, lock=True)
    _check_committable(session, asset, version)
    if version.id != version_id or version.tree_id != tree_id:
        return None
    version.state = "committed"
    version.committed_at = by.now
    version.format = version.format or found_format
    if note is not None:
        version.note = note
    asset.updated_at = by.now
    after = {"state": "committed", "digest": session.get_one(TreeRow, tree_id).manifest_digest}
    record(session, "commit", asset, version, by=by, before={"state": "draft"}, after=after)
    session.flush()
    return version_view(session, asset, version, by=by)
