"""Which contents the items of a version have: what duplicates are counted by.

Kept beside the items and not as an index of theirs, because digests are in no order: a new version copies these rows in
theirs, page after page, where an index would be written all over for every item.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.rows import insert_many
from tidemill.datasets.tables import CONTENTS, ContentRow
from tidemill.store.sql import among, table_of

_content = CONTENTS.c


def key_of(digest: str) -> int:
    """The first 60 bits: enough to tell contents of one version apart."""
    return int(digest[:15], 16)


def enter(session: Session, vid: int, items: Iterable[tuple[int, str]]) -> None:
    """New items, each its number and digest."""
    rows = sorted((vid, key_of(digest), seq) for seq, digest in items)
    insert_many(session, ContentRow, ("vid", "key", "seq"), rows)


def forget(session: Session, vid: int, items: Iterable[tuple[int, str]]) -> None:
    """Items that go; those that are not there are passed over."""
    gone = table_of(session, [(key_of(digest), seq) for seq, digest in items], key=sa.BigInteger(), seq=sa.BigInteger())
    these = sa.tuple_(_content.key, _content.seq).in_(sa.select(gone.c.key, gone.c.seq))
    session.connection().execute(sa.delete(CONTENTS).where(_content.vid == vid, these))


def count_repeated(session: Session, vid: int, digests: Sequence[str]) -> int:
    """How many of these new items have content that is there already, or came earlier among them."""
    keys = {key_of(digest) for digest in digests}
    return len(digests) - len(keys - _standing(session, vid, keys).keys())


def count_freed(session: Session, vid: int, digests: Sequence[str]) -> int:
    """By how many there are fewer duplicates when these go: of each content, all but the last that there is."""
    going = Counter(map(key_of, digests))
    standing = _standing(session, vid, going)
    return sum(count - (standing[key] == count) for key, count in going.items())


def _standing(session: Session, vid: int, keys: Iterable[int]) -> Counter[int]:
    there = sa.select(_content.key).where(_content.vid == vid, among(session, _content.key, sorted(keys)))
    return Counter(session.connection().execute(there).scalars())
