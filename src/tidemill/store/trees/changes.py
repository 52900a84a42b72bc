"""Changing a tree. It must not be sealed, and one version only may use it: `lifecycle.own` gives such a one."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, aliased

from tidemill.kernel.db import in_batches
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.store import blobs
from tidemill.store.paths import ancestors, check_path, name_of, parent
from tidemill.store.sql import among, insert_rows, moment
from tidemill.store.tables import FILE, FOLDER, TreeEntryRow, TreeRow
from tidemill.store.trees.listing import Node, find_many, in_folder

ENTRIES_AT_ONCE = 5000

_COLUMNS = (
    "path", "folder", "name_key", "digest", "size_bytes", "files", "kind", "tree_id", "is_kept", "updated_at",
)  # fmt: skip
_FILE_REPLACED = """ON CONFLICT (tree_id, path) DO UPDATE SET
    digest = excluded.digest, size_bytes = excluded.size_bytes, updated_at = excluded.updated_at"""
_FOLDER_CHANGED = """ON CONFLICT (tree_id, path) DO UPDATE SET files = tree_entries.files + excluded.files,
    size_bytes = tree_entries.size_bytes + excluded.size_bytes, updated_at = excluded.updated_at"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to be put into a tree."""

    path: str
    digest: str
    size_bytes: int


@dataclass(slots=True)
class Change:
    """What happens to a folder's count and size."""

    files: int = 0
    size_bytes: int = 0


def put_entries(
    session: Session,
    tree: TreeRow,
    entries: Sequence[Entry],
    now: datetime,
    *,
    are_checked: bool = False,
    arrived: Collection[str] = (),
) -> None:
    """Puts files in, replacing those at the same paths. The project must hold the content, or the public project.

    `are_checked`: their paths are as `check_path` returns them, and no two are the same. `arrived`: see `blobs.hold`.
    """
    lock(session, tree)
    checked = entries if are_checked else list(_checked(entries).values())
    for batch in in_batches(checked, ENTRIES_AT_ONCE):
        _put_batch(session, tree, {entry.path: entry for entry in batch}, now, arrived)
    tree.revision += 1


def remove(session: Session, tree: TreeRow, paths: Iterable[str], now: datetime) -> None:
    """Takes files, and folders with all that is in them, out. Raises NotFound for a path that is not there."""
    lock(session, tree)
    wanted = {check_path(path) for path in paths}
    found = find_many(session, tree.id, wanted)
    for path in sorted(wanted):
        if path not in found:
            raise NotFound("path_not_found", path=path)
    top = [row for row in found.values() if not any(above in wanted for above in ancestors(row.path))]
    _remove_files(session, tree, [row for row in top if row.kind == FILE], now)
    for row in top:
        if row.kind == FOLDER:
            _remove_folder(session, tree, row, now)
    tree.revision += 1


def make_folder(session: Session, tree: TreeRow, path: str, now: datetime) -> None:
    """Makes a folder that stays when it is empty. Raises Conflict when something is there already."""
    lock(session, tree)
    path = check_path(path)
    found = find_many(session, tree.id, [path, *ancestors(path)])
    if path in found:
        raise Conflict("path_exists", field="path", path=path)
    _refuse_files_above([path], found)
    keep_folder(session, tree, path, now)
    tree.revision += 1


def lock(session: Session, tree: TreeRow) -> None:
    """The tree as it is now, ours until the transaction ends; raises Conflict when it may not be changed."""
    blobs.lock_project(session, tree.project_id)
    session.refresh(tree, with_for_update=True)
    if tree.manifest_digest is not None or tree.users != 1:
        raise Conflict("tree_sealed")


def keep_folder(session: Session, tree: TreeRow, path: str, now: datetime) -> None:
    """A folder that stays when it is empty: a new one, or one that is there already. No file may be at the path."""
    _change_folders(session, tree.id, {folder: Change() for folder in (path, *ancestors(path))}, now)
    session.execute(
        sa.update(TreeEntryRow)
        .where(TreeEntryRow.tree_id == tree.id, TreeEntryRow.path == path)
        .values(is_kept=True)
        .execution_options(synchronize_session=False)
    )


def delete_rows(session: Session, condition: sa.ColumnElement[bool]) -> None:
    """Takes rows out; counters and holdings are the caller's to mend."""
    session.execute(sa.delete(TreeEntryRow).where(condition).execution_options(synchronize_session=False))


def delete_files(session: Session, tree_id: str, paths: Sequence[str]) -> None:
    """`delete_rows` by path."""
    delete_rows(session, sa.and_(TreeEntryRow.tree_id == tree_id, among(session, TreeEntryRow.path, paths)))


def put_rows(session: Session, tree: TreeRow, entries: Mapping[str, Entry], now: datetime) -> dict[str, Node]:
    """Writes rows and counters, not holdings; returns the files that were replaced. Refuses what cannot be."""
    found = find_many(session, tree.id, {*entries, *(above for path in entries for above in ancestors(path))})
    replaced = {path: row for path, row in found.items() if path in entries}
    for path, row in replaced.items():
        if row.kind == FOLDER:
            raise Conflict("path_is_folder", field="path", path=path)
    _refuse_files_above(entries, found)
    _write_files(session, tree.id, entries, now)
    changes = _changes_above((entry.path, 1, entry.size_bytes) for entry in entries.values())
    _add_changes(changes, _changes_above((row.path, -1, -row.size_bytes) for row in replaced.values()))
    _change_folders(session, tree.id, changes, now)
    tree.files += len(entries) - len(replaced)
    tree.size_bytes += sum(e.size_bytes for e in entries.values()) - sum(r.size_bytes for r in replaced.values())
    return replaced


def leave_folders(session: Session, tree: TreeRow, gone: Iterable[tuple[str, int, int]], now: datetime) -> None:
    """Takes (path, files, size_bytes) that have left the tree out of the counters; folders left empty go too."""
    taken = list(gone)
    changes = _changes_above((path, -files, -size_bytes) for path, files, size_bytes in taken)
    _change_folders(session, tree.id, changes, now)
    _prune(session, tree.id, changes)
    tree.files -= sum(files for _, files, _ in taken)
    tree.size_bytes -= sum(size_bytes for _, _, size_bytes in taken)


def enter_folders(session: Session, tree: TreeRow, path: str, files: int, size_bytes: int, now: datetime) -> None:
    """Counts what came to that path in all folders above it, making them where they are not there yet."""
    _change_folders(session, tree.id, _changes_above([(path, files, size_bytes)]), now)
    tree.files += files
    tree.size_bytes += size_bytes


def uses_of(condition: sa.ColumnElement[bool]) -> sa.Select[Any, Any, Any]:
    """Digest, size and how often, of the files that fulfil the condition: what the books want to know."""
    return (
        sa.select(
            TreeEntryRow.digest.label("digest"),
            sa.func.max(TreeEntryRow.size_bytes).label("size_bytes"),
            sa.func.count().label("uses"),
        )
        .where(condition, TreeEntryRow.kind == FILE)
        .group_by(TreeEntryRow.digest)
    )


def refuse_file_above(session: Session, tree_id: str, path: str) -> None:
    """Raises Conflict when a folder the path would be in is a file."""
    _refuse_files_above([path], find_many(session, tree_id, ancestors(path)))


def _checked(entries: Sequence[Entry]) -> dict[str, Entry]:
    checked: dict[str, Entry] = {}
    for entry in entries:
        path = check_path(entry.path)
        if path in checked:
            raise Invalid("path_twice", field="path", path=path)
        checked[path] = Entry(path, entry.digest, entry.size_bytes)
    return checked


def _put_batch(
    session: Session, tree: TreeRow, entries: Mapping[str, Entry], now: datetime, arrived: Collection[str]
) -> None:
    replaced = put_rows(session, tree, entries, now)
    plus = Counter(entry.digest for entry in entries.values())
    minus = Counter(row.digest for row in replaced.values() if row.digest is not None)
    sizes = {entry.digest: entry.size_bytes for entry in entries.values()}
    wanted = {digest: (sizes[digest], uses) for digest, uses in plus.items()}
    blobs.hold(session, tree.project_id, wanted, arrived=arrived)
    blobs.release(session, tree.project_id, minus)


def _remove_files(session: Session, tree: TreeRow, rows: Sequence[Node], now: datetime) -> None:
    delete_files(session, tree.id, [row.path for row in rows])
    blobs.release(session, tree.project_id, Counter(row.digest for row in rows if row.digest is not None))
    leave_folders(session, tree, [(row.path, 1, row.size_bytes) for row in rows], now)


def _remove_folder(session: Session, tree: TreeRow, row: Node, now: datetime) -> None:
    inside = in_folder(tree.id, row.path)
    blobs.release_selected(session, tree.project_id, uses_of(inside))
    here = sa.and_(TreeEntryRow.tree_id == tree.id, TreeEntryRow.path == row.path)
    delete_rows(session, sa.or_(here, inside))
    leave_folders(session, tree, [(row.path, row.files, row.size_bytes)], now)


def _refuse_files_above(paths: Iterable[str], found: Mapping[str, Node]) -> None:
    wanted = set(paths)
    for path in paths:
        for above in ancestors(path):
            if above in wanted or (above in found and found[above].kind == FILE):
                raise Conflict("path_inside_file", field="path", path=path, file=above)


def _changes_above(changed: Iterable[tuple[str, int, int]]) -> dict[str, Change]:
    changes: dict[str, Change] = {}
    by_folder: dict[str, Change] = {}
    for path, files, size_bytes in changed:
        change = by_folder.setdefault(parent(path), Change())
        change.files += files
        change.size_bytes += size_bytes
    for folder, change in by_folder.items():
        for above in (folder, *ancestors(folder)):
            if above:
                _add_changes(changes, {above: change})
    return changes


def _add_changes(changes: dict[str, Change], more: Mapping[str, Change]) -> None:
    for folder, change in more.items():
        total = changes.setdefault(folder, Change())
        total.files += change.files
        total.size_bytes += change.size_bytes


def _write_files(session: Session, tree_id: str, entries: Mapping[str, Entry], now: datetime) -> None:
    at = moment(session, now)
    rows = [
        (path, *_placed(path), entry.digest, entry.size_bytes, 0, FILE, tree_id, False, at)
        for path, entry in sorted(entries.items())
    ]
    insert_rows(session, "tree_entries", _COLUMNS, rows, then=_FILE_REPLACED)


def _change_folders(session: Session, tree_id: str, changes: Mapping[str, Change], now: datetime) -> None:
    """Adds to the folders' counters; a folder that is not there yet is made."""
    at = moment(session, now)
    rows = [
        (path, *_placed(path), None, change.size_bytes, change.files, FOLDER, tree_id, False, at)
        for path, change in sorted(changes.items())
    ]
    insert_rows(session, "tree_entries", _COLUMNS, rows, then=_FOLDER_CHANGED)


def _prune(session: Session, tree_id: str, folders: Iterable[str]) -> None:
    """Removes, from the deepest up, those folders that nobody made and nothing is in."""
    inside = aliased(TreeEntryRow)
    empty = [folder for folder, node in find_many(session, tree_id, folders).items() if node.files == 0]
    for folder in sorted(empty, key=lambda path: path.count("/"), reverse=True):
        session.execute(
            sa.delete(TreeEntryRow)
            .where(
                TreeEntryRow.tree_id == tree_id,
                TreeEntryRow.path == folder,
                TreeEntryRow.is_kept.is_(False),
                ~sa.exists().where(inside.tree_id == tree_id, inside.folder == folder),
            )
            .execution_options(synchronize_session=False)
        )


def _placed(path: str) -> tuple[str, str]:
    """The folder a path is in, and its name as search sees it."""
    return parent(path), name_key(name_of(path))
