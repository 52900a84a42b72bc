"""The tree of a draft's files: written by imports and by deleting items, never by hand.

A draft made from another version shares its tree until its first change. Then it gets a tree of its own, in pieces of
one short transaction each: a copy of a million entries at once would keep everybody waiting. The copy is nobody's
until it is whole; after a crash it is gone on with where it stopped.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets.lookup import Opened
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.kernel.db import Database
from tidemill.store import blobs, trees
from tidemill.store.tables import TreeEntryRow, TreeRow
from tidemill.store.trees import Entry
from tidemill.store.trees.changes import uses_of

AT_ONCE = 5000


def part_tree(db: Database, opened: Opened, now: datetime) -> None:
    """Makes sure that the draft's tree is its own, so that a change of it costs what it changes."""
    while not _part_step(db, opened, now):
        continue


def put_files(
    session: Session, opened: Opened, entries: Sequence[Entry], now: datetime, *, arrived: Collection[str] = ()
) -> None:
    """Puts items' files into the draft's own tree; their paths were checked. `arrived`: see `blobs.hold`."""
    tree = _own_tree(session, opened, now)
    before = tree.size_bytes
    trees.put_entries(session, tree, entries, now, are_checked=True, arrived=arrived)
    _note_size(session, opened, tree.size_bytes - before, now)


def remove_files(session: Session, opened: Opened, paths: Sequence[str], now: datetime) -> None:
    """Takes items' files out of the draft's own tree."""
    tree = _own_tree(session, opened, now)
    before = tree.size_bytes
    trees.remove(session, tree, paths, now)
    _note_size(session, opened, tree.size_bytes - before, now)


def _own_tree(session: Session, opened: Opened, now: datetime) -> TreeRow:
    """The draft's tree, parted from others where it is not yet; small ones are copied on the spot."""
    version = session.get_one(VersionRow, opened.version_id, populate_existing=True)
    tree = trees.own(session, session.get_one(TreeRow, version.tree_id), now)
    version.tree_id = tree.id
    return tree


def _note_size(session: Session, opened: Opened, change_bytes: int, now: datetime) -> None:
    session.flush()
    session.execute(
        sa.update(AssetRow)
        .where(AssetRow.id == opened.asset_id)
        .values(size_bytes=AssetRow.size_bytes + change_bytes, updated_at=now)
        .execution_options(synchronize_session=False)
    )


def _part_step(db: Database, opened: Opened, now: datetime) -> bool:
    """One piece of the copy; whether all is done."""
    with db.write() as session:
        row = session.get_one(DatasetVersionRow, opened.vid, with_for_update=True)
        version = session.get_one(VersionRow, opened.version_id)
        shared = session.get_one(TreeRow, version.tree_id)
        if shared.users <= 1 or (row.copy_tree_id is None and shared.files <= AT_ONCE):
            return _give_up_copy(session, row)
        if row.copy_tree_id is None:
            row.copy_tree_id = trees.create_tree(session, opened.project_id, now).id
            return False
        copy = session.get_one(TreeRow, row.copy_tree_id)
        if _copy_piece(session, shared, copy):
            return False
        blobs.lock_project(session, opened.project_id)
        session.refresh(shared, with_for_update=True)
        shared.users -= 1
        copy.revision = shared.revision
        version.tree_id, row.copy_tree_id = copy.id, None
        return True


def _copy_piece(session: Session, shared: TreeRow, copy: TreeRow) -> bool:
    """Copies the next entries, with their uses in the books; False when there are none left."""
    reached = session.scalar(sa.select(sa.func.max(TreeEntryRow.path)).where(TreeEntryRow.tree_id == copy.id))
    here = sa.and_(TreeEntryRow.tree_id == shared.id, TreeEntryRow.path > (reached or ""))
    last = session.scalar(
        sa.select(TreeEntryRow.path).where(here).order_by(TreeEntryRow.path).offset(AT_ONCE - 1).limit(1)
    )
    piece = here if last is None else sa.and_(here, TreeEntryRow.path <= last)
    blobs.hold_selected(session, copy.project_id, uses_of(piece))
    columns = [column for column in TreeEntryRow.__table__.columns if column.name != "tree_id"]
    rows = sa.select(sa.literal(copy.id), *columns).where(piece).order_by(TreeEntryRow.path)
    session.execute(sa.insert(TreeEntryRow).from_select(["tree_id", *(column.name for column in columns)], rows))
    counted = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(TreeEntryRow.size_bytes), 0))
    files, size_bytes = session.execute(counted.where(piece, TreeEntryRow.kind == 1)).one()
    copy.files += int(files)
    copy.size_bytes += int(size_bytes)
    return last is not None


def _give_up_copy(session: Session, row: DatasetVersionRow) -> bool:
    """The other versions let go of the shared tree meanwhile: the copy is for nothing, and is collected."""
    if row.copy_tree_id is not None:
        copy = session.get_one(TreeRow, row.copy_tree_id)
        row.copy_tree_id = None
        copy.users = 0
    return True
