"""What the program of an auto-annotation reports, kept in one transaction each: suggestions, doubts, cursor."""

from collections.abc import Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.annotation.revising import Revised, There, load_there, revise
from tidemill.datasets import doubts
from tidemill.datasets.annotations import unpack
from tidemill.datasets.changes import begin_change, content_stayed
from tidemill.datasets.doubts import Doubt, millionths
from tidemill.datasets.states import LABELLED, SUGGESTED, UNLABELLED
from tidemill.datasets.tables import LABEL_ERRORS, LabelErrorRow, WorkRow
from tidemill.datasets.works import steps
from tidemill.kernel.db import upsert
from tidemill.models.auto.schemas import LabelErrorsIn, SuggestionIn, SuggestionsIn

OPEN = (UNLABELLED, SUGGESTED)
"""What somebody annotated is not touched."""


def take_suggestions(session: Session, row: WorkRow, told: SuggestionsIn, *, by: Caller) -> int:
    """Keeps a step; how far the work now is. Items that somebody changed since the model looked are left alone."""
    if row.done != told.at:
        return steps.repeated(row, told.at, told.done)
    opened = steps.written_version(session, row)
    changed = begin_change(session, opened, by.now)
    there = load_there(session, opened.vid, [one.seq for one in told.items])
    source, counts = str(row.asked["source"]["name"])[:200], dict(told.counts)
    changes: list[Revised] = []
    looked: list[Doubt] = []
    for one in told.items:
        current = there.get(one.seq)
        if current is None or current.state not in OPEN or current.revision != one.revision:
            counts["changed_meanwhile"] = counts.get("changed_meanwhile", 0) + 1
            continue
        looked.append(_doubt(one))
        if (new := revised(current, one.annotations, source)) is not None:
            changes.append(new)
        word = "suggested" if one.annotations else "nothing"
        counts[word] = counts.get(word, 0) + 1
        counts["annotations"] = counts.get("annotations", 0) + len(one.annotations)
    revise(session, opened, changes, changed=changed, reason="auto", annotator=None, by=by)
    if not changes:
        content_stayed(session, opened.vid, changed)
    doubts.keep(session, opened.vid, looked)
    row.stage = told.stage or row.stage
    steps.count_more(row, {name: value for name, value in counts.items() if value})
    steps.advance(session, row, told.done, told.total, [note.model_dump() for note in told.notes], by)
    return row.done


def take_label_errors(session: Session, row: WorkRow, told: LabelErrorsIn, *, by: Caller) -> int:
    """Keeps what seems to be labelled wrongly."""
    if row.done != told.at:
        return steps.repeated(row, told.at, told.done)
    opened = steps.written_version(session, row)
    if told.is_first:
        session.connection().execute(sa.delete(LABEL_ERRORS).where(LABEL_ERRORS.c.vid == opened.vid))
    source = str(row.asked["source"]["name"])[:200]
    rows = [
        {
            "vid": opened.vid,
            "seq": one.seq,
            "kind": one.kind,
            "score": millionths(one.score),
            "revision": one.revision,
            "given": one.given,
            "predicted": one.predicted,
            "about": orjson.dumps(one.about).decode(),
            "source": source,
        }
        for one in told.items
    ]
    if rows:
        session.connection().execute(upsert(session, LabelErrorRow).on_conflict_do_nothing(), rows)
    steps.count_more(row, {"errors_found": len(rows)} if rows else {})
    row.stage = "comparing"
    steps.advance(session, row, told.done, None, [], by)
    return row.done


def revised(current: There, annotations: Sequence[Any], source: str) -> Revised | None:
    """The item with the new suggestions instead of older ones; None where that changes nothing."""
    kept = [each for each in unpack(current.body) if not each.get("auto")]
    new: list[dict[str, Any]] = [{**each, "auto": True, "source": source} for each in annotations]
    taken = {each.get("id") for each in kept}
    for each in new:
        if each.get("id") in taken:
            del each["id"]
    state = SUGGESTED if new else LABELLED if kept and current.state != UNLABELLED else UNLABELLED
    together = [*kept, *new]
    if not together and current.revision is None:
        return None
    if state == current.state and _same(together, unpack(current.body)):
        return None
    return Revised(current, together, state)


def _same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    def bare(annotations: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: value for name, value in each.items() if name != "id"} for each in annotations]

    return bare(one) == bare(other)


def _doubt(one: SuggestionIn) -> Doubt:
    scores = [float(each.get("score", 1.0)) for each in one.annotations]
    return Doubt(one.seq, one.uncertainty, one.surprise, min(scores, default=None))
