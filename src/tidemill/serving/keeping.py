"""The gateway is there while there are services."""

import logging

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.gateway.keeping import GatewayFailed, Keeper
from tidemill.kernel.db import Database
from tidemill.serving.reconciling.reconciler import Reconciler
from tidemill.serving.tables import ServiceRow

log = logging.getLogger("tidemill.services")

EVERY_S = 1.0


class GatewayKeeping:
    """Starts it with the first service, looks after it, and ends it when the last one is gone."""

    def __init__(self, app: FastAPI, reconciler: Reconciler) -> None:
        self._db: Database = app.state.db
        self._keeper = Keeper(app.state.settings)
        self._reconciler = reconciler

    def turn(self) -> None:
        with self._db.read() as session:
            is_needed = session.scalar(sa.select(ServiceRow.id).limit(1)) is not None
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
