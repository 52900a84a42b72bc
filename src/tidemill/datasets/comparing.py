"""Where two versions of a dataset differ, item by item: an item is the same in both when it has the same path."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import people
from tidemill.datasets.annotations import unpack
from tidemill.datasets.lookup import open_version
from tidemill.datasets.schemas import ItemChange, ItemChangePage, ItemSide
from tidemill.datasets.states import ITEM_STATES
from tidemill.datasets.tables import ITEMS, REVISIONS
from tidemill.store.paths import check_path

_new, _old = ITEMS.alias("new_items"), ITEMS.alias("old_items")
CHANGES_COUNTED = 10_000


def compare(
    session: Session, place: Place, older: str, *, change: str | None, after: str | None, limit: int, by: Caller
) -> ItemChangePage:
    """One page of what differs, by path; `older` is the number of the version to compare with."""
    new = open_version(session, place, project_id=by.project.id)
    old = open_version(session, Place(place.kind, place.asset, older), project_id=by.project.id)
    start = check_path(after, field="cursor") if after else ""
    rows = _differing(session, new.vid, old.vid, change, start, limit + 1)
    shown = rows[:limit]
    return ItemChangePage(
        items=_views(session, shown),
        next=shown[-1].path if len(rows) > limit else None,
        **({} if after else _totals(session, new.vid, old.vid)),
    )


def _differing(session: Session, new: int, old: int, change: str | None, after: str, limit: int) -> list[Any]:
    parts = [
        sa.select(sub)
        for kind, statement in _statements(new, old).items()
        if change in (None, kind)
        for sub in [statement(after).limit(limit).subquery()]
    ]
    together = sa.union_all(*parts).subquery()
    return list(session.execute(sa.select(together).order_by(together.c.path).limit(limit)))


def _totals(session: Session, new: int, old: int) -> dict[str, Any]:
    """How many of each, counted up to a cap."""
    found: dict[str, Any] = {}
    for kind, statement in _statements(new, old).items():
        capped = statement("").order_by(None).limit(CHANGES_COUNTED + 1).subquery()
        found[kind] = session.scalar(sa.select(sa.func.count()).select_from(capped)) or 0
    found["capped"] = any(count > CHANGES_COUNTED for count in found.values())
    return {name: min(count, CHANGES_COUNTED) if name != "capped" else count for name, count in found.items()}


def _statements(new: int, old: int) -> dict[str, Any]:
    same_path = sa.and_(_old.c.vid == old, _old.c.path == _new.c.path)
    in_new = sa.exists().where(_new.c.vid == new, _new.c.path == _old.c.path)
    differs = sa.or_(
        _old.c.digest != _new.c.digest,
        sa.func.coalesce(_old.c.revision, 0) != sa.func.coalesce(_new.c.revision, 0),
        _old.c.state != _new.c.state,
    )

    def added(after: str) -> Any:
        missing = ~sa.exists().where(same_path)
        return _sides("added", _new, None).where(_new.c.vid == new, _new.c.path > after, missing).order_by(_new.c.path)

    def removed(after: str) -> Any:
        return (
            _sides("removed", None, _old).where(_old.c.vid == old, _old.c.path > after, ~in_new).order_by(_old.c.path)
        )

    def changed(after: str) -> Any:
        both = _sides("changed", _new, _old).select_from(_new.join(_old, same_path))
        return both.where(_new.c.vid == new, _new.c.path > after, differs).order_by(_new.c.path)

    return {"added": added, "removed": removed, "changed": changed}


def _sides(change: str, new: Any, old: Any) -> Any:
    named = new if new is not None else old
    columns = [sa.literal(change).label("change"), named.c.path.label("path")]
    for side, table in (("new", new), ("old", old)):
        for name in ("seq", "digest", "state", "revision", "annotations"):
            value = table.c[name] if table is not None else sa.cast(sa.null(), ITEMS.c[name].type)
            columns.append(value.label(f"{side}_{name}"))
    return sa.select(*columns)


def _views(session: Session, rows: Sequence[Any]) -> list[ItemChange]:
    wanted = {row.new_revision for row in rows} | {row.old_revision for row in rows}
    loaded = sa.select(REVISIONS).where(REVISIONS.c.id.in_({one for one in wanted if one is not None}))
    revisions = {row.id: row for row in session.execute(loaded)}
    names = people.names_of(session, (row.author for row in revisions.values()))
    return [_view(row, revisions, names) for row in rows]


def _view(row: Any, revisions: dict[int, Any], names: dict[int, str]) -> ItemChange:
    new, old = revisions.get(row.new_revision), revisions.get(row.old_revision)
    came, went, altered = _difference(old.body if old else None, new.body if new else None)
    is_annotated_anew = row.change == "changed" and row.new_revision != row.old_revision
    last = new if is_annotated_anew or row.change == "added" else None
    return ItemChange(
        path=row.path,
        change=row.change,
        new=_side(row, "new"),
        old=_side(row, "old"),
        content_changed=row.change == "changed" and row.new_digest != row.old_digest,
        annotations_added=came,
        annotations_removed=went,
        annotations_changed=altered,
        author=names.get(last.author) if last else None,
        at=last.at if last else None,
        reason=last.reason if last else None,
    )


def _side(row: Any, side: str) -> ItemSide | None:
    seq = getattr(row, f"{side}_seq")
    if seq is None:
        return None
    return ItemSide(
        seq=seq,
        digest=getattr(row, f"{side}_digest"),
        state=ITEM_STATES[getattr(row, f"{side}_state")],
        revision=getattr(row, f"{side}_revision"),
        annotations_count=getattr(row, f"{side}_annotations"),
    )


def _difference(old: str | None, new: str | None) -> tuple[int, int, int]:
    """How many annotations came, went and were altered, by their ids."""
    before = {one["id"]: one for one in unpack(old)}
    after = {one["id"]: one for one in unpack(new)}
    altered = sum(before[key] != after[key] for key in before.keys() & after.keys())
    return len(after.keys() - before.keys()), len(before.keys() - after.keys()), altered
