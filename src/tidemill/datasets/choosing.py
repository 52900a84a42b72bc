"""Doing something with the items a caller chose: few at once, many as background work, a batch a transaction."""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import items, marking, people, removing, trees
from tidemill.datasets.items import Filter
from tidemill.datasets.lookup import COLUMNS, Opened, check_draft, open_draft
from tidemill.datasets.schemas import ChangedCount, Chosen
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict

KIND = "dataset_items"
AT_ONCE = 1000
HERE = 5000
"""Up to this many are done before the answer goes out."""

STATE, OWNER, REMOVE = "state", "owner", "delete"


def change_items(
    db: Database, place: Place, chosen: Chosen, action: str, value: int | None = None, *, by: Caller
) -> ChangedCount:
    """Does it, or has it done in the background where a filter finds many."""
    with db.read() as session:
        opened = open_draft(session, place, project_id=by.project.id)
        wanted = None if chosen.filter is None else items.make_filter(session, **dict(chosen.filter))
        seqs = list(chosen.seqs or ())
        if wanted is not None:
            seqs = items.find_seqs(session, opened.vid, wanted, after=None, limit=HERE + 1)
    if wanted is not None and len(seqs) > HERE:
        return _submit(db, opened, wanted, action, value, by=by)
    changed = _apply(db, opened, sorted(set(seqs)), action, value, by=by)
    with db.write() as session:
        record(session, opened, action, value, changed, by=by)
    return ChangedCount(changed=changed)


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the background work; after a crash it goes on where it was, because what is done is done."""
    del app

    def run(job: RunningJob) -> dict[str, Any]:
        params = job.params
        wanted, after, changed = Filter(**params["filter"]), 0, 0
        with job.db.read() as session:
            opened = find_opened(session, params["vid"])
            total, _ = items.count_items(session, opened.vid, wanted)
        done = 0
        while True:
            job.check()
            with job.db.read() as session:
                seqs = items.find_seqs(session, opened.vid, wanted, after=after, limit=AT_ONCE)
            if not seqs:
                break
            changed += _apply(job.db, opened, seqs, params["action"], params["value"], by=job.caller())
            after, done = seqs[-1], done + len(seqs)
            job.progress(done, max(total, done), "items")
        with job.db.write() as session:
            record(session, opened, params["action"], params["value"], changed, by=job.caller())
        return {"changed": changed}

    return run


def find_opened(session: Session, vid: int) -> Opened:
    """The live version of that number; raises Conflict when it is gone or no draft."""
    row = session.execute(
        sa.select(*COLUMNS)
        .select_from(DatasetVersionRow)
        .join(VersionRow, VersionRow.id == DatasetVersionRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(DatasetVersionRow.vid == vid, VersionRow.deleted_at.is_(None), AssetRow.deleted_at.is_(None))
    ).one_or_none()
    if row is None:
        raise Conflict("dataset_version_gone")
    opened = Opened(*row)
    check_draft(opened)
    return opened


def owner_number(session: Session, name_or_id: str | None, *, by: Caller) -> int | None:
    """The number of a member who is to own items."""
    return None if name_or_id is None else people.member_number(session, name_or_id, by=by)


def record(session: Session, opened: Opened, action: str, value: int | None, count: int, *, by: Caller) -> None:
    """One line of the audit log, however many items."""
    audit.record(
        session,
        "dataset.items",
        by=by,
        target_kind="dataset_version",
        target_id=opened.version_id,
        target_name=opened.name,
        project_id=opened.project_id,
        after={"action": action, "value": value, "items": count},
    )


def _apply(db: Database, opened: Opened, seqs: Sequence[int], action: str, value: int | None, *, by: Caller) -> int:
    if action == REMOVE:
        trees.part_tree(db, opened, by.now)
    changed = 0
    for start in range(0, len(seqs), AT_ONCE):
        batch = seqs[start : start + AT_ONCE]
        with db.write() as session:
            if action == STATE:
                assert value is not None
                changed += marking.set_state(session, opened, batch, value, by=by)
            elif action == OWNER:
                changed += marking.set_owner(session, opened, batch, value, by=by)
            else:
                changed += removing.remove_items(session, opened, batch, by=by)
    return changed


def _submit(
    db: Database, opened: Opened, wanted: Filter, action: str, value: int | None, *, by: Caller
) -> ChangedCount:
    params = {
        "vid": opened.vid,
        "action": action,
        "value": value,
        "filter": {name: getattr(wanted, name) for name in ("state", "label", "annotator", "owner", "q")},
    }
    with db.write() as session:
        project = session.get_one(ProjectRow, opened.project_id)
        link = version_link(project.name, "dataset", opened.asset, opened.number)
        job = jobs.submit(
            session, KIND, params=params, name=opened.name, by=by, project_id=opened.project_id, link=link
        )
    return ChangedCount(changed=0, job=job.id)
