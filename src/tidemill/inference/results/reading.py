"""Lines of results, read from shards: some by their places, or all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.inference.tables import SHARDS
from tidemill.kernel.db import Database
from tidemill.store.backends import BlobBackend

NEAR_BYTES = 64 << 10
"""Lines of a shard that are so close are read together."""
SHARDS_AT_ONCE = 500

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item's line is."""

    seq: int
    shard: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Shard:
    number: int
    digest: str
    size_bytes: int
    items: int
    first_seq: int
    last_seq: int


def read_places(db: Database, backend: BlobBackend, rid: int, places: Sequence[Place]) -> dict[int, Line]:
    """The lines at these places, by the numbers of their items."""
    with db.read() as session:
        shards = _load(session, rid, sorted({place.shard for place in places}))
    found: dict[int, Line] = {}
    for number, shard in shards.items():
        mine = sorted((place for place in places if place.shard == number), key=lambda place: place.start)
        for together in _near(mine):
            first, last = together[0].start, together[-1].start + together[-1].length
            content = b"".join(backend.read(shard.digest, first, last - first))
            for place in together:
                at = place.start - first
                found[place.seq] = orjson.loads(content[at : at + place.length])
    return found


def read_all(db: Database, backend: BlobBackend, rid: int, *, after: int = 0) -> Iterator[list[Line]]:
    """All lines of items after one, a shard at a time. No transaction is open while the reader takes its time."""
    for shard in list_after(db, rid, after):
        lines = (orjson.loads(line) for line in b"".join(backend.read(shard.digest)).splitlines())
        yield [line for line in lines if line["seq"] > after]


def list_after(db: Database, rid: int, after: int) -> Iterator[Shard]:
    """Shards with items after one, in order."""
    number = 0
    while True:
        statement = sa.select(*_COLUMNS).where(SHARDS.c.rid == rid, SHARDS.c.number > number, SHARDS.c.last_seq > after)
        with db.read() as session:
            rows = session.connection().execute(statement.order_by(SHARDS.c.number).limit(SHARDS_AT_ONCE)).all()
        if not rows:
            return
        for row in rows:
            yield Shard(*row)
        number = rows[-1].number


_COLUMNS = tuple(SHARDS.c[name] for name in ("number", "digest", "size_bytes", "items", "first_seq", "last_seq"))


def _load(session: Session, rid: int, numbers: Sequence[int]) -> dict[int, Shard]:
    statement = sa.select(*_COLUMNS).where(SHARDS.c.rid == rid, SHARDS.c.number.in_(numbers))
    return {row.number: Shard(*row) for row in session.connection().execute(statement)}


def _near(places: Sequence[Place]) -> Iterator[list[Place]]:
    together: list[Place] = []
    for place in places:
        if together and place.start - (together[-1].start + together[-1].length) > NEAR_BYTES:
            yield together
            together = []
        together.append(place)
    if together:
        yield together
