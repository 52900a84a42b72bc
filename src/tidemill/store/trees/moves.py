"""Moving and renaming inside a tree."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import islice

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.store import blobs
from tidemill.store.paths import check_path, fits, name_of, parent
from tidemill.store.tables import TreeEntryRow, TreeRow
from tidemill.store.trees.changes import (
    Entry,
    delete_files,
    delete_rows,
    enter_folders,
    keep_folder,
    leave_folders,
    lock,
    put_rows,
    refuse_file_above,
)
from tidemill.store.trees.listing import Node, find_entry, in_folder, walk

MERGE_BATCH = 1000


def move(
    session: Session, tree: TreeRow, moves: Sequence[tuple[str, str]], *, overwrite: bool = False, now: datetime
) -> None:
    """Moves files and folders, one after the other: (from, to).

    What is at the target stops it. With `overwrite`, a file replaces a file, and a folder is merged into a folder.
    """
    lock(session, tree)
    for source, target in moves:
        _move_one(session, tree, check_path(source, field="from"), check_path(target, field="to"), overwrite, now)
    tree.revision += 1


def _move_one(session: Session, tree: TreeRow, source: str, target: str, overwrite: bool, now: datetime) -> None:
    node = find_entry(session, tree.id, source)
    if node is None:
        raise NotFound("path_not_found", path=source)
    if source == target:
        return
    if target.startswith(f"{source}/"):
        raise Invalid("path_into_itself", field="to", path=source, to=target)
    there = find_entry(session, tree.id, target)
    if there is None:
        _rename(session, tree, node, target, now)
    elif not overwrite:
        raise Conflict("path_exists", field="to", path=target)
    elif there.is_file != node.is_file:
        raise Conflict("path_other_kind", field="to", path=source, to=target)
    elif node.is_file:
        _move_files(session, tree, [node], source, target, now)
    else:
        _merge(session, tree, node, target, now)


def _rename(session: Session, tree: TreeRow, node: Node, target: str, now: datetime) -> None:
    """The target is free: rows change their path, and only the folders above notice."""
    refuse_file_above(session, tree.id, target)
    files = 1 if node.is_file else node.files
    if not node.is_file:
        _refuse_too_long(session, tree.id, node.path, target)
        _change_paths_below(session, tree.id, node.path, target)
    session.execute(
        sa.update(TreeEntryRow)
        .where(TreeEntryRow.tree_id == tree.id, TreeEntryRow.path == node.path)
        .values(path=target, folder=parent(target), name_key=name_key(name_of(target)), updated_at=now)
        .execution_options(synchronize_session=False)
    )
    enter_folders(session, tree, target, files, node.size_bytes, now)
    leave_folders(session, tree, [(node.path, files, node.size_bytes)], now)


def _refuse_too_long(session: Session, tree_id: str, source: str, target: str) -> None:
    path = TreeEntryRow.path
    longest, deepest = session.execute(
        sa.select(
            sa.func.max(sa.func.length(sa.cast(path, sa.LargeBinary))),
            sa.func.max(sa.func.length(path) - sa.func.length(sa.func.replace(path, "/", ""))),
        ).where(in_folder(tree_id, source))
    ).one()
    more_bytes = len(target.encode()) - len(source.encode())
    more_depth = target.count("/") - source.count("/")
    if longest is not None and not fits(longest + more_bytes, deepest + 1 + more_depth):
        raise Invalid("path_move_too_long", field="to", path=source, to=target)


def _change_paths_below(session: Session, tree_id: str, source: str, target: str) -> None:
    cut = len(source) + 1
    session.execute(
        sa.update(TreeEntryRow)
        .where(in_folder(tree_id, source))
        .values(
            path=sa.literal(target).concat(sa.func.substr(TreeEntryRow.path, cut)),
            folder=sa.literal(target).concat(sa.func.substr(TreeEntryRow.folder, cut)),
        )
        .execution_options(synchronize_session=False)
    )


def _merge(session: Session, tree: TreeRow, node: Node, target: str, now: datetime) -> None:
    """Files first; of the folders they leave behind, those that somebody made are made again at the target."""
    while files := list(islice(walk(session, tree.id, node.path), MERGE_BATCH)):
        _move_files(session, tree, files, node.path, target, now)
    here = sa.and_(TreeEntryRow.tree_id == tree.id, TreeEntryRow.path == node.path)
    left = sa.or_(here, in_folder(tree.id, node.path))
    for folder in session.scalars(sa.select(TreeEntryRow.path).where(left, TreeEntryRow.is_kept)).all():
        moved = check_path(target + folder.removeprefix(node.path), field="to")
        refuse_file_above(session, tree.id, f"{moved}/x")
        keep_folder(session, tree, moved, now)
    delete_rows(session, left)
    leave_folders(session, tree, [(node.path, 0, 0)], now)


def _move_files(
    session: Session, tree: TreeRow, files: Sequence[Node], source: str, target: str, now: datetime
) -> None:
    """Each keeps its use of its content; only what it replaces is given up."""
    entries = {}
    for node in files:
        path = check_path(target + node.path.removeprefix(source), field="to")
        entries[path] = Entry(path, node.digest or "", node.size_bytes)
    delete_files(session, tree.id, [node.path for node in files])
    leave_folders(session, tree, [(node.path, 1, node.size_bytes) for node in files], now)
    replaced = put_rows(session, tree, entries, now)
    blobs.release(session, tree.project_id, Counter(row.digest for row in replaced.values() if row.digest is not None))
