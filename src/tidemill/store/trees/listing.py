"""Reading trees: one entry, a folder's page, a search, a walk over everything."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Literal, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Database, contains
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import COUNT_CAP
from tidemill.store.paths import below, name_of
from tidemill.store.sql import among
from tidemill.store.tables import FILE, FOLDER, TreeEntryRow, TreeRow

WALK_BATCH = 1000
CONTENTS_BATCH = 5000

_COLUMNS = (
    TreeEntryRow.path,
    TreeEntryRow.kind,
    TreeEntryRow.digest,
    TreeEntryRow.size_bytes,
    TreeEntryRow.files,
    TreeEntryRow.updated_at,
)


class _Placed(Protocol):
    @property
    def path(self) -> str: ...


P = TypeVar("P", bound=_Placed)


@dataclass(frozen=True, slots=True)
class Node:
    """A file or folder of a tree. `files` counts the files below a folder; a file has a digest, a folder has none."""

    path: str
    kind: int
    digest: str | None
    size_bytes: int
    files: int
    updated_at: datetime

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def is_file(self) -> bool:
        return self.kind == FILE

    @property
    def type(self) -> Literal["file", "dir"]:
        return "file" if self.kind == FILE else "dir"


@dataclass(frozen=True, slots=True)
class FolderPage:
    """One page of a folder or a search; `next` is the cursor of the page after it."""

    items: list[Node]
    next: str | None
    total: int
    total_capped: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """A path at which two trees differ."""

    path: str
    change: Literal["added", "removed", "changed"]
    size_bytes: int | None
    old_size_bytes: int | None


class TreeChanged(Exception):
    """A tree was changed while it was being streamed: what was sent is not one state of it."""


def find_entry(session: Session, tree_id: str, path: str) -> Node | None:
    """The file or folder at a path (as `check_path` returns it)."""
    return find_many(session, tree_id, [path]).get(path)


def get_entry(session: Session, tree_id: str, path: str) -> Node:
    """The file or folder at a path; raises NotFound."""
    node = find_entry(session, tree_id, path)
    if node is None:
        raise NotFound("path_not_found", path=path)
    return node


def find_many(session: Session, tree_id: str, paths: Iterable[str]) -> dict[str, Node]:
    """Those of the paths that are there."""
    these = among(session, TreeEntryRow.path, set(paths))
    rows = session.execute(sa.select(*_COLUMNS).where(TreeEntryRow.tree_id == tree_id, these))
    return {row.path: Node(*row) for row in rows}


def list_folder(
    session: Session, tree_id: str, path: str = "", after: str | None = None, limit: int = 50
) -> FolderPage:
    """One page of what is directly in a folder (`""` is the top): folders first, then files, by name."""
    if path and get_entry(session, tree_id, path).is_file:
        raise Invalid("path_not_folder", field="path", path=path)
    children = sa.and_(TreeEntryRow.tree_id == tree_id, TreeEntryRow.folder == path)
    return _page(session, children, after, limit)


def search(
    session: Session, tree_id: str, q: str, path: str = "", after: str | None = None, limit: int = 50
) -> FolderPage:
    """One page of the files and folders below `path` whose name contains the text, whatever its case."""
    found = sa.and_(in_folder(tree_id, path), contains(TreeEntryRow.name_key, name_key(q)))
    return _page(session, found, after, limit)


def walk(session: Session, tree_id: str, path: str = "", after: str | None = None) -> Iterator[Node]:
    """All files below a folder (or the one file), by path, in constant memory."""
    while True:
        nodes = _walk_batch(session, tree_id, path, after)
        yield from nodes
        if len(nodes) < WALK_BATCH:
            return
        after = nodes[-1].path


def stream(db: Database, tree_id: str, path: str = "") -> Iterator[Node]:
    """`walk` for something slow, such as a download: no session stays open between batches.

    Raises TreeChanged at the end when the tree was changed meanwhile.
    """
    yield from _streamed(db, tree_id, lambda session, after: _walk_batch(session, tree_id, path, after), WALK_BATCH)


def stream_contents(db: Database, tree_id: str) -> "Iterator[sa.Row[str, str | None, int]]":
    """(path, digest, size_bytes) of all files, as `stream`: a third of the work where there are a hundred thousand."""
    yield from _streamed(db, tree_id, lambda session, after: _contents_batch(session, tree_id, after), CONTENTS_BATCH)


def _streamed(
    db: Database, tree_id: str, fetch: Callable[[Session, str | None], Sequence[P]], batch: int
) -> Iterator[P]:
    revision = _revision(db, tree_id)
    after = None
    while True:
        with db.read() as session:
            found = fetch(session, after)
        yield from found
        if len(found) < batch:
            break
        after = found[-1].path
    if _revision(db, tree_id) != revision:
        raise TreeChanged(tree_id)


def diff(session: Session, old_tree_id: str, new_tree_id: str, after: str | None = None) -> Iterator[Difference]:
    """Where two trees differ, by path."""
    old, new = walk(session, old_tree_id, after=after), walk(session, new_tree_id, after=after)
    left, right = next(old, None), next(new, None)
    while left or right:
        if right is None or (left is not None and left.path < right.path):
            assert left is not None
            yield Difference(left.path, "removed", None, left.size_bytes)
            left = next(old, None)
        elif left is None or right.path < left.path:
            yield Difference(right.path, "added", right.size_bytes, None)
            right = next(new, None)
        else:
            if left.digest != right.digest:
                yield Difference(right.path, "changed", right.size_bytes, left.size_bytes)
            left, right = next(old, None), next(new, None)


def in_folder(tree_id: str, folder: str) -> sa.ColumnElement[bool]:
    """Everything below a folder of a tree; all of the tree for the top."""
    if not folder:
        return TreeEntryRow.tree_id == tree_id
    low, high = below(folder)
    return sa.and_(TreeEntryRow.tree_id == tree_id, TreeEntryRow.path > low, TreeEntryRow.path < high)


def _page(session: Session, condition: sa.ColumnElement[bool], after: str | None, limit: int) -> FolderPage:
    place = sa.tuple_(TreeEntryRow.kind, TreeEntryRow.path)
    statement = sa.select(*_COLUMNS).where(condition).order_by(TreeEntryRow.kind, TreeEntryRow.path)
    if after is not None:
        kind, path = _decode(after)
        last = sa.tuple_(sa.literal(kind, TreeEntryRow.kind.type), sa.literal(path, TreeEntryRow.path.type))
        statement = statement.where(place > last)
    rows = session.execute(statement.limit(limit + 1)).all()
    items = [Node(*row) for row in islice(rows, limit)]
    counted = sa.select(TreeEntryRow.path).where(condition).limit(COUNT_CAP + 1).subquery()
    total = session.scalar(sa.select(sa.func.count()).select_from(counted)) or 0
    return FolderPage(
        items=items,
        next=_encode(items[-1]) if len(rows) > limit else None,
        total=min(total, COUNT_CAP),
        total_capped=total > COUNT_CAP,
    )


def _walk_batch(session: Session, tree_id: str, path: str, after: str | None) -> list[Node]:
    within: sa.ColumnElement[bool] = in_folder(tree_id, path)
    if path:
        within = sa.or_(within, sa.and_(TreeEntryRow.tree_id == tree_id, TreeEntryRow.path == path))
    statement = sa.select(*_COLUMNS).where(within, TreeEntryRow.kind == FILE)
    if after is not None:
        statement = statement.where(TreeEntryRow.path > after)
    return [Node(*row) for row in session.execute(statement.order_by(TreeEntryRow.path).limit(WALK_BATCH))]


def _contents_batch(session: Session, tree_id: str, after: str | None) -> "Sequence[sa.Row[str, str | None, int]]":
    statement = sa.select(TreeEntryRow.path, TreeEntryRow.digest, TreeEntryRow.size_bytes).where(
        TreeEntryRow.tree_id == tree_id, TreeEntryRow.kind == FILE
    )
    if after is not None:
        statement = statement.where(TreeEntryRow.path > after)
    return session.execute(statement.order_by(TreeEntryRow.path).limit(CONTENTS_BATCH)).all()


def _revision(db: Database, tree_id: str) -> int | None:
    with db.read() as session:
        return session.scalar(sa.select(TreeRow.revision).where(TreeRow.id == tree_id))


def _encode(node: Node) -> str:
    text = json.dumps([node.kind, node.path], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[int, str]:
    try:
        value: Any = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
        kind, path = value
        if kind not in (FOLDER, FILE) or isinstance(kind, bool) or not isinstance(path, str) or "\x00" in path:
            raise ValueError
        path.encode()
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise Invalid("cursor_invalid", field="cursor") from None
    return kind, path
