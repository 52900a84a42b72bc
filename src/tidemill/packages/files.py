"""The files of a package version: those of its sources where they belong, and a few of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.assets.tables import VersionRow
from tidemill.kernel.errors import Conflict
from tidemill.packages.plans import Source
from tidemill.store import trees
from tidemill.store.tables import TreeRow


@dataclass(frozen=True, slots=True)
class Content:
    """A small file that the platform writes."""

    path: str
    data: bytes

    @property
    def entry(self) -> trees.Entry:
        return trees.Entry(self.path, sha256(self.data).hexdigest(), len(self.data))


def lay_out(
    session: Session,
    version: VersionRow,
    sources: Sequence[Source],
    contents: Sequence[Content],
    *,
    project_id: str,
    now: datetime,
) -> TreeRow:
    """A tree with all of it, no bytes copied; the version's own tree is used, emptied of what an attempt before left.

    The project holds the contents already.
    """
    tree = trees.own(session, session.get_one(TreeRow, version.tree_id), now)
    there = [node.path for node in trees.list_folder(session, tree.id, limit=1000).items]
    if there:
        trees.remove(session, tree, there, now)
    for source in sources:
        _place(session, tree, source, project_id, now)
    trees.put_entries(session, tree, [one.entry for one in contents], now)
    session.flush()
    return tree


def _place(session: Session, tree: TreeRow, source: Source, project_id: str, now: datetime) -> None:
    made = session.get(VersionRow, source.version_id)
    if made is None:
        raise Conflict("package_source_gone", name=source.reference)
    found = session.get_one(TreeRow, made.tree_id)
    borrowed = None
    if found.project_id != project_id and not _is_public(session, found.project_id):
        # Content of a third project is the package's project's from now on, and counts as its own.
        borrowed = found = trees.clone_into(session, found, project_id, now)
    entries = [
        trees.Entry(f"{source.folder}/{node.path}", node.digest, node.size_bytes)
        for node in trees.walk(session, found.id)
        if node.digest is not None
    ]
    trees.put_entries(session, tree, entries, now, are_checked=True)
    if borrowed is not None:
        trees.drop(session, borrowed)


def _is_public(session: Session, project_id: str) -> bool:
    return bool(session.scalar(sa.select(ProjectRow.is_public).where(ProjectRow.id == project_id)))
