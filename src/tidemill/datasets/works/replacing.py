"""What an import does with items that are there already: their annotations kept, replaced or joined."""

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets import bulk
from tidemill.datasets.annotations import pack, summarise, unpack
from tidemill.datasets.lookup import Opened
from tidemill.datasets.removing import remove_items
from tidemill.datasets.states import SUGGESTED, UNLABELLED

_BESIDE = frozenset({"id", "source", "score"})
"""What does not make two annotations different."""


def settle_existing(
    session: Session, opened: Opened, given: Sequence[bulk.Given], *, existing: str, counts: dict[str, int], by: Caller
) -> None:
    """Makes way for what comes, as the import wants it; where annotations are joined, `given` is changed.

    An item's content never changes: where other content comes under its path, the item goes and a new one comes.
    """
    if existing == "keep":
        return
    there = bulk.find_paths(session, opened.vid, [one.path for one in given])
    if existing == "merge":
        for one in given:
            _join_into(one, there.get(one.path))
        return
    gone = [row.seq for one in given if (row := there.get(one.path)) and one.item.sha256 not in (None, row.digest)]
    if gone:
        counts["replaced"] = counts.get("replaced", 0) + remove_items(session, opened, gone, by=by)


def _join_into(one: bulk.Given, row: Any) -> None:
    if row is None or row.body is None or one.body is None:
        return
    joined = join(unpack(row.body), unpack(one.body))
    one.body, one.summary = pack(joined), summarise(joined)
    if row.state not in (UNLABELLED, SUGGESTED):
        one.state = row.state


def join(there: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The annotations that are there, then those of the others that are not among them."""
    known = {_likeness(one) for one in there}
    taken = {one.get("id") for one in there}
    result = list(there)
    for one in more:
        if _likeness(one) in known:
            continue
        if one.get("id") in taken:
            one = {name: value for name, value in one.items() if name != "id"}
        result.append(one)
    return result


def _likeness(annotation: dict[str, Any]) -> bytes:
    return orjson.dumps(
        {name: value for name, value in annotation.items() if name not in _BESIDE}, option=orjson.OPT_SORT_KEYS
    )
