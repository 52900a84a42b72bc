"""How sure a model was of items: kept beside them, and the orders "least certain first", "most surprising first".

In rows numbers are millionths: whole numbers make an order that pages can go on in, on both databases.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.marking import seq_among
from tidemill.datasets.tables import ITEM_LABELS, ITEMS, SUGGESTIONS, SuggestionRow
from tidemill.kernel.db import upsert
from tidemill.kernel.errors import Invalid

MILLION = 1_000_000
Order = Literal["uncertainty", "surprise"]
ORDERS: tuple[Order, ...] = ("uncertainty", "surprise")

_item, _doubt, _label = ITEMS.c, SUGGESTIONS.c, ITEM_LABELS.c
_COLUMNS = {"uncertainty": _doubt.doubt, "surprise": _doubt.surprise}


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a model thought of an item, from 0 to 1."""

    seq: int
    uncertainty: float
    surprise: float
    least: float | None = None


def millionths(value: float) -> int:
    return max(0, min(MILLION, round(value * MILLION)))


def keep(session: Session, vid: int, doubts: Iterable[Doubt]) -> None:
    """Notes them, over what an earlier model thought."""
    rows = [
        {
            "vid": vid,
            "seq": one.seq,
            "doubt": millionths(one.uncertainty),
            "surprise": millionths(one.surprise),
            "least": None if one.least is None else millionths(one.least),
        }
        for one in doubts
    ]
    if not rows:
        return
    insert = upsert(session, SuggestionRow)
    newer = {name: insert.excluded[name] for name in ("doubt", "surprise", "least")}
    session.connection().execute(insert.on_conflict_do_update(index_elements=["vid", "seq"], set_=newer), rows)


def forget(session: Session, vid: int, seqs: Sequence[int]) -> None:
    """The items need no more looking at."""
    if seqs:
        here = sa.and_(_doubt.vid == vid, seq_among(session, _doubt.seq, seqs))
        session.connection().execute(sa.delete(SUGGESTIONS).where(here))


def load(session: Session, vid: int, seqs: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Uncertainty and surprise of those of the items that a model has looked at."""
    if not seqs:
        return {}
    found = sa.select(_doubt.seq, _doubt.doubt, _doubt.surprise).where(_doubt.vid == vid, _doubt.seq.in_(list(seqs)))
    return {row.seq: (row.doubt / MILLION, row.surprise / MILLION) for row in session.connection().execute(found)}


def find_seqs(
    session: Session,
    vid: int,
    order: Order,
    conditions: Sequence[Any],
    *,
    label: int | None,
    after: tuple[int, int] | None,
    limit: int,
    back: bool = False,
) -> list[tuple[int, int]]:
    """(number, place) of items in the order, after a place; `conditions` are on items. An index is walked."""
    column = _COLUMNS[order]
    joined = SUGGESTIONS.join(ITEMS, sa.and_(_item.vid == _doubt.vid, _item.seq == _doubt.seq))
    statement = sa.select(_doubt.seq, column).select_from(joined).where(_doubt.vid == vid, *conditions)
    if label is not None:
        statement = statement.where(
            sa.exists().where(_label.vid == vid, _label.label == label, _label.seq == _doubt.seq)
        )
    here = sa.tuple_(column, _doubt.seq)
    if after is not None:
        there = sa.tuple_(sa.literal(after[0]), sa.literal(after[1]))
        statement = statement.where(here > there if back else here < there)
    ways = (column, _doubt.seq) if back else (column.desc(), _doubt.seq.desc())
    rows = session.connection().execute(statement.order_by(*ways).limit(limit))
    return [(row[0], row[1]) for row in rows]


def place_of(session: Session, vid: int, seq: int, order: Order) -> tuple[int, int] | None:
    """Where an item is in the order; None when it is not."""
    found = sa.select(_COLUMNS[order]).where(_doubt.vid == vid, _doubt.seq == seq)
    value = session.connection().execute(found).scalar_one_or_none()
    return None if value is None else (value, seq)


def encode(order: Order, place: tuple[int, int]) -> str:
    return base64.urlsafe_b64encode(f"{order[0]}{place[0]}.{place[1]}".encode()).decode().rstrip("=")


def decode(order: Order, cursor: str) -> tuple[int, int]:
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode("ascii")
        value, _, seq = text[1:].partition(".")
        if text[:1] != order[0] or not (value.isdecimal() and seq.isdecimal()) or len(text) > 30:
            raise ValueError
        return int(value), int(seq)
    except (ValueError, binascii.Error, UnicodeError):
        raise Invalid("cursor_invalid", field="cursor") from None
