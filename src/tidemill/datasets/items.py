"""Items of a version: pages, one item, the next one.

A page is found by the number of the last item before it. Which index is walked is decided by the counters: the filter
that leaves the fewest items leads, the others are looked up beside it (in the same index where there is a label).
"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import counting, doubts, people
from tidemill.datasets.lookup import Opened, open_version
from tidemill.datasets.schemas import ItemFilter
from tidemill.datasets.states import ITEM_STATES, STATE_CODES, ItemState
from tidemill.datasets.tables import ITEM_LABELS, ITEMS, REVISIONS
from tidemill.kernel.db import escape_like
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.paging import COUNT_CAP

FEW_FOUND = 1000
NOBODY = 0
"""No user has this number: a filter by somebody who never annotated finds nothing."""

_item, _label, _revision = ITEMS.c, ITEM_LABELS.c, REVISIONS.c
COLUMNS = (
    _item.seq,
    _item.path,
    _item.digest,
    _item.size_bytes,
    _item.media,
    _item.width,
    _item.height,
    _item.duration,
    _item.info,
    _item.state,
    _item.owner,
    _item.annotator,
    _item.revision,
    _item.annotations,
    _item.updated_at,
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items are meant; everything given must be so."""

    state: int | None = None
    label: int | None = None
    annotator: int | None = None
    owner: int | None = None
    q: str | None = None

    @property
    def is_empty(self) -> bool:
        return self == _ALL


_ALL = Filter()


@dataclass(frozen=True, slots=True)
class PageWish:
    """Which page, and whether with annotations."""

    limit: int
    cursor: str | None = None
    after: int | None = None
    """Instead of a cursor: from this item on."""
    descending: bool = False
    with_annotations: bool = False
    order: doubts.Order | None = None
    """Instead of by number: what a model was least certain of, or most surprised by, first."""
    with_doubt: bool = False


def make_filter(
    session: Session,
    *,
    state: ItemState | None = None,
    label: int | None = None,
    annotator: str | None = None,
    owner: str | None = None,
    q: str | None = None,
) -> Filter:
    """A filter from what a caller wrote."""
    return Filter(
        state=None if state is None else STATE_CODES[state],
        label=label,
        annotator=_person(session, annotator),
        owner=_person(session, owner),
        q=q or None,
    )


def list_items(session: Session, place: Place, given: ItemFilter, page: PageWish, *, by: Caller) -> bytes:
    """One page, as JSON: annotations go out as they are kept, without being read."""
    opened = open_version(session, place, project_id=by.project.id)
    wanted = make_filter(session, **dict(given))
    if page.order is not None:
        return orjson.dumps(_list_by_doubt(session, opened.vid, wanted, page, page.order))
    after = page.after if page.cursor is None else _decode(page.cursor)
    seqs = find_seqs(session, opened.vid, wanted, after=after, limit=page.limit + 1, descending=page.descending)
    shown = seqs[: page.limit]
    total, capped = count_items(session, opened.vid, wanted)
    answer = {
        "items": load_items(
            session, opened.vid, shown, with_annotations=page.with_annotations, with_doubt=page.with_doubt
        ),
        "next": _encode(shown[-1]) if len(seqs) > page.limit else None,
        "total": total,
        "total_capped": capped,
    }
    return orjson.dumps(answer)


def get_item(session: Session, place: Place, seq: int, *, by: Caller) -> bytes:
    """One item with its annotations, as JSON."""
    opened = open_version(session, place, project_id=by.project.id)
    return orjson.dumps(load_one(session, opened, seq))


def get_next(
    session: Session,
    place: Place,
    given: ItemFilter,
    *,
    after: int,
    back: bool = False,
    order: doubts.Order | None = None,
    by: Caller,
) -> bytes:
    """The first item after (or before) one that the filter finds, as JSON; null when there is none."""
    opened = open_version(session, place, project_id=by.project.id)
    wanted = make_filter(session, **dict(given))
    if order is not None:
        found = _next_by_doubt(session, opened.vid, wanted, order, after=after, back=back)
    else:
        found = find_seqs(session, opened.vid, wanted, after=after, limit=1, descending=back)
    return orjson.dumps(load_one(session, opened, found[0]) if found else None)


def load_one(session: Session, opened: Opened, seq: int) -> dict[str, Any]:
    """One item with its annotations."""
    found = load_items(session, opened.vid, [seq], with_annotations=True)
    if not found:
        raise NotFound("item_not_found", seq=seq, name=opened.name)
    return found[0]


def find_seqs(
    session: Session, vid: int, wanted: Filter, *, after: int | None, limit: int, descending: bool = False
) -> list[int]:
    """Numbers of the items that the filter finds, in order, after (or before) one."""
    if 0 in _counts(session, vid, wanted).values():
        return []
    if wanted.q is not None:
        few = _few_by_path(session, vid, wanted.q)
        if few is not None:
            return _narrow(session, vid, wanted, few, after=after, limit=limit, descending=descending)
    source, conditions, seq = _walk(session, vid, wanted)
    statement = sa.select(seq).select_from(source).where(*conditions)
    if after is not None:
        statement = statement.where(seq < after if descending else seq > after)
    ordered = statement.order_by(seq.desc() if descending else seq).limit(limit)
    return list(session.connection().execute(ordered).scalars())


def count_items(session: Session, vid: int, wanted: Filter) -> tuple[int, bool]:
    """How many the filter finds: a counter where there is one, else counted up to a cap (then True)."""
    known = _known_count(session, vid, wanted)
    if known is not None:
        return known, False
    if 0 in _counts(session, vid, wanted).values():
        return 0, False
    if wanted.q is not None and (few := _few_by_path(session, vid, wanted.q)) is not None:
        return len(_narrow(session, vid, wanted, few, after=None, limit=FEW_FOUND, descending=False)), False
    source, conditions, _ = _walk(session, vid, wanted)
    capped = sa.select(sa.literal_column("1")).select_from(source).where(*conditions).limit(COUNT_CAP + 1).subquery()
    counted = session.scalar(sa.select(sa.func.count()).select_from(capped)) or 0
    return min(counted, COUNT_CAP), counted > COUNT_CAP


def load_items(
    session: Session, vid: int, seqs: Sequence[int], *, with_annotations: bool = False, with_doubt: bool = False
) -> list[dict[str, Any]]:
    """These items, in this order, ready to be sent; those that are gone are left out."""
    if not seqs:
        return []
    statement = sa.select(*COLUMNS).where(_item.vid == vid, _item.seq.in_(seqs))
    if with_annotations:
        joined = ITEMS.outerjoin(REVISIONS, _revision.id == _item.revision)
        statement = statement.add_columns(_revision.body).select_from(joined)
    rows = {row.seq: row for row in session.connection().execute(statement)}
    names = people.names_of(session, (n for row in rows.values() for n in (row.owner, row.annotator)))
    found = [item_json(rows[seq], names, with_annotations=with_annotations) for seq in seqs if seq in rows]
    if with_doubt:
        known = doubts.load(session, vid, seqs)
        for item in found:
            item["uncertainty"], item["surprise"] = known.get(item["seq"], (None, None))
    return found


def item_json(row: Any, names: Mapping[int, str], *, with_annotations: bool) -> dict[str, Any]:
    """A row as it goes out."""
    shown: dict[str, Any] = {
        "seq": row.seq,
        "path": row.path,
        "digest": row.digest,
        "size_bytes": row.size_bytes,
        "media": row.media,
        "width": row.width,
        "height": row.height,
        "duration": row.duration,
        "info": orjson.Fragment(row.info or "{}"),
        "state": ITEM_STATES[row.state],
        "owner": names.get(row.owner),
        "annotator": names.get(row.annotator),
        "revision": row.revision,
        "annotations_count": row.annotations,
        "updated_at": row.updated_at,
        "annotations": orjson.Fragment(row.body or "[]") if with_annotations else None,
    }
    return shown


def _list_by_doubt(session: Session, vid: int, wanted: Filter, page: PageWish, order: doubts.Order) -> dict[str, Any]:
    after = None if page.cursor is None else doubts.decode(order, page.cursor)
    if after is None and page.after:
        after = doubts.place_of(session, vid, page.after, order)
    found = doubts.find_seqs(
        session, vid, order, _on_item(session, wanted), label=wanted.label, after=after, limit=page.limit + 1
    )
    shown = found[: page.limit]
    seqs = [seq for seq, _ in shown]
    total, capped = count_items(session, vid, wanted)
    return {
        "items": load_items(session, vid, seqs, with_annotations=page.with_annotations, with_doubt=True),
        "next": doubts.encode(order, (shown[-1][1], shown[-1][0])) if len(found) > page.limit else None,
        "total": total,
        "total_capped": capped,
    }


def _next_by_doubt(
    session: Session, vid: int, wanted: Filter, order: doubts.Order, *, after: int, back: bool
) -> list[int]:
    """After an item that has left the order (it was accepted, say), the order begins again."""
    place = doubts.place_of(session, vid, after, order) if after else None
    if back and place is None:
        return []
    conditions = _on_item(session, wanted)
    if after:
        conditions.append(_item.seq != after)
    found = doubts.find_seqs(session, vid, order, conditions, label=wanted.label, after=place, limit=1, back=back)
    return [seq for seq, _ in found]


def _on_item(session: Session, wanted: Filter) -> list[Any]:
    """The filter as conditions on the item alone, but for the label."""
    given = ((_item.state, wanted.state), (_item.annotator, wanted.annotator))
    return [column == value for column, value in given if value is not None] + _beside(session, wanted)


def _person(session: Session, name_or_id: str | None) -> int | None:
    if name_or_id is None:
        return None
    return people.find_number(session, name_or_id) or NOBODY


def _known_count(session: Session, vid: int, wanted: Filter) -> int | None:
    given = {
        counting.STATE: wanted.state,
        counting.LABEL: wanted.label,
        counting.ANNOTATOR: wanted.annotator,
    }
    used = {dimension: key for dimension, key in given.items() if key is not None}
    if wanted.q is not None or wanted.owner is not None or len(used) > 1:
        return None
    for dimension, key in used.items():
        return counting.get_count(session, vid, dimension, key)
    return counting.get_count(session, vid, counting.TOTAL, counting.ITEMS)


def _walk(session: Session, vid: int, wanted: Filter) -> tuple[Any, list[Any], Any]:
    """Where to walk, under which conditions, and the column that is the item's number there."""
    beside = _beside(session, wanted)
    leads = _leading(session, vid, wanted)
    if wanted.label is not None and leads != "label":
        has = sa.exists().where(_label.vid == vid, _label.label == wanted.label, _label.seq == _item.seq)
        beside = [*beside, has]
    elif wanted.label is not None:
        walked: list[Any] = [_label.vid == vid, _label.label == wanted.label]
        if wanted.state is not None:
            walked.append(_label.state == wanted.state)
        if wanted.annotator is not None:
            walked.append(_label.annotator == wanted.annotator)
        if not beside:
            return ITEM_LABELS, walked, _label.seq
        joined = ITEM_LABELS.join(ITEMS, sa.and_(_item.vid == _label.vid, _item.seq == _label.seq))
        return joined, walked + beside, _label.seq
    walked = [_item.vid == vid]
    for name, column, value in (
        ("state", _item.state, wanted.state),
        ("annotator", _item.annotator, wanted.annotator),
    ):
        if value is not None:
            # A condition that must not lead is written so that no index can serve it.
            walked.append(column == value if name == leads else sa.type_coerce(column + 0, column.type) == value)
    return ITEMS, walked + beside, _item.seq


def _leading(session: Session, vid: int, wanted: Filter) -> str | None:
    """The filter whose index is walked: that of the label, which has the others beside it, unless another finds far
    fewer items."""
    given = {"label": wanted.label, "state": wanted.state, "annotator": wanted.annotator}
    counts = _counts(session, vid, wanted)
    if len(counts) < 2:
        return next((name for name, value in given.items() if value is not None), None)
    fewest = min(counts, key=lambda name: counts[name])
    return fewest if "label" not in counts or 8 * counts[fewest] < counts["label"] else "label"


def _counts(session: Session, vid: int, wanted: Filter) -> dict[str, int]:
    """How many items each part of the filter finds by itself; asked only where there are several."""
    dimensions = {
        "label": (counting.LABEL, wanted.label),
        "state": (counting.STATE, wanted.state),
        "annotator": (counting.ANNOTATOR, wanted.annotator),
    }
    asked = {name: (dimension, key) for name, (dimension, key) in dimensions.items() if key is not None}
    if len(asked) < 2:
        return {}
    return {name: counting.get_count(session, vid, dimension, key or 0) for name, (dimension, key) in asked.items()}


def _beside(session: Session, wanted: Filter) -> list[Any]:
    conditions: list[Any] = []
    if wanted.owner is not None:
        conditions.append(_item.owner == wanted.owner)
    if wanted.q is not None:
        conditions.append(_named(session, wanted.q))
    return conditions


def _few_by_path(session: Session, vid: int, text: str) -> list[int] | None:
    """Items whose paths contain the text, where they are few: found in the index of paths alone."""
    named = sa.select(_item.seq).where(_item.vid == vid, _named(session, text)).limit(FEW_FOUND + 1)
    found = list(session.connection().execute(named).scalars())
    return None if len(found) > FEW_FOUND else found


def _named(session: Session, text: str) -> sa.ColumnElement[bool]:
    """The path contains the text, whatever its case (as far as each database goes)."""
    pattern = f"%{escape_like(text)}%"
    if session.get_bind().dialect.name == "sqlite":
        return _item.path.like(pattern, escape="\\")
    return _item.path.ilike(pattern, escape="\\")


def _narrow(
    session: Session,
    vid: int,
    wanted: Filter,
    among: Iterable[int],
    *,
    after: int | None,
    limit: int,
    descending: bool,
) -> list[int]:
    """Those of a few items that fulfil the rest of the filter."""
    conditions: list[Any] = [_item.vid == vid, _item.seq.in_(sorted(among))]
    for column, value in (
        (_item.state, wanted.state),
        (_item.annotator, wanted.annotator),
        (_item.owner, wanted.owner),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.label is not None:
        has = sa.exists().where(_label.vid == vid, _label.label == wanted.label, _label.seq == _item.seq)
        conditions.append(has)
    if after is not None:
        conditions.append(_item.seq < after if descending else _item.seq > after)
    ordered = sa.select(_item.seq).where(*conditions).order_by(_item.seq.desc() if descending else _item.seq)
    return list(session.connection().execute(ordered.limit(limit)).scalars())


def _encode(seq: int) -> str:
    return base64.urlsafe_b64encode(f"i{seq}".encode()).decode().rstrip("=")


def _decode(cursor: str) -> int:
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode("ascii")
        if not text.startswith("i") or not text[1:].isdecimal() or len(text) > 17:
            raise ValueError
        return int(text[1:])
    except (ValueError, binascii.Error, UnicodeError):
        raise Invalid("cursor_invalid", field="cursor") from None
