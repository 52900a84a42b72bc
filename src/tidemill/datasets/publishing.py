"""Publishing a draft: from then on neither its files nor its annotations change.

While it runs nobody changes the version. What it writes (the tree's manifest, `annotations.jsonl`, `dataset.json`) is
part of nothing until one transaction at the end publishes the version with all of it. A process that dies does it
again from the start.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import orjson
import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import versions as asset_versions
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import counting, labels, people
from tidemill.datasets.changes import content_stayed
from tidemill.datasets.lookup import open_draft
from tidemill.datasets.states import DRAFT, ITEM_STATES, PUBLISHED, PUBLISHING
from tidemill.datasets.tables import ITEMS, REVISIONS, VERSIONS, DatasetRow, DatasetVersionRow
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict
from tidemill.store import intake, pins, trees
from tidemill.store.backends import Staged
from tidemill.store.depot import Store

KIND = "dataset_publish"
ANNOTATIONS, INFO = "annotations.jsonl", "dataset.json"
AT_ONCE = 5000

_item, _revision = ITEMS.c, REVISIONS.c


def submit(session: Session, place: Place, *, note: str | None, by: Caller) -> JobRow:
    """Begins to publish: from here on the version is not changed."""
    opened = open_draft(session, place, project_id=by.project.id)
    if not counting.get_count(session, opened.vid, counting.TOTAL, counting.ITEMS):
        raise Conflict("dataset_empty", name=opened.name)
    job = jobs.submit(
        session,
        KIND,
        params={"vid": opened.vid, "version_id": opened.version_id, "note": note},
        name=opened.name,
        by=by,
        project_id=by.project.id,
        link=version_link(by.project.name, "dataset", opened.asset, opened.number),
    )
    session.flush()
    is_draft = sa.and_(VERSIONS.c.vid == opened.vid, VERSIONS.c.state == DRAFT)
    if not _move(session, is_draft, state=PUBLISHING, job_id=job.id, changed_at=by.now):
        raise Conflict("dataset_publishing", name=opened.name)
    return job


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the background work. Whatever ends it early makes the version a draft again."""
    store: Store = app.state.store

    def run(job: RunningJob) -> dict[str, Any]:
        vid = job.params["vid"]
        try:
            return _publish(job, store)
        except Exception:
            if not job.stop_asked.is_set() or _is_cancelled(job):
                give_up(job.db, vid, job.id, job.caller())
            raise

    return run


def give_up(db: Database, vid: int, job_id: str, by: Caller) -> None:
    """Makes a version whose publishing came to nothing a draft again."""
    is_ours = sa.and_(VERSIONS.c.vid == vid, VERSIONS.c.state == PUBLISHING, VERSIONS.c.job_id == job_id)
    with db.write() as session:
        _move(session, is_ours, state=DRAFT, job_id=None, changed_at=by.now)


def _move(session: Session, which: sa.ColumnElement[bool], **values: Any) -> bool:
    """Changes what a version is; what it holds stays, and exports of it stay true."""
    values["revision"] = VERSIONS.c.revision + 1
    moved = sa.update(VERSIONS).where(which).values(values).returning(VERSIONS.c.vid, VERSIONS.c.revision)
    found = session.connection().execute(moved).one_or_none()
    if found is not None:
        content_stayed(session, found.vid, found.revision)
    return found is not None


def _publish(job: RunningJob, store: Store) -> dict[str, Any]:
    with job.db.read() as session:
        row = session.get(DatasetVersionRow, job.params["vid"])
        version = session.get(VersionRow, job.params["version_id"])
        if row is None or version is None:
            raise Conflict("dataset_version_gone")
        total = counting.get_count(session, row.vid, counting.TOTAL, counting.ITEMS)
        if row.state == PUBLISHED:
            # A process died between publishing the version and saying so.
            return {"items": total, "annotations_sha256": row.annotations_digest}
    trees.seal(job.db, store, version.tree_id, job.now)
    job.check()
    staged = _stage_annotations(job, store, row.vid, total)
    try:
        with job.db.read() as session:
            info = orjson.dumps(describe(session, row.vid), option=orjson.OPT_INDENT_2)
        intake.keep_files(job.db, store.backend, row.project_id, [staged], job.now)
        info_digest, info_bytes = intake.keep_bytes(job.db, store.backend, row.project_id, info, job.now)
    finally:
        with suppress(FileNotFoundError):
            store.temporary.joinpath(staged.path).unlink()
    job.check()
    with job.db.write() as session:
        _mark_published(session, job, staged, info_digest, info_bytes)
    return {"items": total, "annotations_sha256": staged.digest}


def describe(session: Session, vid: int) -> dict[str, Any]:
    """`dataset.json`: what the version is, its labels, and how much there is of what."""
    row = session.get_one(DatasetVersionRow, vid)
    dataset = session.get_one(DatasetRow, row.did)
    version = session.get_one(VersionRow, row.version_id)
    asset = session.get_one(AssetRow, version.asset_id)
    counts = counting.get_counts(session, vid)
    states = counts.get(counting.STATE, {})
    return {
        "format": "tidemill",
        "version": 1,
        "dataset": asset.name,
        "dataset_version": version.number,
        "data_type": dataset.data_type,
        "annotation_type": dataset.annotation_type,
        "guidelines": row.guidelines,
        "labels": [_label_json(label) for label in labels.load(session, vid)],
        "counts": {
            "items": counts.get(counting.TOTAL, {}).get(counting.ITEMS, 0),
            "annotations": counts.get(counting.TOTAL, {}).get(counting.ANNOTATIONS, 0),
            "states": {word: states.get(str(code), 0) for code, word in enumerate(ITEM_STATES)},
        },
    }


def annotation_lines(db: Database, vid: int) -> Iterator[bytes]:
    """`annotations.jsonl`: one item a line, by number; several lines a piece. The version must not change meanwhile."""
    after = 0
    joined = ITEMS.outerjoin(REVISIONS, _revision.id == _item.revision)
    columns = (
        _item.seq, _item.path, _item.digest, _item.size_bytes, _item.media, _item.width, _item.height, _item.duration,
        _item.info, _item.state, _item.annotator, _revision.body,
    )  # fmt: skip
    statement = sa.select(*columns).select_from(joined).order_by(_item.seq).limit(AT_ONCE)
    names: dict[int, str] = {}
    while True:
        with db.read() as session:
            found = statement.where(_item.vid == vid, _item.seq > after)
            rows = session.connection().execute(found).all()
            unknown = {row.annotator for row in rows} - names.keys()
            names.update(people.names_of(session, unknown))
        if not rows:
            return
        yield b"".join(_line(row, names) for row in rows)
        after = rows[-1].seq


def _line(row: Any, names: dict[int, str]) -> bytes:
    seq, path, digest, size_bytes, media, width, height, duration, info, state, annotator, body = row
    line: dict[str, Any] = {"path": path, "sha256": digest, "size_bytes": size_bytes, "media": media}
    if width is not None:
        line["width"], line["height"] = width, height
    if duration is not None:
        line["duration"] = duration
    if info is not None:
        line["info"] = orjson.Fragment(info)
    line["state"] = ITEM_STATES[state]
    if annotator is not None:
        line["annotator"] = names.get(annotator)
    line["seq"] = seq
    line["annotations"] = orjson.Fragment(body or "[]")
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _label_json(row: Any) -> dict[str, Any]:
    shown = {"number": row.number, "name": row.name, "parent": row.parent, "colour": row.colour}
    shown |= {"shortcut": row.shortcut, "attributes": row.attributes, "skeleton": row.skeleton}
    return {name: value for name, value in shown.items() if value is not None and value != []}


def _stage_annotations(job: RunningJob, store: Store, vid: int, total: int) -> Staged:
    path, running, size_bytes, done = store.temporary_file(), hashlib.sha256(), 0, 0
    with path.open("wb") as file:
        for piece in annotation_lines(job.db, vid):
            file.write(piece)
            running.update(piece)
            size_bytes += len(piece)
            done += AT_ONCE
            job.progress(min(done, total), total, "items")
            job.check()
    return Staged(running.hexdigest(), size_bytes, str(path))


def _mark_published(session: Session, job: RunningJob, staged: Staged, info_digest: str, info_bytes: int) -> None:
    by = job.caller()
    version = session.get_one(VersionRow, job.params["version_id"])
    asset = session.get_one(AssetRow, version.asset_id, with_for_update={"key_share": True})
    row = session.get_one(DatasetVersionRow, job.params["vid"], with_for_update=True)
    if row.state != PUBLISHING or row.job_id != job.id or version.deleted_at is not None:
        raise Conflict("dataset_version_gone")
    pins.pin(session, row.project_id, pin_owner(row.vid), {staged.digest: staged.size_bytes, info_digest: info_bytes})
    row.annotations_digest, row.annotations_bytes = staged.digest, staged.size_bytes
    row.info_digest, row.info_bytes = info_digest, info_bytes
    session.flush()
    _move(session, VERSIONS.c.vid == row.vid, state=PUBLISHED, job_id=None, changed_at=by.now)
    version.state, version.committed_at, asset.updated_at = "committed", by.now, by.now
    if job.params["note"] is not None:
        version.note = job.params["note"]
    after = {"state": "committed", "annotations": staged.digest}
    asset_versions.record(session, "commit", asset, version, by=by, before={"state": "draft"}, after=after)


def pin_owner(vid: int) -> str:
    """Whose the files of a published version are, in the store's books."""
    return f"dataset_version:{vid}"


def _is_cancelled(job: RunningJob) -> bool:
    with job.db.read() as session:
        return bool(session.scalar(sa.select(JobRow.cancel_requested).where(JobRow.id == job.id)))
