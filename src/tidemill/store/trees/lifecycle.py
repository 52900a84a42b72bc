"""Whole trees: made, shared, cloned, sealed, dropped."""

import os
from contextlib import suppress
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.ids import new_id
from tidemill.store import blobs
from tidemill.store.depot import Store
from tidemill.store.tables import TreeEntryRow, TreeRow
from tidemill.store.trees.changes import delete_rows, uses_of
from tidemill.store.trees.listing import walk
from tidemill.store.trees.manifest import stage_manifest

DISSOLVE_BATCH = 5000


def create_tree(session: Session, project_id: str, now: datetime) -> TreeRow:
    """An empty tree, used once."""
    tree = TreeRow(id=new_id("tre"), project_id=project_id, files=0, size_bytes=0, revision=0, users=1, created_at=now)
    session.add(tree)
    session.flush()
    return tree


def share(session: Session, tree: TreeRow) -> TreeRow:
    """One more version uses the tree; nothing is copied until one of them wants to change it."""
    _lock(session, tree)
    if tree.users == 0:
        raise NotFound
    tree.users += 1
    session.flush()
    return tree


def own(session: Session, tree: TreeRow, now: datetime) -> TreeRow:
    """A tree that a draft version which uses this one may change: a copy when others use it, else itself.

    The version must be pointed at the tree that comes back: of the old one it is a user no more.
    """
    _lock(session, tree)
    if tree.users > 1:
        copy = _clone(session, tree, tree.project_id, now)
        tree.users -= 1
        session.flush()
        return copy
    tree.manifest_digest = None
    session.flush()
    return tree


def clone_into(session: Session, tree: TreeRow, project_id: str, now: datetime) -> TreeRow:
    """The same files for another project: rows and holdings, no bytes. The project is charged, within its limit."""
    blobs.lock_project(session, project_id)
    session.refresh(tree, with_for_update={"read": True})
    return _clone(session, tree, project_id, now)


def seal(db: Database, store: Store, tree_id: str, now: datetime) -> str:
    """Writes the manifest, then marks the tree: it never changes again. The manifest's digest; the same when repeated.

    Opens its own transactions. Raises Conflict when the tree was changed meanwhile.
    """
    with db.read() as session:
        tree = _get(session, tree_id)
        if tree.manifest_digest is not None:
            return tree.manifest_digest
        staged = stage_manifest(walk(session, tree_id), store.temporary_file())
    try:
        with db.write() as session:
            unplaced = blobs.reserve(session, None, {staged.digest: staged.size_bytes}, now)
        if unplaced:
            store.backend.put_files([staged])
        with db.write() as session:
            blobs.settle(session, unplaced)
            _mark_sealed(session, tree_id, tree.revision, staged.digest)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(staged.path)
    return staged.digest


def drop(session: Session, tree: TreeRow) -> bool:
    """One version less uses the tree; that version's row must be gone. Returns whether all is done.

    When it was the last, the tree is taken apart: at once when it is small, else by `dissolve` or the next collection.
    """
    _lock(session, tree)
    tree.users = max(tree.users - 1, 0)
    session.flush()
    if tree.users > 0:
        return True
    return tree.files <= DISSOLVE_BATCH and _dissolve_step(session, tree)


def dissolve(db: Database, tree_id: str) -> None:
    """Takes a dropped tree apart, a piece a transaction; safe to repeat, and to be stopped at any moment."""
    while True:
        with db.write() as session:
            tree = session.get(TreeRow, tree_id)
            if tree is None or tree.users > 0 or _dissolve_step(session, tree):
                return


def _get(session: Session, tree_id: str) -> TreeRow:
    tree = session.get(TreeRow, tree_id)
    if tree is None:
        raise NotFound
    return tree


def _lock(session: Session, tree: TreeRow) -> None:
    blobs.lock_project(session, tree.project_id)
    session.refresh(tree, with_for_update=True)


def _clone(session: Session, tree: TreeRow, project_id: str, now: datetime) -> TreeRow:
    copy = create_tree(session, project_id, now)
    copy.files, copy.size_bytes, copy.revision = tree.files, tree.size_bytes, tree.revision
    blobs.hold_selected(session, project_id, uses_of(TreeEntryRow.tree_id == tree.id))
    columns = [column for column in TreeEntryRow.__table__.columns if column.name != "tree_id"]
    rows = sa.select(sa.literal(copy.id), *columns).where(TreeEntryRow.tree_id == tree.id).order_by(TreeEntryRow.path)
    session.execute(sa.insert(TreeEntryRow).from_select(["tree_id", *(column.name for column in columns)], rows))
    session.flush()
    return copy


def _mark_sealed(session: Session, tree_id: str, revision: int, digest: str) -> None:
    tree = _get(session, tree_id)
    _lock(session, tree)
    if tree.manifest_digest not in (None, digest) or tree.revision != revision or tree.users == 0:
        raise Conflict("tree_changed")
    tree.manifest_digest = digest


def _dissolve_step(session: Session, tree: TreeRow) -> bool:
    """Takes a piece of a dropped tree apart; whether it was the last."""
    _lock(session, tree)
    here = TreeEntryRow.tree_id == tree.id
    last = session.scalar(
        sa.select(TreeEntryRow.path).where(here).order_by(TreeEntryRow.path).offset(DISSOLVE_BATCH - 1).limit(1)
    )
    piece = here if last is None else sa.and_(here, TreeEntryRow.path <= last)
    blobs.release_selected(session, tree.project_id, uses_of(piece))
    delete_rows(session, piece)
    if last is not None:
        return False
    session.delete(tree)
    session.flush()
    return True
