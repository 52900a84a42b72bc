"""Saving annotations: each save is a revision on the one it changed; a save on an older one is a conflict, never lost.

A save is a handful of statements: the item with what is there now, its turn, the revision, the item's row, and only
what differs of labels and counters.
"""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.annotation import history
from tidemill.annotation.merging import merge
from tidemill.assets.lookup import Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import counting, labels, lookup, people
from tidemill.datasets.annotations import Summary, pack, summarise, unpack
from tidemill.datasets.changes import begin_change
from tidemill.datasets.lookup import Opened
from tidemill.datasets.states import ITEM_STATES, LABELLED, STATE_CODES, SUGGESTED, UNLABELLED
from tidemill.datasets.tables import ITEM_LABELS, ITEMS, REVISIONS, SUGGESTIONS, DatasetVersionRow
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.prepared import Prepared

_item, _revision, _label = ITEMS.c, REVISIONS.c, ITEM_LABELS.c


@dataclass(frozen=True, slots=True)
class Wish:
    """What an item is to become."""

    seq: int
    base: int | None
    annotations: list[Any]
    state: str | None = None
    key: str | None = None
    reason: str = "edit"
    merge: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What it is now."""

    seq: int
    revision: int | None
    state: int
    count: int
    merged: list[Any] | None = None

    def view(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "revision": self.revision,
            "state": ITEM_STATES[self.state],
            "annotations_count": self.count,
            "merged": self.merged,
        }


@dataclass(frozen=True, slots=True)
class Current:
    """An item as it is, before a save."""

    opened: Opened
    state: int
    annotator: int | None
    revision: int | None
    body: str | None


def save(session: Session, place: Place, wish: Wish, *, by: Caller) -> Done:
    """Saves one item's annotations; raises Conflict with what is there now when that is not what was changed."""
    body = pack(wish.annotations)
    current = load_current(session, place, wish.seq, project_id=by.project.id)
    if current.revision == wish.base:
        return write(session, current, wish, body, by=by)
    if earlier := _find_earlier(session, current, wish, body, by=by):
        return earlier
    details = conflict_details(session, current, wish.seq)
    if wish.merge:
        merged = merge(_body_in_history(session, current, wish.base), details["annotations"], wish.annotations)
        if not merged.clashes:
            joined = replace(wish, base=current.revision, annotations=merged.annotations)
            return replace(write(session, current, joined, pack(joined.annotations), by=by), merged=joined.annotations)
        details["clashes"] = merged.clashes
    raise Conflict("annotation_conflict", field="base", details=details)


def write(session: Session, current: Current, wish: Wish, body: str, *, by: Caller) -> Done:
    """Writes the revision, and all that follows from it. The wish's base must be the current revision."""
    opened = current.opened
    changed = begin_change(session, opened, by.now)
    before, after = summarise(unpack(current.body)), summarise(wish.annotations)
    labels.check_known(session, opened.vid, after.labels.keys() - before.labels.keys())
    state = _state_after(wish, current, after)
    author = people.number_of(session, by)
    ((revision,),) = _ADD_REVISION.rows(
        session,
        did=opened.did,
        parent=current.revision,
        author=author,
        at=by.now,
        reason=wish.reason,
        state=state,
        key=wish.key,
        body=body,
    )
    moved = _POINT.run(
        session,
        b_vid=opened.vid,
        b_seq=wish.seq,
        b_base=current.revision or 0,
        revision=revision,
        state=state,
        annotations=after.count,
        annotator=author,
        changed=changed,
        updated_at=by.now,
    )
    if moved != 1:
        # Somebody's save came between our look and our turn (only where databases let both look at once).
        raise Conflict("annotation_race")
    _change_labels(session, current, wish.seq, before, after, state=state, annotator=author)
    if current.state == SUGGESTED != state:
        # Somebody has looked at what a model suggested: it is no longer among what is to be looked at.
        _DROP_DOUBT.run(session, vid=opened.vid, seq=wish.seq)
    delta = counting.Delta()
    delta.content(-1, state=current.state, annotator=current.annotator, summary=before)
    delta.content(1, state=state, annotator=author, summary=after)
    delta.write(session, opened.vid)
    return Done(wish.seq, revision, state, after.count)


def load_current(session: Session, place: Place, seq: int, *, project_id: str) -> Current:
    """The item as it is and where it is, in one statement; raises NotFound, and Conflict when it is no draft's."""
    found = lookup.choose(_CURRENT, place).rows(session, **lookup.place_values(place, project_id), seq=seq)
    row = found[0] if found else None
    if row is None:
        opened = lookup.open_version(session, place, project_id=project_id)
        raise NotFound("item_not_found", seq=seq, name=opened.name)
    width = len(lookup.COLUMNS)
    opened = Opened(*row[:width])
    lookup.check_draft(opened)
    return Current(opened, *row[width:])


def conflict_details(session: Session, current: Current, seq: int) -> dict[str, Any]:
    """What is there now, for who wanted to change something older."""
    row = session.execute(sa.select(_item.updated_at).where(_item.vid == current.opened.vid, _item.seq == seq)).one()
    names = people.names_of(session, [current.annotator])
    return {
        "seq": seq,
        "revision": current.revision,
        "state": ITEM_STATES[current.state],
        "annotator": names.get(current.annotator or 0),
        "updated_at": row.updated_at.isoformat(),
        "annotations": unpack(current.body),
    }


def _find_earlier(session: Session, current: Current, wish: Wish, body: str, *, by: Caller) -> Done | None:
    """The same save, sent again, was done: its answer."""
    if wish.key is None:
        return None
    author = people.number_of(session, by)
    for row in history.walk(session, current.revision):
        if row.key != wish.key or row.author != author:
            continue
        if row.parent == wish.base and row.body != body:
            raise Conflict("idempotency_key_reused", field="Idempotency-Key")
        done = unpack(row.body)
        return Done(wish.seq, row.id, row.state, len(done), None if row.parent == wish.base else done)
    return None


def _body_in_history(session: Session, current: Current, revision: int | None) -> list[Any]:
    """What a revision of the item held; raises when it is none of the item's."""
    if revision is None:
        return []
    return unpack(history.find(session, current.revision, revision).body)


def _state_after(wish: Wish, current: Current, after: Summary) -> int:
    if wish.state is not None:
        return STATE_CODES[wish.state]
    if after.count:
        return LABELLED
    return UNLABELLED if current.state == LABELLED else current.state


def _change_labels(
    session: Session,
    current: Current,
    seq: int,
    before: Summary,
    after: Summary,
    *,
    state: int,
    annotator: int | None,
) -> None:
    """The index of labels follows: what went, what came, and the state and annotator of what stayed."""
    vid = current.opened.vid
    old, new = before.labels.keys(), after.labels.keys()
    for label in sorted(old - new):
        _DROP_LABEL.run(session, vid=vid, label=label, seq=seq)
    if (state, annotator) != (current.state, current.annotator):
        for label in sorted(old & new):
            _MARK_LABEL.run(session, b_vid=vid, b_label=label, b_seq=seq, state=state, annotator=annotator)
    for label in sorted(new - old):
        _ADD_LABEL.run(session, vid=vid, label=label, seq=seq, state=state, annotator=annotator)


def _param(column: Any, name: str | None = None) -> Any:
    return sa.bindparam(name or column.name, type_=column.type)


_CURRENT = lookup.prepare(
    lambda at_place: (
        sa.select(*lookup.COLUMNS, _item.state, _item.annotator, _item.revision, _revision.body)
        .select_from(AssetRow)
        .join(VersionRow, VersionRow.asset_id == AssetRow.id)
        .join(DatasetVersionRow, DatasetVersionRow.version_id == VersionRow.id)
        .join(ITEMS, _item.vid == DatasetVersionRow.vid)
        .outerjoin(REVISIONS, _revision.id == _item.revision)
        .where(*at_place, _item.seq == _param(_item.seq))
    )
)
_ADD_REVISION = Prepared(
    sa.insert(REVISIONS)
    .values({column.name: _param(column) for column in REVISIONS.columns if column.name != "id"})
    .returning(_revision.id)
)
_POINT = Prepared(
    sa.update(ITEMS)
    .where(
        _item.vid == _param(_item.vid, "b_vid"),
        _item.seq == _param(_item.seq, "b_seq"),
        sa.func.coalesce(_item.revision, 0) == _param(_item.revision, "b_base"),
    )
    .values(
        {
            name: _param(_item[name])
            for name in ("revision", "state", "annotations", "annotator", "changed", "updated_at")
        }
    )
)
_DROP_LABEL = Prepared(
    sa.delete(ITEM_LABELS).where(
        _label.vid == _param(_label.vid), _label.label == _param(_label.label), _label.seq == _param(_label.seq)
    )
)
_DROP_DOUBT = Prepared(
    sa.delete(SUGGESTIONS).where(
        SUGGESTIONS.c.vid == _param(SUGGESTIONS.c.vid), SUGGESTIONS.c.seq == _param(SUGGESTIONS.c.seq)
    )
)
_MARK_LABEL = Prepared(
    sa.update(ITEM_LABELS)
    .where(
        _label.vid == _param(_label.vid, "b_vid"),
        _label.label == _param(_label.label, "b_label"),
        _label.seq == _param(_label.seq, "b_seq"),
    )
    .values(state=_param(_label.state), annotator=_param(_label.annotator))
)
_ADD_LABEL = Prepared(sa.insert(ITEM_LABELS).values({column.name: _param(column) for column in ITEM_LABELS.columns}))
