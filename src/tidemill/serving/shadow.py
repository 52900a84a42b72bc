"""Shadow traffic: the canary is shown what production is asked, and its answers are compared and thrown away."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.gateway.control import Control
from tidemill.gateway.counting import SHADOW
from tidemill.gateway.schemas import Counter, Difference
from tidemill.jobs.texts import text
from tidemill.kernel.errors import Conflict
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.serving.events import ask, record, tell
from tidemill.serving.lookup import get_deployment, get_track
from tidemill.serving.schemas import DifferenceView, ShadowView
from tidemill.serving.tables import ServiceRow, ShadowRow

SHOWN = 20
_COUNTED = ("same", "different", "failed", "skipped", "latency_sum_s", "live_latency_sum_s")


def start(session: Session, row: ServiceRow, percent: float, *, by: Caller) -> None:
    """A comparison begins; one that goes on is ended."""
    canary, production = get_track(session, row, "canary"), get_track(session, row, "production")
    _end(session, row, by.now)
    row.shadow_percent = percent
    number = get_deployment(session, canary).number
    session.add(
        ShadowRow(
            id=new_id("shr"),
            service_id=row.id,
            production_number=get_deployment(session, production).number,
            canary_number=number,
            percent=percent,
            figures={"marks": _marks(session, row)},
            started_at=by.now,
            started_by=by.user_name,
        )
    )
    ask(session, row, by.now)
    words = text("service_event_shadow", percent=f"{percent:g}")
    tell(session, row.id, "shadow", words, now=by.now, by=by.user_name, role="canary", number=number)
    record(session, "service.shadow_start", row, by=by, after={"percent": percent})
    session.flush()


def stop(session: Session, row: ServiceRow, *, by: Caller) -> None:
    if row.shadow_percent is None:
        raise Conflict("service_no_shadow", name=row.name)
    row.shadow_percent = None
    _end(session, row, by.now)
    ask(session, row, by.now)
    tell(session, row.id, "shadow_ended", text("service_event_shadow_ended"), now=by.now, by=by.user_name)
    record(session, "service.shadow_stop", row, by=by)


def list_reports(
    session: Session, row: ServiceRow, page: PageQuery, differences: Sequence[DifferenceView] = ()
) -> Page[ShadowView]:
    """Comparisons, with examples: those of one that goes on as they are now, of others as they were last seen."""
    return fetch_page(
        session,
        sa.select(ShadowRow).where(ShadowRow.service_id == row.id),
        page,
        sorts={"created_at": ShadowRow.started_at},
        id_column=ShadowRow.id,
        default_sort="-created_at",
        view=lambda rows: [_view(one, differences if one.ended_at is None else _kept(one)) for one in rows],
    )


def find_differences(app: FastAPI, row: ServiceRow) -> list[DifferenceView]:
    """The newest requests that were answered otherwise, as the gateway remembers them."""
    if row.shadow_percent is None:
        return []
    found = Control(app.state.settings.home / "gateway").differences()
    return [_difference(one) for one in found if one.service_id == row.id][:SHOWN]


def is_anywhere(session: Session) -> bool:
    """Whether a comparison goes on."""
    return session.scalar(sa.select(ShadowRow.id).where(ShadowRow.ended_at.is_(None)).limit(1)) is not None


def take(
    session: Session, counters: Sequence[Counter], differences: Sequence[Difference], numbers: dict[str, int]
) -> None:
    """Takes over what the gateway has compared, each comparison once, and the newest examples: when it has ended the
    gateway knows nothing of it any more."""
    going = session.scalars(sa.select(ShadowRow).where(ShadowRow.ended_at.is_(None))).all()
    for row in going:
        mine = [
            one
            for one in counters
            if one.service_id == row.service_id
            and one.role == SHADOW
            and numbers.get(one.version_id) == row.canary_number
        ]
        examples = [
            _difference(one).model_dump(mode="json")
            for one in differences
            if one.service_id == row.service_id
            and numbers.get(one.version_id) == row.canary_number
            and one.at >= row.started_at
        ]
        row.figures = {**advance(row.figures, mine), "examples": examples[:SHOWN] or row.figures.get("examples", [])}


def advance(figures: dict[str, Any], counters: Sequence[Counter]) -> dict[str, Any]:
    """The figures with what was counted since each counter was last seen. Where the comparison began, it counts from
    the first look on."""
    marks: dict[str, dict[str, float]] = dict(figures.get("marks", {}))
    sums = {name: figures.get(name, 0) for name in _COUNTED}
    for one in counters:
        key = f"{one.epoch}/{one.replica_id}"
        stands = {name: getattr(one.shadow, name) for name in _COUNTED}
        before = marks.get(key) or dict.fromkeys(_COUNTED, 0)
        for name in _COUNTED:
            sums[name] += max(0, stands[name] - before[name])
        marks[key] = stands
    return {**sums, "marks": marks}


def _marks(session: Session, row: ServiceRow) -> dict[str, Any]:
    """Where the counters stood when the comparison before this one ended: what is before that is not ours."""
    last = session.scalar(
        sa.select(ShadowRow).where(ShadowRow.service_id == row.id).order_by(ShadowRow.id.desc()).limit(1)
    )
    return dict(last.figures.get("marks", {})) if last else {}


def _end(session: Session, row: ServiceRow, now: datetime) -> None:
    session.execute(
        sa.update(ShadowRow).where(ShadowRow.service_id == row.id, ShadowRow.ended_at.is_(None)).values(ended_at=now)
    )


def _view(row: ShadowRow, differences: Sequence[DifferenceView]) -> ShadowView:
    figures = row.figures
    compared = figures.get("same", 0) + figures.get("different", 0)
    return ShadowView(
        id=row.id,
        production_number=row.production_number,
        canary_number=row.canary_number,
        percent=row.percent,
        started_at=row.started_at,
        started_by=row.started_by,
        ended_at=row.ended_at,
        requests=compared + figures.get("failed", 0),
        same=figures.get("same", 0),
        different=figures.get("different", 0),
        failed=figures.get("failed", 0),
        skipped=figures.get("skipped", 0),
        production_mean_ms=_mean_ms(figures.get("live_latency_sum_s", 0.0), compared),
        canary_mean_ms=_mean_ms(figures.get("latency_sum_s", 0.0), compared),
        differences=list(differences),
    )


def _difference(one: Difference) -> DifferenceView:
    return DifferenceView(
        at=one.at,
        request_id=one.request_id,
        method=one.method,
        path=one.path,
        production_status=one.live_status,
        canary_status=one.shadow_status,
        production_ms=1000 * one.live_latency_s,
        canary_ms=1000 * one.shadow_latency_s,
    )


def _kept(row: ShadowRow) -> list[DifferenceView]:
    return [DifferenceView.model_validate(one) for one in row.figures.get("examples", ())]


def _mean_ms(seconds: float, count: int) -> float | None:
    return 1000 * seconds / count if count else None
