"""Deliveries on their way: claimed, sent, tried again with growing pauses, given up after a day.

A receiver hears of an event at least once: after a process was killed between sending and writing it down, the same
event is sent again with the same id.
"""

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.hooks.outbox import TOPIC
from tidemill.hooks.sending import Letter, Outcome, Send
from tidemill.hooks.tables import DeliveryRow, WebhookRow
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database

log = logging.getLogger("tidemill.hooks")

WORKERS = 3
LOOK_EVERY_S = 2.0
ATTEMPTS_MAX = 8
FIRST_PAUSE_S = 15
LEASE = timedelta(seconds=60)
PEACE = timedelta(seconds=60)
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of a delivery after an attempt."""

    state: str
    next_at: datetime


def plan(outcome: Outcome, *, attempts: int, give_up_at: datetime, now: datetime) -> Plan:
    """Pauses grow fourfold: 15 s, 1 min, 4 min, 16 min, about 1, 4 and 17 hours."""
    if outcome.error is None:
        return Plan("delivered", now)
    next_at = now + timedelta(seconds=FIRST_PAUSE_S * 4 ** (attempts - 1))
    if attempts >= ATTEMPTS_MAX or next_at > give_up_at:
        return Plan("failed", now)
    return Plan("waiting", next_at)


class Deliverer:
    """The workers of one process. All methods may be called from any thread."""

    def __init__(self, db: Database, clock: Clock, send: Send) -> None:
        self._db = db
        self._clock = clock
        self._send = send
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._closing = threading.Event()
        self._news = threading.Condition()
        db.listen(TOPIC, self._wake)

    def work(self) -> None:
        """One worker's turn: delivers what is due, then listens for news for a moment."""
        while not self._closing.is_set() and self.deliver_next():
            pass
        with self._news:
            if not self._closing.is_set():
                self._news.wait(LOOK_EVERY_S)

    def deliver_next(self) -> bool:
        """Sends the delivery that is due the longest, one at a time to each webhook; False when none is."""
        with self._lock:
            found = self._find_due()
            if found is None:
                return False
            delivery_id, hook_id = found
            self._busy.add(hook_id)
        try:
            self.deliver(delivery_id)
        finally:
            with self._lock:
                self._busy.discard(hook_id)
        return True

    def deliver(self, delivery_id: str) -> None:
        """Makes one attempt now, if nobody else does."""
        claimed = self._claim(delivery_id)
        if claimed is None:
            return
        letter, attempts = claimed
        outcome = self._send(letter, self._clock())
        self._note(delivery_id, attempts, outcome)

    def close(self) -> None:
        self._closing.set()
        self._wake()

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def _find_due(self) -> tuple[str, str] | None:
        now = self._clock()
        with self._db.read() as session:
            found = session.execute(
                sa.select(DeliveryRow.id, DeliveryRow.webhook_id)
                .join(WebhookRow, WebhookRow.id == DeliveryRow.webhook_id)
                .where(
                    DeliveryRow.state == "waiting",
                    DeliveryRow.next_at <= now,
                    sa.or_(WebhookRow.paused_until.is_(None), WebhookRow.paused_until <= now),
                    WebhookRow.id.not_in(self._busy),
                )
                .order_by(DeliveryRow.next_at, DeliveryRow.id)
                .limit(1)
            ).one_or_none()
        return None if found is None else (found[0], found[1])

    def _claim(self, delivery_id: str) -> tuple[Letter, int] | None:
        now = self._clock()
        with self._db.write() as session:
            claimed = session.execute(
                sa.update(DeliveryRow)
                .where(DeliveryRow.id == delivery_id, DeliveryRow.state == "waiting", DeliveryRow.next_at <= now)
                .values(next_at=now + LEASE, attempts=DeliveryRow.attempts + 1)
            )
            if not getattr(claimed, "rowcount", 0):
                return None
            row = session.get_one(DeliveryRow, delivery_id)
            hook = session.get_one(WebhookRow, row.webhook_id)
            return Letter(row.id, hook.url, row.event, row.payload, hook.secret), row.attempts

    def _note(self, delivery_id: str, attempts: int, outcome: Outcome) -> None:
        now = self._clock()
        with self._db.write() as session:
            row = session.get(DeliveryRow, delivery_id, with_for_update=True)
            if row is None or row.state != "waiting" or row.attempts != attempts:
                log.info("delivery %s was taken up by somebody else meanwhile", delivery_id)
                return
            after = plan(outcome, attempts=attempts, give_up_at=row.give_up_at, now=now)
            row.state, row.next_at = after.state, after.next_at
            row.status_code, row.error, row.duration_ms = outcome.status_code, outcome.error, outcome.duration_ms
            row.finished_at = None if after.state == "waiting" else now
            _note_on_hook(session, row, now)


def forget_old(db: Database, now: datetime) -> None:
    """Drops deliveries past their time, a batch a transaction."""
    while True:
        with db.write() as session:
            old = session.scalars(
                sa.select(DeliveryRow.id)
                .where(DeliveryRow.created_at < now - KEPT_FOR, DeliveryRow.state != "waiting")
                .limit(1000)
            ).all()
            if not old:
                return
            session.execute(sa.delete(DeliveryRow).where(DeliveryRow.id.in_(old)))


def _note_on_hook(session: Session, row: DeliveryRow, now: datetime) -> None:
    well = row.state == "delivered"
    pause_end = min(row.next_at, now + PEACE) if row.state == "waiting" else now + PEACE
    session.execute(
        sa.update(WebhookRow)
        .where(WebhookRow.id == row.webhook_id)
        .values(last_state="delivered" if well else "failed", last_at=now, paused_until=None if well else pause_end)
    )
