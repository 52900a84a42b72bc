"""Thousands of items at once, as import workers send them: each is added, found there already, or refused by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.media import media_type
from tidemill.datasets import contents, counting, inline, labels, people, trees
from tidemill.datasets.annotations import EMPTY, Summary, pack, summarise, unpack
from tidemill.datasets.changes import begin_change
from tidemill.datasets.lookup import Opened
from tidemill.datasets.rows import insert_many, take_revision_ids
from tidemill.datasets.schemas import BULK_MAX, BulkAdd, BulkItem, BulkRefusal, BulkResult
from tidemill.datasets.states import LABELLED, STATE_CODES, SUGGESTED, UNLABELLED
from tidemill.datasets.tables import (
    ITEM_LABELS,
    ITEMS,
    REVISIONS,
    DatasetVersionRow,
    ItemLabelRow,
    ItemRow,
    RevisionRow,
)
from tidemill.kernel.errors import Invalid, TidemillError
from tidemill.kernel.i18n import message
from tidemill.kernel.lean import read_body
from tidemill.store.paths import check_path
from tidemill.store.sql import among, moment, table_of
from tidemill.store.trees import Entry

RESERVED = frozenset({"annotations.jsonl", "dataset.json"})
INFO_MAX_BYTES = 64 * 1024
AT_ONCE = 1000
"""In one transaction."""
AT_ONCE_BESIDE_OTHERS = 100
"""The same while people save annotations: as many as keep nobody waiting for long."""
REST_BESIDE_OTHERS_S = 0.02
READ_AT_ONCE = 50
"""Checked in one go: while pydantic reads, no other thread of the process does anything."""

_item = ITEMS.c
_revision = REVISIONS.c

ITEM_COLUMNS = (
    "vid", "seq", "path", "digest", "size_bytes", "media", "width", "height", "duration", "info", "state",
    "owner", "annotator", "revision", "annotations", "changed", "updated_at",
)  # fmt: skip
REVISION_COLUMNS = ("id", "did", "parent", "author", "at", "reason", "state", "key", "body")
LABEL_COLUMNS = ("vid", "label", "seq", "state", "annotator")


@dataclass(slots=True)
class Given:
    """An item as it was sent, checked by itself."""

    index: int
    item: BulkItem
    path: str
    info: str | None
    body: str | None
    summary: Summary
    state: int
    content: bytes | None = None
    """What came with it; None where the content was sent before."""


@dataclass(slots=True)
class Sorted:
    """What is to be done with what was sent."""

    new: list[Given] = field(default_factory=list)
    annotated: list[tuple[Given, Any]] = field(default_factory=list)
    """With the row that is there."""
    unchanged: int = 0
    refused: list[BulkRefusal] = field(default_factory=list)


def read(content: bytes, *, in_pieces: bool) -> BulkAdd:
    """What was sent; in pieces, so that who saves an annotation meanwhile has their turn. Refused as a whole."""
    if not in_pieces:
        return read_body(BulkAdd, content)
    try:
        sent = orjson.loads(content)
    except orjson.JSONDecodeError:
        return read_body(BulkAdd, content)
    items = sent.get("items") if isinstance(sent, dict) else None
    if not isinstance(items, list) or len(items) <= READ_AT_ONCE or len(items) > BULK_MAX:
        return read_body(BulkAdd, content)
    whole = read_body(BulkAdd, orjson.dumps({**sent, "items": items[:READ_AT_ONCE]}))
    for start in range(READ_AT_ONCE, len(items), READ_AT_ONCE):
        piece = orjson.dumps({"items": items[start : start + READ_AT_ONCE]})
        whole.items += read_body(BulkAdd, piece, shift={"items": start}).items
    return whole


def prepare(items: Sequence[BulkItem], *, by: Caller) -> tuple[list[Given], list[BulkRefusal]]:
    """Checks what can be checked without the database: no transaction waits for it."""
    given: dict[str, Given] = {}
    refused: list[BulkRefusal] = []
    for index, item in enumerate(items):
        try:
            one = _check(index, item)
            if one.path in given:
                raise _refusal("item_path_twice", path=one.path)
        except TidemillError as error:
            refused.append(_refused(index, item.path, error, by))
            continue
        given[one.path] = one
    return list(given.values()), refused


def add_items(
    session: Session,
    opened: Opened,
    given: Sequence[Given],
    *,
    existing: str,
    reason: str,
    by: Caller,
    placed: Mapping[str, str] | None = None,
) -> BulkResult:
    """Writes them in one transaction. What was sent before and is there is left alone: sending twice adds nothing.

    `placed`: contents that came with items and are in place, as `inline.place` tells them.
    """
    changed = begin_change(session, opened, by.now)
    labels.check_known(session, opened.vid, {label for one in given for label in one.summary.labels})
    work = _sort(session, opened, given, existing=existing, by=by)
    delta = counting.Delta()
    _put_files(session, opened, work.new, placed or {}, by=by)
    first = _insert_items(session, opened, work.new, delta, changed=changed, reason=reason, by=by)
    _annotate_items(session, opened, work.annotated, delta, changed=changed, reason=reason, by=by)
    delta.write(session, opened.vid)
    return BulkResult(
        added=len(work.new),
        annotated=len(work.annotated),
        unchanged=work.unchanged,
        refused=work.refused,
        first_seq=first,
        last_seq=None if first is None else first + len(work.new) - 1,
    )


def join_results(results: Sequence[BulkResult], refused: Sequence[BulkRefusal]) -> BulkResult:
    """What became of all, in one."""
    firsts = [result.first_seq for result in results if result.first_seq is not None]
    lasts = [result.last_seq for result in results if result.last_seq is not None]
    every = [*refused, *(one for result in results for one in result.refused)]
    return BulkResult(
        added=sum(result.added for result in results),
        annotated=sum(result.annotated for result in results),
        unchanged=sum(result.unchanged for result in results),
        refused=sorted(every, key=lambda one: one.index),
        first_seq=min(firsts, default=None),
        last_seq=max(lasts, default=None),
    )


@lru_cache(maxsize=1000)
def _media_of(suffix: str) -> str:
    return media_type(f"x.{suffix}")


def _check(index: int, item: BulkItem) -> Given:
    path = check_path(item.path)
    if path in RESERVED:
        raise _refusal("item_path_reserved", path=path)
    info = orjson.dumps(item.info).decode() if item.info else None
    if info and len(info) > INFO_MAX_BYTES:
        raise _refusal("info_too_large", max_bytes=INFO_MAX_BYTES)
    content = inline.take_content(item)
    body = None if item.annotations is None else pack(item.annotations)
    summary = summarise(item.annotations) if item.annotations else EMPTY
    state = STATE_CODES[item.state] if item.state else LABELLED if summary.count else UNLABELLED
    return Given(index, item, path, info, body, summary, state, content)


def _sort(session: Session, opened: Opened, given: Sequence[Given], *, existing: str, by: Caller) -> Sorted:
    work = Sorted()
    there = find_paths(session, opened.vid, [one.path for one in given])
    for one in given:
        row = there.get(one.path)
        digest = one.item.sha256
        if row is None and digest is not None:
            work.new.append(one)
        elif row is None:
            work.refused.append(_refused(one.index, one.path, _refusal("item_not_there", path=one.path), by))
        elif digest is not None and row.digest != digest:
            work.refused.append(_refused(one.index, one.path, _refusal("item_path_taken", path=one.path), by))
        elif _is_news(one, row, existing):
            work.annotated.append((one, row))
        else:
            work.unchanged += 1
    return work


def _is_news(one: Given, row: Any, existing: str) -> bool:
    """Whether an item that is there is to get these annotations."""
    if one.body is None:
        return False
    if row.body is not None and unpack(row.body) == unpack(one.body) and row.state == one.state:
        return False
    return existing == "replace" or row.revision is None or row.state == SUGGESTED


def find_paths(session: Session, vid: int, paths: Sequence[str]) -> dict[str, Any]:
    """Items by their paths, with their annotations."""
    # By their numbers, found in the index of paths alone: asked for more at once, SQLite walks all of the version.
    seqs = sa.select(_item.seq).where(_item.vid == vid, among(session, _item.path, paths))
    joined = ITEMS.outerjoin(REVISIONS, _revision.id == _item.revision)
    columns = (_item.seq, _item.path, _item.digest, _item.state, _item.annotator, _item.revision, _revision.body)
    statement = sa.select(*columns).select_from(joined).where(_item.vid == vid, _item.seq.in_(seqs))
    return {row.path: row for row in session.connection().execute(statement)}


def _put_files(
    session: Session, opened: Opened, new: Sequence[Given], placed: Mapping[str, str], *, by: Caller
) -> None:
    if not new:
        return
    arrived = inline.settle(session, opened, new, placed)
    entries = [Entry(one.path, one.item.sha256 or "", one.item.size_bytes) for one in new]
    trees.put_files(session, opened, entries, by.now, arrived=arrived)


def _insert_items(
    session: Session,
    opened: Opened,
    new: Sequence[Given],
    delta: counting.Delta,
    *,
    changed: int,
    reason: str,
    by: Caller,
) -> int | None:
    """New items, their revisions and labels; the number of the first."""
    if not new:
        return None
    first = _take_seqs(session, opened.vid, len(new))
    now = moment(session, by.now)
    author = people.number_of(session, by)
    revisions = iter(take_revision_ids(session, sum(one.body is not None for one in new)))
    item_rows, revision_rows, label_rows = [], [], []
    for seq, one in enumerate(new, start=first):
        revision = None if one.body is None else next(revisions)
        item = one.item
        assert item.sha256 is not None
        item_rows.append(
            (opened.vid, seq, one.path, item.sha256, item.size_bytes,
             item.media or _media_of(one.path.rpartition(".")[2]), item.width, item.height, item.duration, one.info,
             one.state, None, None, revision, one.summary.count, changed, now)
        )  # fmt: skip
        if revision is not None:
            revision_rows.append((revision, opened.did, None, author, now, reason, one.state, None, one.body))
        label_rows += [(opened.vid, label, seq, one.state, None) for label in one.summary.labels]
        delta.item(1, state=one.state, annotator=None, size_bytes=item.size_bytes, summary=one.summary)
    digests = [one.item.sha256 or "" for one in new]
    delta.add(counting.TOTAL, counting.DUPLICATES, contents.count_repeated(session, opened.vid, digests))
    contents.enter(session, opened.vid, enumerate(digests, start=first))
    insert_many(session, RevisionRow, REVISION_COLUMNS, revision_rows)
    insert_many(session, ItemRow, ITEM_COLUMNS, item_rows)
    label_rows.sort()
    insert_many(session, ItemLabelRow, LABEL_COLUMNS, label_rows)
    return first


def _annotate_items(
    session: Session,
    opened: Opened,
    annotated: Sequence[tuple[Given, Any]],
    delta: counting.Delta,
    *,
    changed: int,
    reason: str,
    by: Caller,
) -> None:
    """Items that were there get annotations: each a revision on what was before."""
    if not annotated:
        return
    now, author = moment(session, by.now), people.number_of(session, by)
    ids = list(take_revision_ids(session, len(annotated)))
    revision_rows, label_rows, changes = [], [], []
    for revision, (one, row) in zip(ids, annotated, strict=True):
        before = summarise(unpack(row.body))
        delta.content(-1, state=row.state, annotator=row.annotator, summary=before)
        delta.content(1, state=one.state, annotator=None, summary=one.summary)
        revision_rows.append((revision, opened.did, row.revision, author, now, reason, one.state, None, one.body))
        label_rows += [(opened.vid, label, row.seq, one.state, None) for label in one.summary.labels]
        changes.append((row.seq, revision, one.state, one.summary.count))
    insert_many(session, RevisionRow, REVISION_COLUMNS, revision_rows)
    point_items(session, opened.vid, changes, changed=changed, by=by)
    forget_labels(session, opened.vid, {label for _, row in annotated for label in summarise(unpack(row.body)).labels},
                  [row.seq for _, row in annotated])  # fmt: skip
    label_rows.sort()
    insert_many(session, ItemLabelRow, LABEL_COLUMNS, label_rows)


def point_items(
    session: Session, vid: int, changes: Sequence[tuple[int, int, int, int]], *, changed: int, by: Caller
) -> None:
    """Points items at their new revisions: (seq, revision, state, count of annotations)."""
    # One by one, by their keys: SQLite would compare all items of the version with a list that it were given.
    same = {"b_vid": vid, "changed": changed, "updated_at": by.now}
    names = ("b_seq", "revision", "state", "annotations")
    session.connection().execute(_POINT, [{**same, **dict(zip(names, one, strict=True))} for one in changes])


_POINT = (
    sa.update(ITEMS)
    .where(_item.vid == sa.bindparam("b_vid"), _item.seq == sa.bindparam("b_seq"))
    .values(
        annotator=None,
        **{name: sa.bindparam(name) for name in ("revision", "state", "annotations", "changed", "updated_at")},
    )
)


def forget_labels(session: Session, vid: int, numbers: set[int], seqs: Sequence[int]) -> None:
    """Takes items out of the index of labels."""
    if not numbers:
        return
    table = ITEM_LABELS
    seqs_given = table_of(session, [[seq] for seq in seqs], seq=sa.BigInteger())
    session.connection().execute(
        sa.delete(table).where(
            table.c.vid == vid, table.c.label.in_(sorted(numbers)), table.c.seq.in_(sa.select(seqs_given.c.seq))
        )
    )


def _take_seqs(session: Session, vid: int, count: int) -> int:
    after = session.execute(
        sa.update(DatasetVersionRow)
        .where(DatasetVersionRow.vid == vid)
        .values(next_seq=DatasetVersionRow.next_seq + count)
        .returning(DatasetVersionRow.next_seq)
        .execution_options(synchronize_session=False)
    ).scalar_one()
    return int(after) - count


def _refusal(code: str, **params: Any) -> TidemillError:
    return Invalid(code, **params)


def _refused(index: int, path: str, error: TidemillError, by: Caller) -> BulkRefusal:
    words = message(error.code, by.language, **error.params)
    return BulkRefusal(index=index, path=path, code=error.code, message=words)
