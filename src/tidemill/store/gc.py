"""Collecting what nobody needs. Safe at any time, beside uploads and beside itself.

Content goes in two steps. First a blob that nobody holds is marked `deleting`: from then on it counts as absent. Then,
with its row locked, it is looked at once more, its bytes are deleted, and its row. Who sends the same content meanwhile
waits for the lock, and places the bytes anew. A crash between the steps leaves rows for the next run to go on with.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Database, in_batches, upsert
from tidemill.kernel.ids import new_id
from tidemill.store import blobs, trees
from tidemill.store.backends import Found
from tidemill.store.depot import Store
from tidemill.store.tables import UNFINISHED, BlobRow, HoldingRow, TreeRow, UploadRow
from tidemill.store.uploads import give_up_upload

SCAN_BATCH = 1000
DELETE_BATCH = 100

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]


def unseen(done: int, total: int) -> None:
    """Progress that nobody looks at."""
    del done, total


def never() -> bool:
    """A run that nobody cancels."""
    return False


@dataclass(slots=True)
class Collected:
    """What a collection removed."""

    uploads: int = 0
    trees: int = 0
    holdings: int = 0
    blobs: int = 0
    bytes: int = 0
    strays: int = 0


def collect(
    db: Database,
    store: Store,
    now: datetime,
    grace: timedelta,
    *,
    progress: Progress = unseen,
    cancelled: Cancelled = never,
) -> Collected:
    """Removes abandoned uploads, trees nobody uses, content nobody holds, and files that belong to nothing.

    What was sent is left alone for the time of grace, used or not. Cancelling is safe at any point.
    """
    report = Collected()
    steps: list[Callable[[], Iterator[None]]] = [
        lambda: _abandoned_uploads(db, store, now, report),
        lambda: _dropped_trees(db, report),
        lambda: _unused_holdings(db, now - grace, report),
        lambda: _unheld_blobs(db, now - grace),
        lambda: _files_without_rows(db, store, now - grace),
        lambda: _marked_blobs(db, store, report),
        lambda: _stray_files(db, store, now - grace, report),
    ]
    for number, step in enumerate(steps):
        progress(number, len(steps))
        for _ in step():
            if cancelled():
                return report
    progress(len(steps), len(steps))
    return report


def _abandoned_uploads(db: Database, store: Store, now: datetime, report: Collected) -> Iterator[None]:
    with db.read() as session:
        expired = session.scalars(sa.select(UploadRow).where(UploadRow.expires_at < now)).all()
    for upload in expired:
        if give_up_upload(db, store, upload, now) and upload.state in UNFINISHED:
            report.uploads += 1
        yield


def _dropped_trees(db: Database, report: Collected) -> Iterator[None]:
    with db.read() as session:
        dropped = session.scalars(sa.select(TreeRow.id).where(TreeRow.users == 0)).all()
    for tree_id in dropped:
        trees.dissolve(db, tree_id)
        report.trees += 1
        yield


def _unused_holdings(db: Database, before: datetime, report: Collected) -> Iterator[None]:
    unused = (
        sa.select(HoldingRow.project_id, HoldingRow.digest)
        .where(HoldingRow.uses == 0, HoldingRow.touched_at < before)
        .order_by(HoldingRow.touched_at)
        .limit(SCAN_BATCH)
    )
    while True:
        with db.read() as session:
            found = session.execute(unused).all()
        removed = 0
        for project_id in sorted({row.project_id for row in found}):
            digests = [row.digest for row in found if row.project_id == project_id]
            with db.write() as session:
                removed += blobs.drop_unused(session, project_id, digests, before)
        report.holdings += removed
        yield
        if len(found) < SCAN_BATCH or not removed:
            return


def _unheld_blobs(db: Database, before: datetime) -> Iterator[None]:
    """First step: marks. Looks at all rows, a batch at a time, without keeping anybody waiting."""
    after = ""
    while True:
        with db.read() as session:
            batch = session.scalars(
                sa.select(BlobRow.digest).where(BlobRow.digest > after).order_by(BlobRow.digest).limit(SCAN_BATCH)
            ).all()
            unheld = _unheld(session, batch, before)
        if unheld:
            with db.write() as session:
                for part in in_batches(_unheld(session, unheld, before)):
                    session.execute(_mark(part, before))
        yield
        if len(batch) < SCAN_BATCH:
            return
        after = batch[-1]


def _mark(digests: Sequence[str], before: datetime) -> sa.Update:
    """Marks what was not touched in the last moment: the conditions are tried again once the rows are locked."""
    stale = sa.and_(BlobRow.touched_at < before, BlobRow.state != "deleting")
    return sa.update(BlobRow).where(BlobRow.digest.in_(digests), stale).values(state="deleting")


def _files_without_rows(db: Database, store: Store, before: datetime) -> Iterator[None]:
    """Bytes the database knows nothing of get a row that is on its way out, and go the way of the others."""
    batch: list[Found] = []
    for found in store.backend.iterate():
        if found.changed_at < before:
            batch.append(found)
        if len(batch) >= SCAN_BATCH:
            _mark_unknown(db, batch)
            batch = []
            yield
    _mark_unknown(db, batch)
    yield


def _mark_unknown(db: Database, found: list[Found]) -> None:
    sizes = {item.digest: item.size_bytes for item in found}
    with db.read() as session:
        for part in in_batches(sorted(sizes)):
            for digest in session.scalars(sa.select(BlobRow.digest).where(BlobRow.digest.in_(part))):
                del sizes[digest]
    if not sizes:
        return
    long_ago, generation = datetime.fromtimestamp(0, UTC), new_id("gen")
    with db.write() as session:
        session.connection().execute(
            upsert(session, BlobRow).on_conflict_do_nothing(),
            [
                {
                    "digest": digest,
                    "size_bytes": size_bytes,
                    "state": "deleting",
                    "generation": generation,
                    "touched_at": long_ago,
                    "created_at": long_ago,
                }
                for digest, size_bytes in sorted(sizes.items())
            ],
        )


def _marked_blobs(db: Database, store: Store, report: Collected) -> Iterator[None]:
    """Second step: deletes, with the rows locked, what is marked and still not held."""
    while True:
        with db.write() as session:
            marked = session.scalars(
                sa.select(BlobRow)
                .where(BlobRow.state == "deleting")
                .order_by(BlobRow.digest)
                .limit(DELETE_BATCH)
                .with_for_update()
            ).all()
            held = _held(session, [row.digest for row in marked])
            gone = [row for row in marked if row.digest not in held]
            store.backend.delete([row.digest for row in gone])
            session.execute(sa.delete(BlobRow).where(BlobRow.digest.in_([row.digest for row in gone])))
            session.execute(sa.update(BlobRow).where(BlobRow.digest.in_(sorted(held))).values(state="live"))
        report.blobs += len(gone)
        report.bytes += sum(row.size_bytes for row in gone)
        yield
        if len(marked) < DELETE_BATCH:
            return


def _unheld(session: Session, digests: Sequence[str], before: datetime) -> list[str]:
    found: list[str] = []
    for part in in_batches(digests):
        candidates = session.scalars(
            sa.select(BlobRow.digest).where(
                BlobRow.digest.in_(part), BlobRow.state != "deleting", BlobRow.touched_at < before
            )
        ).all()
        held = _held(session, candidates)
        found.extend(digest for digest in candidates if digest not in held)
    return found


def _held(session: Session, digests: Sequence[str]) -> set[str]:
    """Those that a project holds, or that are a tree's manifest."""
    holdings = sa.select(HoldingRow.digest).where(HoldingRow.digest.in_(digests))
    manifests = sa.select(TreeRow.manifest_digest).where(TreeRow.manifest_digest.in_(digests))
    return set(session.scalars(holdings.union(manifests)))


def _stray_files(db: Database, store: Store, before: datetime, report: Collected) -> Iterator[None]:
    """Temporary files a crash left behind, and parts of uploads that are no more."""
    for path in store.temporary.iterdir():
        if _is_older(path, before):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            report.strays += 1
            yield
    for upload_id in store.parts.upload_ids():
        with db.read() as session:
            known = session.get(UploadRow, upload_id)
        if (known is None or known.state not in UNFINISHED) and _is_older(store.parts.path(upload_id), before):
            store.parts.remove(upload_id)
            report.strays += 1
        yield


def _is_older(path: Path, before: datetime) -> bool:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC) < before
    except FileNotFoundError:
        return False
