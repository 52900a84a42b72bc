"""Counters are taken over from the gateway and from replicas' model servers, each count once, whoever dies in between.

Where a counter stood is kept in the transaction that adds what came since. Another instance (a gateway that was started
anew, a replica) begins at zero, and all it has counted is new.
"""

import http.client
import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.gateway.control import Control
from tidemill.gateway.counting import SHADOW
from tidemill.gateway.schemas import Counter
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.serving import shadow
from tidemill.serving.metrics.counts import Counts, since
from tidemill.serving.metrics.keeping import Key, put, roll_up
from tidemill.serving.tables import DeploymentRow, KeyRow, MarkRow, ReplicaRow, ServiceRow

log = logging.getLogger("tidemill.services")

EVERY_S = 5.0
ROLL_UP_EVERY = timedelta(seconds=20)
MARKS_KEPT = timedelta(days=2)
ANSWER_MAX_BYTES = 1 << 20
TIMEOUT_S = 2.0
BATCH = "tidemill_model_batch_size"


@dataclass(frozen=True, slots=True)
class Reading:
    """Where one replica's counters stand."""

    service_id: str
    number: int
    replica_id: str
    source: str
    """gateway; shadow, for copies that it was shown; server."""
    instance: str
    counts: Counts


class Collector:
    """Takes the figures over, every few seconds."""

    def __init__(self, app: FastAPI) -> None:
        self._db: Database = app.state.db
        self._clock: Clock = app.state.clock
        self._control = Control(app.state.settings.home / "gateway")
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="replica-metrics")
        self._rolled_at: datetime | None = None

    def turn(self) -> None:
        counters, key_days = self._control.counters(), self._control.key_days()
        with self._db.read() as session:
            days = _news(session, key_days)
            numbers = _numbers(session)
            running = _running(session)
            known = set(session.scalars(sa.select(ServiceRow.id)))
            is_compared = shadow.is_anywhere(session)
        served = self._pool.map(_read_server, running)
        readings = [*read_gateway(counters, numbers), *(one for one in served if one is not None)]
        differences = self._control.differences() if is_compared else []
        now = self._clock()
        readings = [one for one in readings if one.service_id in known]
        if readings or counters or days:
            with self._db.write() as session:
                note_key_days(session, days)
                for one in readings:
                    take(session, one, now)
                shadow.take(session, counters, differences, numbers)
        if self._rolled_at is None or now >= self._rolled_at + ROLL_UP_EVERY:
            self._rolled_at = now
            with self._db.write() as session:
                roll_up(session, now)
                session.execute(sa.delete(MarkRow).where(MarkRow.seen_at < now - MARKS_KEPT))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def take(session: Session, reading: Reading, now: datetime) -> None:
    """Adds what was counted since the last time, and remembers where the counters stand."""
    # Two gateways may count at a time, one after the other going.
    source = reading.source if reading.source == "server" else f"{reading.source}:{reading.instance}"
    mark = session.get(MarkRow, (reading.replica_id or reading.service_id, source))
    is_same = mark is not None and mark.instance == reading.instance
    fresh = since(reading.counts, Counts.from_json(mark.seen) if mark is not None and is_same else None)
    if mark is None:
        mark = MarkRow(
            replica_id=reading.replica_id or reading.service_id, service_id=reading.service_id, source=source
        )
        session.add(mark)
    mark.instance, mark.seen, mark.seen_at = reading.instance, reading.counts.to_json(), now
    if not fresh.is_nothing:
        key = Key(reading.service_id, reading.number, reading.replica_id, reading.source == SHADOW)
        put(session, key, fresh, now)


def read_gateway(counters: Sequence[Counter], numbers: dict[str, int]) -> Iterable[Reading]:
    """Where the gateway's counters stand."""
    for one in counters:
        is_shadow = one.role == SHADOW
        # A caller whom no replica answered got an answer of the gateway's, counted as such; a copy got none.
        unanswered = one.failed if is_shadow else 0
        counts = Counts(
            requests=sum(one.requests.values()) + unanswered,
            errors=one.requests.get("5xx", 0) + unanswered,
            refused=one.requests.get("4xx", 0),
            retried=one.retried,
            bytes_in=one.bytes_in,
            bytes_out=one.bytes_out,
            latency_sum_s=one.latency_sum_s,
            latency=one.latency if any(one.latency) else (),
            in_flight=one.in_flight,
        )
        # What the gateway answered itself, because nobody was ready, is nobody's: number 0.
        number = numbers.get(one.version_id, 0)
        replica = one.replica_id or f"{one.service_id}:{one.version_id}"
        yield Reading(one.service_id, number, replica, SHADOW if is_shadow else "gateway", one.epoch, counts)


def note_key_days(session: Session, days: Mapping[str, str]) -> None:
    """The days on which keys were used last; never an earlier one than is known."""
    for day in set(days.values()):
        keys = [key_id for key_id, one in days.items() if one == day]
        known = KeyRow.last_used_on
        session.execute(
            sa.update(KeyRow).where(KeyRow.id.in_(keys), sa.or_(known.is_(None), known < day)).values(last_used_on=day)
        )


def _news(session: Session, days: Mapping[str, str]) -> dict[str, str]:
    """Those that are not known yet."""
    if not days:
        return {}
    known = dict(session.execute(sa.select(KeyRow.id, KeyRow.last_used_on).where(KeyRow.id.in_(days))).all())
    return {key_id: days[key_id] for key_id, day in known.items() if (day or "") < days[key_id]}


def parse_batches(text: str) -> tuple[int, float]:
    """How many batches there were and how many rows in all of them, from a model server's text for Prometheus."""
    batches, rows = 0.0, 0.0
    for line in text.splitlines():
        if line.startswith(f"{BATCH}_count"):
            batches += _value(line)
        elif line.startswith(f"{BATCH}_sum"):
            rows += _value(line)
    return int(batches), rows


def _value(line: str) -> float:
    try:
        return float(line.rpartition(" ")[2])
    except ValueError:
        return 0.0


def _numbers(session: Session) -> dict[str, int]:
    return dict(session.execute(sa.select(DeploymentRow.id, DeploymentRow.number)).all())


def _running(session: Session) -> Sequence[ReplicaRow]:
    return session.scalars(
        sa.select(ReplicaRow).where(ReplicaRow.ended_at.is_(None), ReplicaRow.state == "ready")
    ).all()


def _read_server(replica: ReplicaRow) -> Reading | None:
    """Of a model server of ours: how large its batches are. Other applications have other metrics, or none."""
    text = _get(replica.host or "", replica.reached_port or 0)
    batches, rows = parse_batches(text)
    if not batches:
        return None
    counts = Counts(batches=batches, batch_rows=rows)
    return Reading(replica.service_id, replica.number, replica.id, "server", replica.workload_id, counts)


def _get(host: str, port: int) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        return answer.read(ANSWER_MAX_BYTES).decode("utf-8", "replace") if answer.status == 200 else ""
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        connection.close()
