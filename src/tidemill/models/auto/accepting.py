"""Suggestions accepted, rejected, and both taken back: few at once, many as background work, a batch a transaction.

Every change is a revision of its item; all revisions of one action bear its id, by which the whole is undone.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.annotation.revising import Revised, There, load_there, revise
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Place
from tidemill.datasets import counting, doubts, items, people
from tidemill.datasets.annotations import unpack
from tidemill.datasets.changes import begin_change, content_stayed
from tidemill.datasets.choosing import find_opened
from tidemill.datasets.doubts import Doubt
from tidemill.datasets.items import Filter
from tidemill.datasets.lookup import Opened, open_draft
from tidemill.datasets.schemas import Chosen
from tidemill.datasets.states import ITEM_STATES, LABELLED, SUGGESTED, UNLABELLED
from tidemill.datasets.tables import ITEMS, REVISIONS
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.kernel.db import Database
from tidemill.kernel.ids import new_id
from tidemill.models.auto.schemas import SHOWN_MAX, ChangedItem, SuggestionsChanged

KIND = "dataset_suggestions"
AT_ONCE = 500
HERE = 3000
"""Up to this many are done before the answer goes out."""
Verb = Literal["accept", "reject", "undo"]


@dataclass(frozen=True, slots=True)
class Action:
    """What is to become of suggestions."""

    id: str
    verb: Verb
    threshold: float | None = None
    below: str = "leave"


@dataclass(slots=True)
class Outcome:
    changed: int = 0
    left: int = 0
    items: list[ChangedItem] | None = None


def new_action(verb: Verb, *, threshold: float | None = None, below: str = "leave") -> Action:
    return Action(new_id("act"), verb, threshold, below)


def change(db: Database, place: Place, chosen: Chosen, action: Action, *, by: Caller) -> SuggestionsChanged:
    """Does it, or has it done in the background where a filter finds many."""
    with db.read() as session:
        opened = open_draft(session, place, project_id=by.project.id)
        seqs = sorted(set(chosen.seqs or ()))
        if chosen.filter is not None:
            given = {**dict(chosen.filter), "state": ITEM_STATES[SUGGESTED]}
            wanted = items.make_filter(session, **given)
            seqs = items.find_seqs(session, opened.vid, wanted, after=None, limit=HERE + 1)
    if chosen.filter is not None and len(seqs) > HERE:
        return _submit(db, opened, action, wanted, by=by)
    outcome = Outcome(items=[])
    for start in range(0, len(seqs), AT_ONCE):
        _apply(db, opened, action, seqs[start : start + AT_ONCE], outcome, by=by)
    return _told(db, opened, action, outcome, by=by)


def undo(db: Database, place: Place, action_id: str, *, by: Caller) -> SuggestionsChanged:
    """Takes an accept or reject back, of items that nobody changed since."""
    action = Action(action_id, "undo")
    with db.read() as session:
        opened = open_draft(session, place, project_id=by.project.id)
        many = counting.get_count(session, opened.vid, counting.TOTAL, counting.ITEMS) > 10 * HERE
    if many:
        return _submit(db, opened, action, Filter(), by=by)
    outcome, after = Outcome(items=[]), 0
    while seqs := _find_done(db, opened, action_id, after):
        _apply(db, opened, action, seqs, outcome, by=by)
        after = seqs[-1]
    return _told(db, opened, action, outcome, by=by)


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the background work. What is done is no longer found, so after a crash it goes on where it was."""
    del app

    def run(job: RunningJob) -> dict[str, Any]:
        params = job.params
        action, wanted = Action(**params["action"]), Filter(**params["filter"])
        with job.db.read() as session:
            opened = find_opened(session, params["vid"])
            total, _ = items.count_items(session, opened.vid, wanted)
        outcome, after, done = Outcome(), 0, 0
        while True:
            job.check()
            if action.verb == "undo":
                seqs = _find_done(job.db, opened, action.id, after)
            else:
                with job.db.read() as session:
                    seqs = items.find_seqs(session, opened.vid, wanted, after=after, limit=AT_ONCE)
            if not seqs:
                break
            _apply(job.db, opened, action, seqs, outcome, by=job.caller())
            after, done = seqs[-1], done + len(seqs)
            job.progress(done, max(total, done), "items")
        with job.db.write() as session:
            _record(session, opened, action, outcome, by=job.caller())
        return {"changed": outcome.changed, "left": outcome.left, "action": action.id}

    return run


def _apply(db: Database, opened: Opened, action: Action, seqs: Sequence[int], outcome: Outcome, *, by: Caller) -> None:
    with db.write() as session:
        changed = begin_change(session, opened, by.now)
        there = load_there(session, opened.vid, seqs)
        if action.verb == "undo":
            changes = _undone(session, [there[seq] for seq in seqs if seq in there], action.id)
            reason, annotator = "restore", None
        else:
            decide = _accepted if action.verb == "accept" else _rejected
            suggested = [there[seq] for seq in seqs if seq in there and there[seq].state == SUGGESTED]
            decided = [decide(one, action) for one in suggested]
            changes = [one for one in decided if one is not None]
            outcome.left += len(decided) - len(changes)
            reason, annotator = "review", people.number_of(session, by)
        written = revise(
            session, opened, changes, changed=changed, reason=reason, annotator=annotator, key=action.id, by=by
        )
        if not changes:
            content_stayed(session, opened.vid, changed)
        if action.verb == "accept":
            doubts.forget(session, opened.vid, [seq for seq, _ in written])
        elif action.verb == "undo":
            doubts.keep(session, opened.vid, [_doubt(one) for one in changes if one.state == SUGGESTED])
    outcome.changed += len(written)
    _note_items(outcome, changes, written)


def _note_items(outcome: Outcome, changes: Sequence[Revised], written: Sequence[tuple[int, int]]) -> None:
    if outcome.items is None:
        return
    for one, (seq, revision) in zip(changes, written, strict=True):
        outcome.items.append(
            ChangedItem(seq=seq, revision=revision, before=one.there.revision, state=ITEM_STATES[one.state])
        )
    if len(outcome.items) > SHOWN_MAX:
        outcome.items = None


def _accepted(there: There, action: Action) -> Revised | None:
    found = there.annotations
    low = [one for one in found if _is_below(one, action.threshold)]
    if low and (action.below == "leave" or len(low) == len(found)):
        return None
    kept = [_approved(one) for one in found if not _is_below(one, action.threshold)]
    return Revised(there, kept, LABELLED)


def _rejected(there: There, action: Action) -> Revised | None:
    found = there.annotations
    if not any(one.get("auto") for one in found):
        # Suggestions that came with an import say nothing of themselves: all of them are meant.
        return Revised(there, [], UNLABELLED) if action.threshold is None else None
    gone = [one for one in found if one.get("auto") and (action.threshold is None or _is_below(one, action.threshold))]
    if not gone:
        return None
    kept = [one for one in found if one not in gone]
    if any(one.get("auto") for one in kept):
        return Revised(there, kept, SUGGESTED)
    return Revised(there, kept, LABELLED if kept else UNLABELLED)


def _is_below(annotation: dict[str, Any], threshold: float | None) -> bool:
    return bool(annotation.get("auto")) and threshold is not None and annotation.get("score", 1.0) < threshold


def _approved(annotation: dict[str, Any]) -> dict[str, Any]:
    """Somebody stands by it now; which model it came from is still told."""
    return {name: value for name, value in annotation.items() if name not in {"auto", "score"}}


def _undone(session: Session, there: Sequence[There], action_id: str) -> list[Revised]:
    """Items whose newest revision is the action's, as they were before it."""
    newest = {one.revision: one for one in there if one.revision is not None}
    revision, parent = REVISIONS.c, REVISIONS.alias()
    statement = (
        sa.select(revision.id, parent.c.body, parent.c.state)
        .select_from(REVISIONS.outerjoin(parent, parent.c.id == revision.parent))
        .where(revision.id.in_(list(newest)), revision.key == action_id)
    )
    return [
        Revised(newest[row.id], unpack(row.body), UNLABELLED if row.state is None else row.state)
        for row in session.connection().execute(statement)
    ]


def _doubt(one: Revised) -> Doubt:
    """What is to be looked at again: as uncertain as its least certain suggestion."""
    least = min((float(each.get("score", 1.0)) for each in one.annotations), default=1.0)
    return Doubt(one.there.seq, 1 - least, 0.0, least)


def _find_done(db: Database, opened: Opened, action_id: str, after: int) -> list[int]:
    """Items whose newest revision is the action's."""
    joined = ITEMS.join(REVISIONS, REVISIONS.c.id == ITEMS.c.revision)
    mine = sa.and_(
        ITEMS.c.vid == opened.vid,
        ITEMS.c.seq > after,
        REVISIONS.c.key == action_id,
        REVISIONS.c.reason == "review",
    )
    with db.read() as session:
        statement = sa.select(ITEMS.c.seq).select_from(joined).where(mine).order_by(ITEMS.c.seq).limit(AT_ONCE)
        return list(session.connection().execute(statement).scalars())


def _told(db: Database, opened: Opened, action: Action, outcome: Outcome, *, by: Caller) -> SuggestionsChanged:
    with db.write() as session:
        _record(session, opened, action, outcome, by=by)
    return SuggestionsChanged(changed=outcome.changed, left=outcome.left, action=action.id, items=outcome.items)


def _submit(db: Database, opened: Opened, action: Action, wanted: Filter, *, by: Caller) -> SuggestionsChanged:
    with db.write() as session:
        project = session.get_one(ProjectRow, opened.project_id)
        job = jobs.submit(
            session,
            KIND,
            params={"vid": opened.vid, "action": asdict(action), "filter": asdict(wanted)},
            name=opened.name,
            by=by,
            project_id=opened.project_id,
            link=version_link(project.name, "dataset", opened.asset, opened.number),
        )
    return SuggestionsChanged(changed=0, left=0, action=action.id, job=job.id)


def _record(session: Session, opened: Opened, action: Action, outcome: Outcome, *, by: Caller) -> None:
    """One line of the audit log, however many items."""
    audit.record(
        session,
        f"dataset.suggestions_{action.verb}",
        by=by,
        target_kind="dataset_version",
        target_id=opened.version_id,
        target_name=opened.name,
        project_id=opened.project_id,
        after={"threshold": action.threshold, "items": outcome.changed, "action": action.id},
    )
