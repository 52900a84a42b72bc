"""Emptying the bin: what goes, goes for good, and its space comes back.

A purge is done in two steps. First the entries are marked, in one transaction: from there on they are neither shown nor
restored. Then they are taken apart, one short transaction each. A crash between leaves marked entries, which the next
turn of the loop finishes.
"""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets import lineage
from tidemill.assets.recycling import get_entry, lock_entry
from tidemill.assets.tables import BinRow, VersionRow
from tidemill.kernel.db import Database
from tidemill.store import trees
from tidemill.store.tables import TreeRow

_VERSIONS_FIRST = (BinRow.version_id.is_(None), BinRow.id)


def mark_entry(session: Session, entry_id: str, *, by: Caller) -> list[str]:
    """Gives one entry of the caller's project up, an asset with its versions in the bin; what to purge, in order."""
    entry, _ = get_entry(session, entry_id, project_id=by.project.id)
    return mark_row(session, entry.id, by=by)


def mark_row(session: Session, entry_id: str, *, by: Caller) -> list[str]:
    """`mark_entry` for any project; an entry that is gone already is no error."""
    found = lock_entry(session, entry_id)
    if found is None:
        return []
    entry, _ = found
    which = BinRow.id == entry.id if entry.version_id else BinRow.asset_id == entry.asset_id
    session.execute(sa.update(BinRow).where(which).values(is_purging=True))
    _record(session, entry, by=by)
    return list(session.scalars(sa.select(BinRow.id).where(which).order_by(*_VERSIONS_FIRST)))


def mark_expired(session: Session, *, by: Caller, limit: int = 500) -> int:
    """Gives up what has been in the bin for its time; how many entries."""
    expired = session.scalars(
        sa.select(BinRow)
        .where(BinRow.purge_at <= by.now, BinRow.is_purging.is_(False))
        .order_by(BinRow.purge_at)
        .limit(limit)
    ).all()
    for entry in expired:
        mark_row(session, entry.id, by=by)
    return len(expired)


def find_marked(session: Session, project_id: str | None = None) -> str | None:
    """The next entry to take apart: versions before their assets."""
    marked = sa.select(BinRow.id).where(BinRow.is_purging.is_(True))
    if project_id is not None:
        marked = marked.where(BinRow.project_id == project_id)
    return session.scalar(marked.order_by(*_VERSIONS_FIRST).limit(1))


def purge(db: Database, entry_id: str) -> None:
    """Takes one marked entry apart; one that is gone already is no error."""
    with db.write() as session:
        tree_id = _purge_rows(session, entry_id)
    if tree_id is not None:
        trees.dissolve(db, tree_id)


def _purge_rows(session: Session, entry_id: str) -> str | None:
    """Removes an entry with its version or asset; the id of a tree that is too large to go at once."""
    found = lock_entry(session, entry_id)
    if found is None or not found[0].is_purging:
        return None
    entry, asset = found
    session.delete(entry)
    session.flush()
    if entry.version_id is None:
        session.delete(asset)
        return None
    version = session.get_one(VersionRow, entry.version_id)
    tree = session.get_one(TreeRow, version.tree_id)
    lineage.forget_version(session, version.id)
    session.delete(version)
    session.flush()
    return None if trees.drop(session, tree) else tree.id


def _record(session: Session, entry: BinRow, *, by: Caller) -> None:
    audit.record(
        session,
        "bin.purge",
        by=by,
        target_kind=entry.kind,
        target_id=entry.version_id or entry.asset_id,
        target_name=entry.name,
        project_id=entry.project_id,
        before={"name": entry.name, "size_bytes": entry.size_bytes, "deleted_by": entry.deleted_by},
    )
