"""Changing a draft's files. Every change goes through `editable_tree`, which keeps drafts apart and the sizes right."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import BY_NAME
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import Attachment, Move, TreeState
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.versions import record
from tidemill.assets.views import version_name
from tidemill.kernel.errors import Conflict, Stale
from tidemill.store import trees
from tidemill.store.paths import check_path
from tidemill.store.tables import TreeRow
from tidemill.store.trees import Entry

_SHOWN_PATHS = 20
_NOT_ONE_BY_ONE = {"dataset": "dataset_files_by_import", "package": "package_files_by_build"}
"""Why the files of such kinds are not changed one by one."""


@contextmanager
def editable_tree(session: Session, asset: AssetRow, version: VersionRow, now: datetime) -> Iterator[TreeRow]:
    """The draft's own tree, to be changed: its first change parts it from the version it was started from.

    The asset is locked by the caller.
    """
    check_draft(asset, version)
    shared = session.get_one(TreeRow, version.tree_id)
    before = shared.size_bytes
    tree = trees.own(session, shared, now)
    version.tree_id = tree.id
    yield tree
    session.flush()
    session.execute(
        sa.update(AssetRow)
        .where(AssetRow.id == asset.id)
        .values(size_bytes=AssetRow.size_bytes + tree.size_bytes - before, updated_at=now)
    )


def check_draft(asset: AssetRow, version: VersionRow) -> None:
    """Raises when the version is committed, or when its files are not changed one by one."""
    if BY_NAME[asset.kind].has_items:
        raise Conflict(_NOT_ONE_BY_ONE[asset.kind], name=version_name(asset, version))
    if version.state != "draft":
        raise Conflict("version_committed", name=version_name(asset, version))


def attach_files(session: Session, place: Place, entries: Sequence[Attachment], *, by: Caller) -> TreeState:
    """Puts content the project holds at paths, replacing what was there."""
    files = [Entry(entry.path, entry.sha256, entry.size_bytes) for entry in entries]
    with _edit(session, place, "attach", [file.path for file in files], by=by) as tree:
        trees.put_entries(session, tree, files, by.now)
    return _state(tree)


def put_file(
    session: Session, place: Place, file: Entry, *, if_digest: str | None, only_new: bool, by: Caller
) -> trees.Node:
    """Puts one file, if what is there now is still what the caller saw: `if_digest`, or nothing for `only_new`."""
    with _edit(session, place, "save", [file.path], by=by) as tree:
        _check_unchanged(session, tree, file, if_digest=if_digest, only_new=only_new)
        trees.put_entries(session, tree, [file], by.now)
        session.flush()
        return trees.get_entry(session, tree.id, check_path(file.path))


def delete_files(session: Session, place: Place, paths: Sequence[str], *, by: Caller) -> TreeState:
    """Takes files and whole folders out."""
    with _edit(session, place, "delete", paths, by=by) as tree:
        trees.remove(session, tree, paths, by.now)
    return _state(tree)


def move_files(session: Session, place: Place, moves: Sequence[Move], *, overwrite: bool, by: Caller) -> TreeState:
    """Moves or renames files and folders."""
    shown = [f"{move.from_} → {move.to}" for move in moves]
    with _edit(session, place, "move", shown, by=by) as tree:
        trees.move(session, tree, [(move.from_, move.to) for move in moves], overwrite=overwrite, now=by.now)
    return _state(tree)


def make_folder(session: Session, place: Place, path: str, *, by: Caller) -> TreeState:
    """Makes a folder that stays when it is empty."""
    with _edit(session, place, "folder", [path], by=by) as tree:
        trees.make_folder(session, tree, path, by.now)
    return _state(tree)


@contextmanager
def _edit(session: Session, place: Place, operation: str, paths: Sequence[str], *, by: Caller) -> Iterator[TreeRow]:
    asset, version = get_version(session, place, project_id=by.project.id, lock=True)
    with editable_tree(session, asset, version, by.now) as tree:
        if version.origin == "new" and operation in {"attach", "save"}:
            version.origin = "upload"
        yield tree
    after = {"operation": operation, "paths": list(paths[:_SHOWN_PATHS]), "count": len(paths)}
    record(session, "edit", asset, version, by=by, after=after)


def _check_unchanged(session: Session, tree: TreeRow, file: Entry, *, if_digest: str | None, only_new: bool) -> None:
    """A save that was sent twice finds its own content there, and is no conflict."""
    if if_digest is None and not only_new:
        return
    there = trees.find_entry(session, tree.id, check_path(file.path))
    digest = there.digest if there else None
    if digest == file.digest:
        return
    if (only_new and there is not None) or (if_digest is not None and digest != if_digest):
        raise Stale("stale", details={"digest": digest})


def _state(tree: TreeRow) -> TreeState:
    return TreeState(files=tree.files, size_bytes=tree.size_bytes, revision=tree.revision)
