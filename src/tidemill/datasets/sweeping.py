"""What is left of versions and datasets that are gone: taken apart in short steps, safe to repeat."""

import logging
from datetime import datetime

import sqlalchemy as sa

from tidemill.accounts.access import system_caller
from tidemill.datasets import publishing
from tidemill.datasets.pacing import Pace
from tidemill.datasets.states import PUBLISHING
from tidemill.datasets.tables import (
    CONTENTS,
    COUNTS,
    ITEM_LABELS,
    ITEMS,
    LABEL_ERRORS,
    LABELS,
    REVISIONS,
    SUGGESTIONS,
    DatasetRow,
    DatasetVersionRow,
    WorkRow,
)
from tidemill.jobs.states import FINAL
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import Database
from tidemill.store import pins
from tidemill.store.tables import TreeRow

log = logging.getLogger("tidemill.datasets")


def sweep(db: Database, now: datetime) -> int:
    """Removes what belongs to nothing any more, and frees versions whose publishing came to nothing; how many."""
    done = _free_unpublished(db, now)
    for vid in _orphaned_versions(db):
        remove_version(db, vid)
        done += 1
    for did in _orphaned_datasets(db):
        remove_dataset(db, did)
        done += 1
    return done


def clear_project(db: Database, project_id: str) -> None:
    """Removes all rows of a project that is going, before its assets go."""
    with db.read() as session:
        vids = session.scalars(sa.select(DatasetVersionRow.vid).where(DatasetVersionRow.project_id == project_id)).all()
        dids = session.scalars(sa.select(DatasetRow.did).where(DatasetRow.project_id == project_id)).all()
    for vid in vids:
        remove_version(db, vid)
    for did in dids:
        remove_dataset(db, did)


def remove_version(db: Database, vid: int) -> None:
    """Takes a version's rows apart."""
    pace = Pace()
    parts = (
        (ITEM_LABELS, ("label", "seq")),
        (CONTENTS, ("key", "seq")),
        (SUGGESTIONS, ("seq",)),
        (LABEL_ERRORS, ("seq", "kind")),
        (ITEMS, ("seq",)),
    )
    for table, key in parts:
        while _remove_some(db, table, key, vid, pace):
            continue
    with db.write() as session:
        row = session.get(DatasetVersionRow, vid)
        if row is None:
            return
        for small in (LABELS, COUNTS):
            session.execute(sa.delete(small).where(small.c.vid == vid))
        works = sa.select(WorkRow.id).where(WorkRow.vid == vid)
        for owner in (publishing.pin_owner(vid), *session.scalars(works)):
            pins.unpin_all(session, row.project_id, owner)
        copied = row.copy_tree_id
        session.delete(row)
        session.flush()
        if copied is not None:
            session.execute(sa.update(TreeRow).where(TreeRow.id == copied).values(users=0))


def remove_dataset(db: Database, did: int) -> None:
    """Takes a dataset's revisions apart; its versions' rows are gone."""
    pace = Pace()
    while True:
        with pace.step() as size, db.write() as session:
            some = sa.select(REVISIONS.c.id).where(REVISIONS.c.did == did).limit(size)
            gone = session.connection().execute(sa.delete(REVISIONS).where(REVISIONS.c.id.in_(some))).rowcount
            if not gone:
                row = session.get(DatasetRow, did)
                if row is not None:
                    session.delete(row)
                return


def _remove_some(db: Database, table: sa.Table, key: tuple[str, ...], vid: int, pace: Pace) -> bool:
    columns = [table.c[name] for name in key]
    with pace.step() as size, db.write() as session:
        mine = sa.select(*columns).where(table.c.vid == vid).order_by(*columns)
        last = session.execute(mine.offset(size - 1).limit(1)).one_or_none()
        piece = table.c.vid == vid
        if last is not None:
            piece = sa.and_(piece, sa.tuple_(*columns) <= sa.tuple_(*map(sa.literal, last)))
        session.connection().execute(sa.delete(table).where(piece))
        return last is not None


def _orphaned_versions(db: Database) -> list[int]:
    """Without a version, and no work under way that would give them one."""
    with db.read() as session:
        alive = sa.exists().where(JobRow.id == DatasetVersionRow.job_id, JobRow.state.not_in(FINAL))
        orphaned = sa.select(DatasetVersionRow.vid).where(DatasetVersionRow.version_id.is_(None), ~alive)
        return list(session.scalars(orphaned.order_by(DatasetVersionRow.vid)))


def _orphaned_datasets(db: Database) -> list[int]:
    with db.read() as session:
        has_versions = sa.exists().where(DatasetVersionRow.did == DatasetRow.did)
        return list(session.scalars(sa.select(DatasetRow.did).where(DatasetRow.asset_id.is_(None), ~has_versions)))


def _free_unpublished(db: Database, now: datetime) -> int:
    """The job ended (cancelled while it waited, or given up after crashes) and left the version as it was."""
    with db.read() as session:
        ended = sa.exists().where(JobRow.id == DatasetVersionRow.job_id, JobRow.state.in_(FINAL))
        known = sa.exists().where(JobRow.id == DatasetVersionRow.job_id)
        stuck = session.execute(
            sa.select(DatasetVersionRow.vid, DatasetVersionRow.job_id).where(
                DatasetVersionRow.state == PUBLISHING, sa.or_(ended, ~known)
            )
        ).all()
    for row in stuck:
        publishing.give_up(db, row.vid, row.job_id or "", system_caller(now))
    return len(stuck)
