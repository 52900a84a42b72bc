"""A new version from an older one: its item rows are copied, in short steps; nothing of it is seen until it is whole.

The rows go under a number that no version has yet. When all are there, one transaction makes the version. A process
that dies leaves rows that the same work goes on from. An older version that is a draft itself may be annotated
meanwhile: what was changed in it since the copy began is copied once more at the end.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import versions as asset_versions
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Found, Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import contents, versions
from tidemill.datasets.lookup import get_dataset, open_version
from tidemill.datasets.marking import seq_among
from tidemill.datasets.pacing import Pace
from tidemill.datasets.states import COPYING, DRAFT
from tidemill.datasets.tables import (
    CONTENTS,
    COUNTS,
    ITEM_LABELS,
    ITEMS,
    LABEL_ERRORS,
    LABELS,
    SUGGESTIONS,
    VERSIONS,
    DatasetVersionRow,
)
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import in_batches
from tidemill.kernel.errors import Conflict

KIND = "dataset_version"
FEW = 500
"""So few changed items are copied again in the last transaction."""

_item, _label, _version = ITEMS.c, ITEM_LABELS.c, VERSIONS.c
_ITEM_NAMES = [column.name for column in ITEMS.columns if column.name not in ("vid", "changed")]


def submit(session: Session, place: Place, *, note: str, by: Caller) -> JobRow:
    """Asks for a new version of the same dataset from that one."""
    asset, _ = get_dataset(session, place, project_id=by.project.id)
    opened = open_version(session, place, project_id=by.project.id)
    row, params = prepare(session, place, note=note, by=by)
    job = jobs.submit(
        session,
        KIND,
        params=params,
        name=opened.name,
        by=by,
        project_id=by.project.id,
        link=version_link(by.project.name, asset.kind, asset.name, opened.number),
    )
    row.job_id = job.id
    session.flush()
    return job


def prepare(session: Session, place: Place, *, note: str, by: Caller) -> tuple[DatasetVersionRow, dict[str, Any]]:
    """A version on the way, and what a job needs to know to make it with `run`. It goes if its job ends without it:
    the caller writes the job's id into it."""
    _, dataset = get_dataset(session, place, project_id=by.project.id)
    opened = open_version(session, place, project_id=by.project.id)
    row = versions.new_row(dataset, by, version_id=None, state=COPYING)
    origin = session.get_one(DatasetVersionRow, opened.vid)
    row.revision, row.removals = origin.revision, origin.removals
    session.add(row)
    session.flush()
    return row, {
        "vid": row.vid,
        "source_vid": opened.vid,
        "source_version_id": opened.version_id,
        "note": note,
    }


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the background work."""
    del app
    return run


def run(job: RunningJob) -> dict[str, Any]:
    """Makes the version that was prepared. After a crash it goes on where it was."""
    work = _Copy(job)
    if made := work.made_before():
        return made
    work.copy_items()
    work.copy_labels()
    work.copy_contents()
    work.copy_doubts()
    work.catch_up()
    return work.finish()


class _Copy:
    """One copy under way."""

    def __init__(self, job: RunningJob) -> None:
        self._job, self._db = job, job.db
        self._vid: int = job.params["vid"]
        self._source: int = job.params["source_vid"]
        self._pace = Pace()
        self._done = 0
        with self._db.read() as session:
            mine = sa.select(sa.func.count()).select_from(ITEMS).where(_item.vid == self._source)
            self._total = session.scalar(mine) or 0

    def made_before(self) -> dict[str, Any] | None:
        """The result, when a process died between making the version and saying so."""
        with self._db.read() as session:
            row = session.get(DatasetVersionRow, self._vid)
            if row is None:
                raise Conflict("dataset_version_gone")
            if row.state == COPYING:
                return None
            return self._result(session.get_one(VersionRow, row.version_id))

    def copy_items(self) -> None:
        """Items by number, from where the copy stands."""
        while True:
            with self._pace.step() as size, self._db.write() as session:
                after = _highest(session, self._vid)
                upto = _nth(session, _item.seq, [_item.vid == self._source, _item.seq > after], size)
                if upto is None:
                    break
                self._insert_items(session, _item.seq > after, _item.seq <= upto)
            self._done += size
            self._job.progress(min(self._done, self._total), self._total, "items")
            self._job.check()

    def copy_labels(self) -> None:
        """The index of labels, in its own order."""
        self._copy_in_order(ITEM_LABELS, ("label", "seq"))

    def copy_contents(self) -> None:
        """The index of contents, in its own order."""
        self._copy_in_order(CONTENTS, ("key", "seq"))

    def copy_doubts(self) -> None:
        """What models thought of the items; of one that is changed meanwhile it is told by the item itself."""
        self._copy_in_order(SUGGESTIONS, ("seq",))
        self._copy_in_order(LABEL_ERRORS, ("seq", "kind"))

    def catch_up(self) -> None:
        """Copies again what was changed in the source meanwhile, until there is little left of it."""
        while True:
            with self._db.read() as session:
                now = session.scalars(sa.select(_version.revision).where(_version.vid == self._source)).one()
                changed = self._changed(session)
            if len(changed) <= FEW:
                return
            for batch in in_batches(changed, FEW):
                with self._db.write() as session:
                    self._copy_again(session, batch)
                self._job.check()
            with self._db.write() as session:
                session.execute(sa.update(VERSIONS).where(_version.vid == self._vid).values(revision=now))

    def finish(self) -> dict[str, Any]:
        """The last of the changes, labels, counters; and the version is there."""
        by = self._job.caller()
        with self._db.write() as session:
            asset = _lock_asset(session, self._job.params["source_version_id"])
            source = session.get_one(DatasetVersionRow, self._source, with_for_update=True)
            row = session.get_one(DatasetVersionRow, self._vid, with_for_update=True)
            self._copy_again(session, self._changed(session))
            if source.removals != row.removals:
                self._remove_removed(session)
            self._insert_rows(session, LABELS)
            self._insert_rows(session, COUNTS)
            version = self._make_version(session, asset, by)
            row.version_id, row.state, row.job_id = version.id, DRAFT, None
            row.revision, row.removals, row.next_seq = 0, 0, source.next_seq
            row.guidelines, row.examples, row.changed_at = source.guidelines, source.examples, by.now
            return self._result(version)

    def _result(self, version: VersionRow) -> dict[str, Any]:
        return {"version": version.number, "version_id": version.id, "items": self._total}

    def _make_version(self, session: Session, asset: AssetRow, by: Caller) -> VersionRow:
        home = session.get_one(ProjectRow, asset.project_id)
        origin = session.get_one(VersionRow, self._job.params["source_version_id"])
        note = self._job.params["note"]
        version = asset_versions.new_version(session, asset, Found(home, asset, origin), note=note, by=by)
        after = {"note": note, "from": origin.number}
        asset_versions.record(session, "create_version", asset, version, by=by, after=after)
        session.flush()
        return version

    def _changed(self, session: Session) -> list[int]:
        began = sa.select(_version.revision).where(_version.vid == self._vid).scalar_subquery()
        changed = sa.select(_item.seq).where(_item.vid == self._source, _item.changed > began)
        return list(session.connection().execute(changed.order_by(_item.seq)).scalars())

    def _copy_again(self, session: Session, seqs: Sequence[int]) -> None:
        if not seqs:
            return
        connection = session.connection()
        numbers = sa.select(LABELS.c.number).where(LABELS.c.vid == self._source)
        stale = sa.and_(_label.vid == self._vid, _label.label.in_(numbers), seq_among(session, _label.seq, seqs))
        connection.execute(sa.delete(ITEM_LABELS).where(stale))
        connection.execute(sa.delete(ITEMS).where(_item.vid == self._vid, seq_among(session, _item.seq, seqs)))
        self._insert_items(session, seq_among(session, _item.seq, seqs))
        self._insert_rows(session, ITEM_LABELS, _label.label.in_(numbers), seq_among(session, _label.seq, seqs))
        self._enter_contents(session, seqs)

    def _remove_removed(self, session: Session) -> None:
        """Items that were taken out of the source after they had been copied."""
        origin = ITEMS.alias()
        still = sa.exists().where(origin.c.vid == self._source, origin.c.seq == _item.seq)
        gone = list(session.scalars(sa.select(_item.seq).where(_item.vid == self._vid, ~still)))
        for batch in in_batches(gone, 5000):
            numbers = sa.select(LABELS.c.number).where(LABELS.c.vid == self._source)
            stale = sa.and_(_label.vid == self._vid, _label.label.in_(numbers), seq_among(session, _label.seq, batch))
            session.connection().execute(sa.delete(ITEM_LABELS).where(stale))
            contents.forget(session, self._vid, self._digests(session, self._vid, batch))
            these = sa.and_(_item.vid == self._vid, seq_among(session, _item.seq, batch))
            session.connection().execute(sa.delete(ITEMS).where(these))

    def _insert_items(self, session: Session, *conditions: Any) -> None:
        columns = [sa.literal(self._vid), sa.literal(0), *(_item[name] for name in _ITEM_NAMES)]
        rows = sa.select(*columns).where(_item.vid == self._source, *conditions).order_by(_item.seq)
        session.connection().execute(sa.insert(ITEMS).from_select(["vid", "changed", *_ITEM_NAMES], rows))

    def _copy_in_order(self, table: sa.Table, names: Sequence[str]) -> None:
        """Rows of an index, from where the copy stands."""
        columns = [table.c[name] for name in names]
        here = sa.tuple_(*columns)
        while True:
            with self._pace.step() as size, self._db.write() as session:
                reached = sa.select(*columns).where(table.c.vid == self._vid)
                last = session.execute(reached.order_by(*(c.desc() for c in columns)).limit(1)).one_or_none()
                after = here > sa.tuple_(*map(sa.literal, last)) if last else sa.true()
                ahead = sa.select(*columns).where(table.c.vid == self._source, after).order_by(*columns)
                nth = session.execute(ahead.offset(size - 1).limit(1)).one_or_none()
                upto = here <= sa.tuple_(*map(sa.literal, nth)) if nth else sa.true()
                self._insert_rows(session, table, after, upto)
            if nth is None:
                return
            self._job.check()

    def _insert_rows(self, session: Session, table: sa.Table, *conditions: Any) -> None:
        names = [column.name for column in table.columns if column.name != "vid"]
        rows = sa.select(sa.literal(self._vid), *(table.c[name] for name in names))
        ordered = rows.where(table.c.vid == self._source, *conditions).order_by(*table.primary_key.columns)
        session.connection().execute(sa.insert(table).from_select(["vid", *names], ordered))

    def _enter_contents(self, session: Session, seqs: Sequence[int]) -> None:
        """An item's content never changes: only items that are new have to be entered."""
        items = self._digests(session, self._source, seqs)
        contents.forget(session, self._vid, items)
        contents.enter(session, self._vid, items)

    def _digests(self, session: Session, vid: int, seqs: Sequence[int]) -> list[tuple[int, str]]:
        found = sa.select(_item.seq, _item.digest).where(_item.vid == vid, seq_among(session, _item.seq, seqs))
        return [(row.seq, row.digest) for row in session.connection().execute(found)]


def _lock_asset(session: Session, version_id: str) -> AssetRow:
    """The dataset, as it is now; raises Conflict when it or the source went away meanwhile."""
    version = session.get(VersionRow, version_id)
    asset = session.get(AssetRow, version.asset_id, with_for_update={"key_share": True}) if version else None
    if asset is None or version is None or asset.deleted_at is not None or version.deleted_at is not None:
        raise Conflict("dataset_version_gone")
    return asset


def _highest(session: Session, vid: int) -> int:
    return session.scalar(sa.select(sa.func.max(_item.seq)).where(_item.vid == vid)) or 0


def _nth(session: Session, column: Any, conditions: Sequence[Any], number: int) -> int | None:
    """The value at that place, or the last one there is; None when there is none."""
    found = sa.select(column).where(*conditions).order_by(column)
    nth = session.scalar(found.offset(number - 1).limit(1))
    return nth if nth is not None else session.scalar(found.order_by(None).order_by(column.desc()).limit(1))
