"""Labelled items whose labels a model has reason to doubt: listed, the surest first, and dismissed."""

import base64
import binascii
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import items, labels
from tidemill.datasets.doubts import MILLION
from tidemill.datasets.lookup import open_draft, open_version
from tidemill.datasets.marking import seq_among
from tidemill.datasets.schemas import ItemView
from tidemill.datasets.tables import ITEMS, LABEL_ERRORS
from tidemill.kernel.errors import Invalid
from tidemill.kernel.paging import COUNT_CAP
from tidemill.models.auto.schemas import LabelErrorPage, LabelErrorView, LabelName

_error, _item = LABEL_ERRORS.c, ITEMS.c


def list_label_errors(
    session: Session, place: Place, *, kind: str | None, cursor: str | None, limit: int, by: Caller
) -> LabelErrorPage:
    """A page of them; those whose item was changed since are no longer there."""
    opened = open_version(session, place, project_id=by.project.id)
    joined = LABEL_ERRORS.join(ITEMS, sa.and_(_item.vid == _error.vid, _item.seq == _error.seq))
    same = [_error.vid == opened.vid, _item.revision == _error.revision]
    if kind is not None:
        same.append(_error.kind == kind)
    counted = sa.select(sa.literal_column("1")).select_from(joined).where(*same).limit(COUNT_CAP + 1).subquery()
    total = session.scalar(sa.select(sa.func.count()).select_from(counted)) or 0
    statement = sa.select(LABEL_ERRORS, _item.path).select_from(joined).where(*same)
    order = sa.tuple_(_error.score, _error.seq, _error.kind)
    if cursor is not None:
        statement = statement.where(order < sa.tuple_(*map(sa.literal, _decode(cursor))))
    ordered = statement.order_by(_error.score.desc(), _error.seq.desc(), _error.kind.desc()).limit(limit + 1)
    rows = session.connection().execute(ordered).all()
    shown = rows[:limit]
    names = {row.number: row.name for row in labels.load(session, opened.vid)}
    loaded = items.load_items(session, opened.vid, sorted({row.seq for row in shown}))
    found = {item["seq"]: _item_view(item) for item in loaded}
    return LabelErrorPage(
        items=[_view(row, names, found[row.seq]) for row in shown if row.seq in found],
        next=_encode(shown[-1]) if len(rows) > limit else None,
        total=min(total, COUNT_CAP),
        total_capped=total > COUNT_CAP,
    )


def dismiss(session: Session, place: Place, seqs: list[int], *, by: Caller) -> int:
    """The items are fine as they are; how many entries went."""
    opened = open_draft(session, place, project_id=by.project.id)
    here = sa.and_(_error.vid == opened.vid, seq_among(session, _error.seq, seqs))
    changed = int(session.connection().execute(sa.delete(LABEL_ERRORS).where(here)).rowcount)
    audit.record(
        session,
        "dataset.label_errors_dismiss",
        by=by,
        target_kind="dataset_version",
        target_id=opened.version_id,
        target_name=opened.name,
        project_id=opened.project_id,
        after={"items": changed},
    )
    return changed


def _view(row: Any, names: dict[int, str], item: ItemView) -> LabelErrorView:
    about = orjson.loads(row.about)
    return LabelErrorView(
        seq=row.seq,
        path=row.path,
        kind=row.kind,
        score=row.score / MILLION,
        given=_label(row.given, names),
        predicted=_label(row.predicted, names),
        annotation=about.get("annotation"),
        annotation_id=about.get("id"),
        source=row.source,
        item=item,
    )


def _label(number: int | None, names: dict[int, str]) -> LabelName | None:
    return None if number is None else LabelName(number=number, name=names.get(number, str(number)))


def _item_view(item: dict[str, Any]) -> ItemView:
    return ItemView.model_validate(orjson.loads(orjson.dumps(item)))


def _encode(row: Any) -> str:
    return base64.urlsafe_b64encode(f"{row.score}.{row.seq}.{row.kind}".encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[int, int, str]:
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode("ascii")
        score, seq, kind = text.split(".")
        if not (score.isdecimal() and seq.isdecimal()) or len(text) > 60 or kind not in {"class", "missing", "extra"}:
            raise ValueError
        return int(score), int(seq), kind
    except (ValueError, binascii.Error, UnicodeError):
        raise Invalid("cursor_invalid", field="cursor") from None
