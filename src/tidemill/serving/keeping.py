"""The gateway is there while there are services."""

import logging

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.accounts.tables import ProjectRow
from tidemill.gateway.keeping import GatewayFailed, Keeper
from tidemill.kernel.db import Database
from tidemill.serving.reconciling.reconciler import Reconciler
from tidemill.serving.tables import ReplicaRow, ServiceRow

log = logging.getLogger("tidemill.services")

EVERY_S = 1.0

_LIVE = sa.select(ReplicaRow.id).where(ReplicaRow.service_id == ServiceRow.id, ReplicaRow.ended_at.is_(None))
_NEEDED = (
    sa.select(ServiceRow.id)
    .join(ProjectRow, ProjectRow.id == ServiceRow.project_id)
    .where(sa.or_(sa.and_(ServiceRow.deleted_at.is_(None), ProjectRow.deleted_at.is_(None)), _LIVE.exists()))
)
"""Services that may be called, or still answer what they have begun."""


class GatewayKeeping:
    """Starts it with the first service, looks after it, and ends it when the last one is gone."""

    def __init__(self, app: FastAPI, reconciler: Reconciler) -> None:
        self._db: Database = app.state.db
        self._keeper = Keeper(app.state.settings)
        self._reconciler = reconciler

    def turn(self) -> None:
        with self._db.read() as session:
            is_needed = session.scalar(_NEEDED.limit(1)) is not None
        if not is_needed:
            if self._keeper.control.state() is not None:
                self._keeper.end()
            return
        try:
            self._keeper.ensure()
        except GatewayFailed as error:
            log.error("the gateway could not be started: %s", error)
            self._reconciler.gateway_problem = str(error)[:300]
            return
        self._reconciler.gateway_problem = None
