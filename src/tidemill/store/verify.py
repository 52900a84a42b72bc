"""Checking the store: every byte against its digest, every book against what it counts.

It runs beside everything else. What looks wrong is looked at again before it is reported: it may just have changed.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from tidemill.kernel.db import Base, Database
from tidemill.store.backends import BlobMissing
from tidemill.store.depot import Store
from tidemill.store.gc import Cancelled, Progress, never, unseen
from tidemill.store.tables import FILE, FOLDER, BlobRow, HoldingRow, PinRow, TreeEntryRow, TreeRow
from tidemill.store.trees.listing import walk
from tidemill.store.trees.manifest import manifest_lines

SCAN_BATCH = 500
PROBLEMS_MAX = 1000

ProblemKind = Literal[
    "blob_missing",
    "blob_damaged",
    "entry_without_blob",
    "holding_wrong",
    "storage_wrong",
    "tree_wrong",
    "folder_wrong",
    "manifest_wrong",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be. `subject` is a digest, or the id of a tree or project."""

    kind: ProblemKind
    subject: str
    detail: str


@dataclass(slots=True)
class Verified:
    """What was checked, and what was found: the first thousand problems."""

    blobs: int = 0
    bytes: int = 0
    trees: int = 0
    problems: list[Problem] = field(default_factory=list)
    cancelled: bool = False

    @property
    def clean(self) -> bool:
        return not self.problems


def verify(db: Database, store: Store, *, progress: Progress = unseen, cancelled: Cancelled = never) -> Verified:
    """Reads everything there is. Progress is in bytes."""
    report = Verified()
    with db.read() as session:
        total = int(session.scalar(sa.select(sa.func.sum(BlobRow.size_bytes)).where(BlobRow.state == "live")) or 0)
    checks = [_books(db), _blobs(db, store, report, progress, total), _manifests(db, report)]
    for check in checks:
        for problem in check:
            if problem is not None and len(report.problems) < PROBLEMS_MAX:
                report.problems.append(problem)
            if cancelled():
                report.cancelled = True
                return report
    progress(total, total)
    return report


def _blobs(db: Database, store: Store, report: Verified, progress: Progress, total: int) -> Iterator[Problem | None]:
    after = ""
    while True:
        with db.read() as session:
            batch = session.scalars(
                sa.select(BlobRow)
                .where(BlobRow.digest > after, BlobRow.state == "live")
                .order_by(BlobRow.digest)
                .limit(SCAN_BATCH)
            ).all()
        for row in batch:
            for problem in _check_blob(store, row):
                if problem is not None and not _is_still_live(db, row.digest):
                    break
                yield problem
            report.blobs += 1
            report.bytes += row.size_bytes
            progress(min(report.bytes, total), total)
        if len(batch) < SCAN_BATCH:
            return
        after = batch[-1].digest


def _check_blob(store: Store, row: BlobRow) -> Iterator[Problem | None]:
    """Reads a blob; yields None now and then, so that a large one does not keep a cancellation waiting."""
    running, size = hashlib.sha256(), 0
    try:
        for block in store.backend.read(row.digest):
            running.update(block)
            size += len(block)
            yield None
    except BlobMissing:
        yield Problem("blob_missing", row.digest, "the bytes are not there")
        return
    if size != row.size_bytes or running.hexdigest() != row.digest:
        yield Problem("blob_damaged", row.digest, f"{size} bytes with SHA-256 {running.hexdigest()}")


def _is_still_live(db: Database, digest: str) -> bool:
    with db.read() as session:
        return session.scalar(sa.select(BlobRow.state).where(BlobRow.digest == digest)) == "live"


def _manifests(db: Database, report: Verified) -> Iterator[Problem | None]:
    """Sealed trees against their manifests."""
    after = ""
    while True:
        with db.read() as session:
            batch = session.execute(
                sa.select(TreeRow.id, TreeRow.manifest_digest)
                .where(TreeRow.id > after, TreeRow.users > 0)
                .order_by(TreeRow.id)
                .limit(SCAN_BATCH)
            ).all()
        for row in batch:
            report.trees += 1
            yield _check_manifest(db, row.id) if row.manifest_digest is not None else None
        if len(batch) < SCAN_BATCH:
            return
        after = batch[-1].id


def _check_manifest(db: Database, tree_id: str) -> Problem | None:
    with db.read() as session:
        running = hashlib.sha256()
        for line in manifest_lines(walk(session, tree_id)):
            running.update(line)
        tree = session.scalar(sa.select(TreeRow).where(TreeRow.id == tree_id, TreeRow.users > 0))
        if tree is None or tree.manifest_digest in (None, running.hexdigest()):
            return None
    return Problem("manifest_wrong", tree_id, f"the files give {running.hexdigest()}, sealed as {tree.manifest_digest}")


def _books(db: Database) -> Iterator[Problem | None]:
    """Each statement sees one moment of the database, so changes going on meanwhile cannot disturb it."""
    for kind, statement in _book_checks():
        with db.read() as session:
            rows = session.execute(statement.limit(PROBLEMS_MAX)).all()
        for subject, *details in rows:
            yield Problem(kind, str(subject), " ".join(str(detail) for detail in details))
        yield None


def _book_checks() -> list[tuple[ProblemKind, Any]]:
    return [
        ("entry_without_blob", _entries_without_blobs()),
        ("holding_wrong", _holdings_miscounted()),
        ("holding_wrong", _entries_without_holdings()),
        ("storage_wrong", _storage_miscounted()),
        ("tree_wrong", _trees_miscounted()),
        ("folder_wrong", _folders_miscounted()),
    ]


def _entries_without_blobs() -> Any:
    live = sa.exists().where(BlobRow.digest == TreeEntryRow.digest, BlobRow.state == "live")
    return sa.select(TreeEntryRow.tree_id, TreeEntryRow.path).where(TreeEntryRow.kind == FILE, ~live)


def _uses() -> Any:
    entries = (
        sa.select(TreeRow.project_id, TreeEntryRow.digest)
        .join(TreeRow, TreeRow.id == TreeEntryRow.tree_id)
        .where(TreeEntryRow.kind == FILE)
    )
    used = entries.union_all(sa.select(PinRow.project_id, PinRow.digest)).subquery()
    each = (used.c.project_id, used.c.digest)
    return sa.select(*each, sa.func.count().label("uses")).group_by(*each).subquery()


def _holdings_miscounted() -> Any:
    uses = _uses()
    same = sa.and_(uses.c.project_id == HoldingRow.project_id, uses.c.digest == HoldingRow.digest)
    return (
        sa.select(HoldingRow.digest, HoldingRow.project_id, HoldingRow.uses, uses.c.uses)
        .outerjoin(uses, same)
        .where(HoldingRow.uses != sa.func.coalesce(uses.c.uses, 0))
    )


def _entries_without_holdings() -> Any:
    uses = _uses()
    held = sa.exists().where(HoldingRow.project_id == uses.c.project_id, HoldingRow.digest == uses.c.digest)
    return sa.select(uses.c.digest, uses.c.project_id).where(~held)


def _storage_miscounted() -> Any:
    projects = Base.metadata.tables["projects"]
    held = (
        sa.select(HoldingRow.project_id, sa.func.sum(HoldingRow.size_bytes).label("bytes"))
        .group_by(HoldingRow.project_id)
        .subquery()
    )
    return (
        sa.select(projects.c.id, projects.c.storage_used_bytes, held.c.bytes)
        .outerjoin(held, held.c.project_id == projects.c.id)
        .where(projects.c.storage_used_bytes != sa.func.coalesce(held.c.bytes, 0))
    )


def _trees_miscounted() -> Any:
    """Trees being taken apart do not count."""
    counted = (
        sa.select(
            TreeEntryRow.tree_id,
            sa.func.count().label("files"),
            sa.func.sum(TreeEntryRow.size_bytes).label("size_bytes"),
        )
        .where(TreeEntryRow.kind == FILE)
        .group_by(TreeEntryRow.tree_id)
        .subquery()
    )
    files, size = sa.func.coalesce(counted.c.files, 0), sa.func.coalesce(counted.c.size_bytes, 0)
    return (
        sa.select(TreeRow.id, TreeRow.files, files, TreeRow.size_bytes, size)
        .outerjoin(counted, counted.c.tree_id == TreeRow.id)
        .where(TreeRow.users > 0, sa.or_(TreeRow.files != files, TreeRow.size_bytes != size))
    )


def _folders_miscounted() -> Any:
    inside = aliased(TreeEntryRow)
    below = sa.and_(
        inside.tree_id == TreeEntryRow.tree_id,
        inside.path > TreeEntryRow.path.concat("/"),
        inside.path < TreeEntryRow.path.concat("0"),
        inside.kind == FILE,
    )
    files = sa.select(sa.func.count()).where(below).scalar_subquery()
    size = sa.select(sa.func.coalesce(sa.func.sum(inside.size_bytes), 0)).where(below).scalar_subquery()
    return (
        sa.select(TreeEntryRow.tree_id, TreeEntryRow.path, TreeEntryRow.files, TreeEntryRow.size_bytes)
        .join(TreeRow, TreeRow.id == TreeEntryRow.tree_id)
        .where(
            TreeRow.users > 0,
            TreeEntryRow.kind == FOLDER,
            sa.or_(TreeEntryRow.files != files, TreeEntryRow.size_bytes != size),
        )
    )
