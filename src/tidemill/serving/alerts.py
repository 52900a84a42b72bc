"""Alerts: rules looked at again and again; opened, closed, listed. A canary that breaks its rule loses its traffic."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.jobs.texts import Text, say, text
from tidemill.kernel.db import announce
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.serving.events import TOPIC, ask, record, tell, touch
from tidemill.serving.lookup import find_track, get_service
from tidemill.serving.metrics.counts import Counts
from tidemill.serving.metrics.querying import load_samples, total
from tidemill.serving.rules import Broken, Judged, judge_alert, judge_rollback
from tidemill.serving.schemas import AlertRule, AlertView
from tidemill.serving.tables import AlertRow, DeploymentRow, ServiceRow, TrackRow

EVERY_S = 5.0
KEPT_FOR = timedelta(days=90)


def look(app: FastAPI) -> None:
    """One look at every rule there is."""
    now = app.state.clock()
    with app.state.db.read() as session:
        ids = [row.id for row in session.scalars(sa.select(ServiceRow)) if _has_rules(session, row)]
    for service_id in ids:
        with app.state.db.write() as session:
            row = session.get(ServiceRow, service_id, with_for_update=True, populate_existing=True)
            if row is not None and row.deleted_at is None:
                look_at(session, row, now)


def look_at(session: Session, row: ServiceRow, now: datetime) -> None:
    """The rules of one service."""
    _look_at_alerts(session, row, now)
    _look_at_canary(session, row, now)


def list_alerts(
    session: Session, page: PageQuery, *, service: str | None, state: Literal["open", "closed"] | None, by: Caller
) -> Page[AlertView]:
    statement = sa.select(AlertRow).where(AlertRow.project_id == by.project.id, AlertRow.state != "pending")
    if service is not None:
        statement = statement.where(AlertRow.service_id == get_service(session, service, by=by).id)
    if state is not None:
        statement = statement.where(AlertRow.state == state)
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": AlertRow.pending_at},
        id_column=AlertRow.id,
        default_sort="-created_at",
        view=lambda rows: alert_views(session, rows, by.language),
    )


def alert_views(session: Session, rows: Sequence[AlertRow], language: Language) -> list[AlertView]:
    found = session.execute(
        sa.select(ServiceRow.id, ServiceRow.name, ProjectRow.name)
        .join(ProjectRow, ProjectRow.id == ServiceRow.project_id)
        .where(ServiceRow.id.in_({row.service_id for row in rows}))
    ).all()
    names = {service_id: (name, project) for service_id, name, project in found}
    return [
        AlertView(
            id=row.id,
            service_id=row.service_id,
            service=names[row.service_id][0],
            project=names[row.service_id][1],
            rule=AlertRule(**row.rule),
            state="open" if row.state == "open" else "closed",
            value=row.value,
            worst=row.worst,
            opened_at=row.opened_at or row.pending_at,
            closed_at=row.closed_at,
            text=say(_words(row), language),
        )
        for row in rows
    ]


def _has_rules(session: Session, row: ServiceRow) -> bool:
    if row.deleted_at is not None:
        return False
    if row.alert_rules or row.rollback_rule:
        return True
    going = sa.select(AlertRow.id).where(AlertRow.service_id == row.id, AlertRow.state != "closed")
    return session.scalar(going.limit(1)) is not None


def _look_at_alerts(session: Session, row: ServiceRow, now: datetime) -> None:
    going = {
        alert.rule_id: alert
        for alert in session.scalars(
            sa.select(AlertRow).where(AlertRow.service_id == row.id, AlertRow.state != "closed")
        )
    }
    rules: dict[str, dict[str, Any]] = {rule["id"]: rule for rule in row.alert_rules}
    for rule_id, alert in going.items():
        if rule_id not in rules:
            _step(session, row, alert.rule, alert, Judged("close" if alert.state == "open" else "forget"), now)
    for rule_id, rule in rules.items():
        counts = _counts(session, row, rule["window_s"], rule["role"], now)
        there = going.get(rule_id)
        judged = judge_alert(
            rule,
            counts,
            state=there.state if there else None,
            pending_at=there.pending_at if there else None,
            now=now,
        )
        _step(session, row, rule, there, judged, now)
    old = AlertRow.closed_at < now - KEPT_FOR
    session.execute(sa.delete(AlertRow).where(AlertRow.service_id == row.id, old))


def _step(
    session: Session, row: ServiceRow, rule: dict[str, Any], alert: AlertRow | None, judged: Judged, now: datetime
) -> None:
    if judged.step == "nothing":
        return
    if judged.step == "forget":
        assert alert is not None
        session.delete(alert)
        return
    if alert is None:
        alert = AlertRow(
            id=new_id("alr"),
            service_id=row.id,
            project_id=row.project_id,
            rule_id=rule["id"],
            rule=rule,
            state="pending",
            value=judged.value,
            worst=judged.value,
            pending_at=now,
            revision=0,
            changed_at=now,
        )
        session.add(alert)
    if judged.step in {"open", "go_on"}:
        alert.value, alert.worst = judged.value, max(alert.worst, judged.value)
    if judged.step == "open":
        alert.state, alert.opened_at = "open", now
    elif judged.step == "close":
        alert.state, alert.closed_at = "closed", now
    if judged.step in {"open", "close"}:
        words = _words(alert) if judged.step == "open" else text("service_alert_closed", alert=_words(alert))
        tell(session, row.id, f"alert_{judged.step}", words, now=now, by="system", role=rule["role"])
        touch(session, row, now)
    alert.revision, alert.changed_at = (alert.revision or 0) + 1, now
    announce(session, TOPIC)


def _look_at_canary(session: Session, row: ServiceRow, now: datetime) -> None:
    rule = row.rollback_rule
    track = find_track(session, row.id, "canary") if rule else None
    if rule is None or track is None or not track.share:
        return
    deployment = session.get_one(DeploymentRow, track.deployment_id)
    since = max(now - timedelta(seconds=rule["window_s"]), track.updated_at)
    samples = load_samples(session, row.id, since, now, now=now)
    broken = judge_rollback(rule, total(samples, {deployment.number}))
    if broken is not None:
        _roll_back(session, row, track, deployment, broken, now)


def _roll_back(
    session: Session, row: ServiceRow, track: TrackRow, deployment: DeploymentRow, broken: Broken, now: datetime
) -> None:
    """Its replicas stay, without traffic, for whoever looks what is wrong."""
    before = track.share
    track.share, track.rolled_back_at, track.updated_at = 0.0, now, now
    words = text(
        f"service_event_rollback_{broken.metric}",
        package=deployment.package,
        value=_amount(broken.metric, broken.value),
        above=_amount(broken.metric, broken.above),
        requests=broken.requests,
        share=f"{before:g}",
    )
    tell(session, row.id, "rollback", words, now=now, by="system", role="canary", number=deployment.number)
    after = {"share": 0.0, broken.metric: broken.value, "requests": broken.requests}
    record(session, "service.rollback", row, by=system_caller(now), before={"share": before}, after=after)
    ask(session, row, now)


def _counts(session: Session, row: ServiceRow, window_s: int, role: Any, now: datetime) -> Counts:
    samples = load_samples(session, row.id, now - timedelta(seconds=window_s), now, now=now)
    if role is None:
        return total(samples)
    track = find_track(session, row.id, role)
    if track is None:
        return Counts()
    return total(samples, {session.get_one(DeploymentRow, track.deployment_id).number})


def _words(alert: AlertRow) -> Text:
    metric = alert.rule["metric"]
    return text(
        f"service_alert_{'errors' if metric == 'error_rate' else 'latency'}",
        metric=metric.removesuffix("_ms"),
        value=_amount(metric, alert.worst),
        above=_amount(metric, alert.rule["above"]),
        window=alert.rule["window_s"],
    )


def _amount(metric: str, value: float) -> str:
    return f"{100 * value:.3g} %" if metric == "error_rate" else f"{value:.4g} ms"
