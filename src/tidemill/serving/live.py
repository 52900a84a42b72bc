"""Services and their alerts as live news."""

from collections.abc import Callable, Iterable
from datetime import datetime

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language
from tidemill.serving.alerts import alert_views
from tidemill.serving.tables import AlertRow, ServiceRow
from tidemill.serving.views import Reader, views


def changed_services(app: FastAPI) -> Callable[[Session, datetime], Iterable[News]]:
    """What people can see of services and changed since a time."""

    def look(session: Session, since: datetime) -> Iterable[News]:
        rows = session.scalars(
            sa.select(ServiceRow).where(ServiceRow.changed_at >= since, ServiceRow.deleted_at.is_(None))
        ).all()
        alerts = session.scalars(
            sa.select(AlertRow).where(AlertRow.changed_at >= since, AlertRow.state != "pending")
        ).all()
        return [*(_news(app, session, row) for row in rows), *(_alert_news(session, alert) for alert in alerts)]

    return look


def _news(app: FastAPI, session: Session, row: ServiceRow) -> News:
    def data(language: Language) -> str:
        return views(session, [row], Reader(app.state.settings, language, app.state.clock()))[0].model_dump_json()

    return News("service", row.id, row.revision, row.changed_at, row.project_id, "service.read", data)


def _alert_news(session: Session, row: AlertRow) -> News:
    def data(language: Language) -> str:
        return alert_views(session, [row], language)[0].model_dump_json()

    return News("service_alert", row.id, row.revision, row.changed_at, row.project_id, "service.read", data)
