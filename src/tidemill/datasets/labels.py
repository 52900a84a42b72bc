"""Labels of a version: listed, replaced, added to, changed. Numbers are given once in a dataset and never again."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets.changes import begin_change
from tidemill.datasets.colours import colour_of
from tidemill.datasets.counting import LABEL, SHAPES, get_counts
from tidemill.datasets.lookup import Opened, open_draft, open_version
from tidemill.datasets.schemas import LABELS_MAX, LabelList, LabelPatch, LabelPut, LabelView
from tidemill.datasets.tables import LABELS, DatasetRow, LabelRow
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.prepared import Prepared

_Key = tuple[int | None, str]


def list_labels(session: Session, place: Place, *, by: Caller) -> LabelList:
    """All labels of a version, in order, with how often each is used."""
    opened = open_version(session, place, project_id=by.project.id)
    return LabelList(items=views(session, opened.vid, load(session, opened.vid)))


def put_labels(
    session: Session, place: Place, labels: Sequence[LabelPut], *, known: Collection[int] | None = None, by: Caller
) -> LabelList:
    """Makes these the version's labels; raises Conflict when one that annotations use would go.

    With `known` (the numbers that the caller had seen), labels that somebody else added since then stay, at the end.
    """
    opened = open_draft(session, place, project_id=by.project.id)
    begin_change(session, opened, by.now)
    there = {row.number: row for row in load(session, opened.vid)}
    for label in labels:
        if label.number is not None and label.number not in there:
            raise Invalid("label_not_found", field="labels", number=label.number)
    kept = [label.number for label in labels if label.number is not None]
    if len(set(kept)) < len(kept):
        raise Invalid("label_number_twice", field="labels")
    added = [row for row in there.values() if known is not None and row.number not in {*kept, *known}]
    gone = [row for row in there.values() if row.number not in kept and row not in added]
    _check_without(gone, added)
    _remove(session, opened.vid, gone)
    rows = _write(session, opened, labels, there)
    for row in added:
        row.position = len(rows)
        rows.append(row)
    if len(rows) > LABELS_MAX:
        raise Invalid("labels_too_many", field="labels", max=LABELS_MAX)
    session.flush()
    _check(rows)
    _record(session, opened, by=by, after={"labels": [row.name for row in rows][:200]})
    return LabelList(items=views(session, opened.vid, rows))


def add_labels(session: Session, place: Place, labels: Sequence[LabelPut], *, by: Caller) -> LabelList:
    """The labels of these names, in their order: found where they are there already, made where not."""
    opened = open_draft(session, place, project_id=by.project.id)
    begin_change(session, opened, by.now)
    rows = load(session, opened.vid)
    by_key: dict[_Key, LabelRow] = {(row.parent, row.name): row for row in rows}
    made: list[LabelRow] = []
    result: list[LabelRow] = []
    for label in labels:
        parent = _parent_number(label, rows)
        row = by_key.get((parent, label.name))
        if row is None:
            row = _new_row(session, opened, label, parent, position=len(rows))
            by_key[parent, label.name] = row
            rows.append(row)
            made.append(row)
        result.append(row)
    if len(rows) > LABELS_MAX:
        raise Invalid("labels_too_many", field="labels", max=LABELS_MAX)
    session.add_all(made)
    session.flush()
    _check(rows)
    if made:
        _record(session, opened, by=by, after={"added": [row.name for row in made][:200]})
    return LabelList(items=views(session, opened.vid, result))


def update_label(session: Session, place: Place, number: int, patch: LabelPatch, *, by: Caller) -> LabelView:
    """Changes one label; what is not given stays."""
    opened = open_draft(session, place, project_id=by.project.id)
    begin_change(session, opened, by.now)
    rows = load(session, opened.vid)
    row = _get(rows, number)
    given = patch.model_dump(exclude_unset=True)
    before = {field: getattr(row, field) for field in given}
    position = given.pop("position", None)
    for field, value in given.items():
        if value is None and field in {"name", "colour", "attributes"}:
            continue
        setattr(row, field, value)
    if position is not None:
        rows.remove(row)
        rows.insert(min(position, len(rows)), row)
        for place_now, each in enumerate(rows):
            each.position = place_now
    _check(rows)
    session.flush()
    _record(session, opened, by=by, before=before, after=patch.model_dump(exclude_unset=True, mode="json"))
    return views(session, opened.vid, [row])[0]


def delete_label(session: Session, place: Place, number: int, *, by: Caller) -> None:
    """Removes a label that no annotation uses."""
    opened = open_draft(session, place, project_id=by.project.id)
    begin_change(session, opened, by.now)
    rows = load(session, opened.vid)
    row = _get(rows, number)
    if any(other.parent == number for other in rows):
        raise Conflict("label_has_children", name=row.name)
    _remove(session, opened.vid, [row])
    _record(session, opened, by=by, before={"name": row.name})


def load(session: Session, vid: int) -> list[LabelRow]:
    """The version's labels, in order."""
    ordered = sa.select(LabelRow).where(LabelRow.vid == vid).order_by(LabelRow.position, LabelRow.number)
    return list(session.scalars(ordered))


def check_known(session: Session, vid: int, numbers: Iterable[int]) -> None:
    """Raises Invalid when the version lacks one of the labels."""
    wanted = set(numbers)
    if not wanted:
        return
    missing = {number for number in wanted if not _KNOWN.rows(session, vid=vid, number=number)}
    if missing:
        raise Invalid("label_unknown", field="annotations", labels=", ".join(map(str, sorted(missing)[:20])))


_KNOWN = Prepared(
    sa.select(LABELS.c.number).where(
        LABELS.c.vid == sa.bindparam("vid"), LABELS.c.number == sa.bindparam("number", type_=sa.BigInteger())
    )
)


def views(session: Session, vid: int, rows: Sequence[LabelRow]) -> list[LabelView]:
    counts = get_counts(session, vid, (LABEL, SHAPES))
    items, shapes = counts.get(LABEL, {}), counts.get(SHAPES, {})
    return [
        LabelView(
            number=row.number,
            name=row.name,
            parent=row.parent,
            colour=row.colour,
            shortcut=row.shortcut,
            attributes=row.attributes,
            skeleton=row.skeleton,
            items=items.get(str(row.number), 0),
            annotations=shapes.get(str(row.number), 0),
        )
        for row in rows
    ]


def _write(session: Session, opened: Opened, labels: Sequence[LabelPut], there: dict[int, LabelRow]) -> list[LabelRow]:
    rows: list[LabelRow] = []
    for label in labels:
        parent = _parent_number(label, rows, session_rows=there)
        if label.number is None:
            row = _new_row(session, opened, label, parent, position=len(rows))
            session.add(row)
        else:
            row = there[label.number]
            row.name, row.parent, row.shortcut, row.position = label.name, parent, label.shortcut, len(rows)
            row.colour = label.colour or row.colour
            row.attributes = [attribute.model_dump() for attribute in label.attributes]
            row.skeleton = label.skeleton.model_dump() if label.skeleton else None
        rows.append(row)
    session.flush()
    return rows


def _parent_number(
    label: LabelPut, rows: Iterable[LabelRow], *, session_rows: dict[int, LabelRow] | None = None
) -> int | None:
    if label.parent_name is None:
        return label.parent
    found = next((row for row in rows if row.parent is None and row.name == label.parent_name), None)
    if found is None and session_rows:
        tops = (row for row in session_rows.values() if row.parent is None and row.name == label.parent_name)
        found = next(tops, None)
    if found is None:
        raise Invalid("label_parent", field="labels", name=label.name)
    return found.number


def _new_row(session: Session, opened: Opened, label: LabelPut, parent: int | None, *, position: int) -> LabelRow:
    number = _take_number(session, opened.did)
    return LabelRow(
        vid=opened.vid,
        number=number,
        position=position,
        name=label.name,
        parent=parent,
        colour=label.colour or colour_of(number),
        shortcut=label.shortcut,
        attributes=[attribute.model_dump() for attribute in label.attributes],
        skeleton=label.skeleton.model_dump() if label.skeleton else None,
    )


def _take_number(session: Session, did: int) -> int:
    taken = session.execute(
        sa.update(DatasetRow)
        .where(DatasetRow.did == did)
        .values(next_label=DatasetRow.next_label + 1)
        .returning(DatasetRow.next_label)
        .execution_options(synchronize_session=False)
    ).scalar_one()
    return int(taken) - 1


def _remove(session: Session, vid: int, rows: Sequence[LabelRow]) -> None:
    used = get_counts(session, vid, (SHAPES,)).get(SHAPES, {})
    for row in rows:
        if count := used.get(str(row.number), 0):
            raise Conflict("label_in_use", field="labels", name=row.name, count=count)
        session.delete(row)
    session.flush()


def _check_without(gone: Sequence[LabelRow], added: Sequence[LabelRow]) -> None:
    """A label that somebody put another under meanwhile is not taken away from over it."""
    for row in gone:
        if any(child.parent == row.number for child in added):
            raise Conflict("label_has_children", name=row.name)


def _check(rows: Sequence[LabelRow]) -> None:
    """Names differ among siblings; there are two levels."""
    tops = {row.number for row in rows if row.parent is None}
    for row in rows:
        if row.parent is not None and row.parent not in tops:
            raise Invalid("label_parent", field="labels", name=row.name)
    (key, count), *_ = Counter((row.parent, row.name) for row in rows).most_common(1) or [((None, ""), 0)]
    if count > 1:
        raise Invalid("label_name_taken", field="labels", name=key[1])


def _get(rows: Iterable[LabelRow], number: int) -> LabelRow:
    found = next((row for row in rows if row.number == number), None)
    if found is None:
        raise NotFound("label_not_found", number=number)
    return found


def _record(session: Session, opened: Opened, *, by: Caller, **change: Any) -> None:
    audit.record(
        session,
        "dataset.labels",
        by=by,
        target_kind="dataset_version",
        target_id=opened.version_id,
        target_name=opened.name,
        **change,
    )
