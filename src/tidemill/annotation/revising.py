"""Many items at once get other annotations, each a revision on what was there: in one transaction, nothing lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets import counting, labels, people
from tidemill.datasets.annotations import pack, summarise, unpack
from tidemill.datasets.bulk import LABEL_COLUMNS, REVISION_COLUMNS, forget_labels
from tidemill.datasets.lookup import Opened
from tidemill.datasets.marking import seq_among
from tidemill.datasets.rows import insert_many, take_revision_ids
from tidemill.datasets.tables import ITEMS, REVISIONS, ItemLabelRow, RevisionRow
from tidemill.store.sql import moment

_item, _revision = ITEMS.c, REVISIONS.c


@dataclass(frozen=True, slots=True)
class There:
    """An item as it is."""

    seq: int
    state: int
    annotator: int | None
    revision: int | None
    body: str | None

    @property
    def annotations(self) -> list[dict[str, Any]]:
        return unpack(self.body)


@dataclass(frozen=True, slots=True)
class Revised:
    """What an item is to become."""

    there: There
    annotations: list[dict[str, Any]]
    state: int


def load_there(session: Session, vid: int, seqs: Sequence[int]) -> dict[int, There]:
    """Items by their numbers; those that are gone are left out."""
    joined = ITEMS.outerjoin(REVISIONS, _revision.id == _item.revision)
    columns = (_item.seq, _item.state, _item.annotator, _item.revision, _revision.body)
    found = sa.select(*columns).select_from(joined).where(_item.vid == vid, seq_among(session, _item.seq, seqs))
    return {row.seq: There(*row) for row in session.connection().execute(found)}


def revise(
    session: Session,
    opened: Opened,
    changes: Sequence[Revised],
    *,
    changed: int,
    reason: str,
    annotator: int | None,
    key: str | None = None,
    by: Caller,
) -> list[tuple[int, int]]:
    """Writes them; (seq, revision) of each. The caller has the version's turn, and the items are as they were read."""
    if not changes:
        return []
    bodies = [pack(one.annotations) for one in changes]
    before = [summarise(one.there.annotations) for one in changes]
    after = [summarise(one.annotations) for one in changes]
    labels.check_known(session, opened.vid, {label for one in after for label in one.labels})
    now, author = moment(session, by.now), people.number_of(session, by)
    revisions, label_rows, points = [], [], []
    delta = counting.Delta()
    ids = list(take_revision_ids(session, len(changes)))
    for number, one, body, old, new in zip(ids, changes, bodies, before, after, strict=True):
        there = one.there
        delta.content(-1, state=there.state, annotator=there.annotator, summary=old)
        delta.content(1, state=one.state, annotator=annotator, summary=new)
        revisions.append((number, opened.did, there.revision, author, now, reason, one.state, key, body))
        label_rows += [(opened.vid, label, there.seq, one.state, annotator) for label in new.labels]
        points.append({"b_seq": there.seq, "revision": number, "state": one.state, "annotations": new.count})
    insert_many(session, RevisionRow, REVISION_COLUMNS, revisions)
    same = {"b_vid": opened.vid, "annotator": annotator, "changed": changed, "updated_at": by.now}
    session.connection().execute(_POINT, [{**same, **point} for point in points])
    numbers = {label for one in before for label in one.labels}
    forget_labels(session, opened.vid, numbers, [one.there.seq for one in changes])
    insert_many(session, ItemLabelRow, LABEL_COLUMNS, sorted(label_rows))
    delta.write(session, opened.vid)
    return [(one.there.seq, number) for one, number in zip(changes, ids, strict=True)]


_POINT = (
    sa.update(ITEMS)
    .where(_item.vid == sa.bindparam("b_vid"), _item.seq == sa.bindparam("b_seq"))
    .values(
        {
            name: sa.bindparam(name)
            for name in ("revision", "state", "annotations", "annotator", "changed", "updated_at")
        }
    )
)
