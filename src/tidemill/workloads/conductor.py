"""What keeps workloads going: looks at the engine, moves what moved, admits who may start, launches and stops.

One thread, woken by every submit, stop and end, and every second all the same. It compares what the database says
should run with what the engine says does, so it does not matter what it missed while it was away.
"""

import logging
import threading
import time
from collections.abc import Sequence

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.engines.base import Engine, EngineError, Seen
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database, in_batches
from tidemill.workloads import admission, observing
from tidemill.workloads.board import board
from tidemill.workloads.capacity import load_situation, write_machines
from tidemill.workloads.launching import Launcher
from tidemill.workloads.lifecycle import HOLDING, TOPIC
from tidemill.workloads.observing import Held, Verdict
from tidemill.workloads.planning import plan
from tidemill.workloads.secrets import TokenMint
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

log = logging.getLogger("tidemill.workloads")

LOOK_EVERY_S = 1.0
REST_AT_MOST_S = 0.02
"""Between two looks it rests as long as the last one took, and no longer: what happens meanwhile is dealt with in one
go, and the more there is, the more goes together."""
SAY_STOP_EVERY_S = 10.0
"""How often the engine is told again to stop what does not end."""
SWEEP_EVERY_S = 30.0
"""How often machines are asked for anew, and launches nobody knows are looked for."""
PLAN_EVERY_S = 5.0
"""How often those who wait are looked at though nothing happened: windows open, and the head of the line ages."""


class Conductor:
    """See the module's text."""

    def __init__(self, app: FastAPI, engine: Engine, mint: TokenMint) -> None:
        self._db: Database = app.state.db
        self._clock: Clock = app.state.clock
        self._engine = engine
        self._mint = mint
        self._launcher = Launcher(app, engine, mint)
        self._wake = threading.Event()
        self._is_closed = False
        self._thread: int | None = None
        self._is_changed = True
        self._rested_s = 0.0
        self._planned_s = 0.0
        self._swept_s = 0.0
        self._told_to_stop: dict[str, float] = {}
        self._settled: set[str] = set()
        """Launches that are over and belong to a workload: there is no need to look at them again."""
        self._db.listen(TOPIC, self._on_change)
        engine.on_change(self._wake.set)

    def turn(self) -> None:
        """Waits until there may be something to do, and does it."""
        self._thread = threading.get_ident()
        self._wake.wait(LOOK_EVERY_S)
        time.sleep(max(0.0, self._rested_s - time.monotonic()))
        self._wake.clear()
        if not self._is_closed:
            began_s = time.monotonic()
            self.do_what_is_due()
            ended_s = time.monotonic()
            self._rested_s = ended_s + min(REST_AT_MOST_S, ended_s - began_s)

    def do_what_is_due(self) -> None:
        """One look at everything."""
        if self._swept_s == 0.0 or time.monotonic() > self._swept_s + SWEEP_EVERY_S:
            self._sweep()
            self._swept_s = time.monotonic()
        self._observe()
        self._admit()

    def close(self) -> None:
        """Ends the turn under way soon. What runs goes on running."""
        self._is_closed = True
        self._wake.set()
        self._launcher.close()

    def _on_change(self) -> None:
        self._is_changed = True
        if threading.get_ident() != self._thread:
            self._wake.set()

    def _observe(self) -> None:
        with self._db.read() as session:
            held = observing.load_held(session)
        if not held:
            return
        seen = self._engine.seen([one.attempt_id for one in held])
        now = self._clock()
        judged = [(one, self._judge(one, found), found) for one in held if (found := seen.get(one.attempt_id))]
        changes = [(one, verdict, found) for one, verdict, found in judged if verdict.to or verdict.nodes_changed]
        if changes:
            with self._db.write() as session:
                observing.apply(session, changes, now)
        for one, verdict, _ in judged:
            if verdict.act == "launch":
                self._launcher.send(one.id, one.attempt_id, self._wake.set)
            elif verdict.act == "stop":
                self._say_stop(one.attempt_id)

    def _judge(self, held: Held, seen: Seen) -> Verdict:
        verdict = observing.judge(held, seen)
        if verdict.act == "abandon" and self._launcher.abandon(held.attempt_id):
            return observing.end(held, "stopped", "user")
        return verdict

    def _say_stop(self, attempt_id: str) -> None:
        now_s = time.monotonic()
        if now_s < self._told_to_stop.get(attempt_id, -SAY_STOP_EVERY_S) + SAY_STOP_EVERY_S:
            return
        if len(self._told_to_stop) > 10_000:
            self._told_to_stop.clear()
        self._told_to_stop[attempt_id] = now_s
        try:
            self._engine.stop(attempt_id)
        except EngineError:
            log.exception("the engine could not be told to stop %s; it is told again", attempt_id)

    def _admit(self) -> None:
        if not self._is_changed and time.monotonic() < self._planned_s + PLAN_EVERY_S:
            return
        self._is_changed = False
        self._planned_s = time.monotonic()
        now = self._clock()
        with self._db.read() as session:
            situation = load_situation(session, now)
        if situation is None:
            board.post({}, writer=id(self))
            return
        decisions = plan(situation)
        board.post(decisions.why, writer=id(self))
        if not decisions.starts and not decisions.preempt:
            return
        with self._db.write() as session:
            started = admission.apply(session, decisions, self._mint, now)
        for workload_id, attempt_id in started:
            self._launcher.send(workload_id, attempt_id, self._wake.set)
        if decisions.preempt:
            self._wake.set()

    def _sweep(self) -> None:
        """Machines as they are now; launches that should not be there are ended."""
        machines = self._engine.machines()
        now = self._clock()
        with self._db.write() as session:
            write_machines(session, machines, now)
        self._is_changed = True
        self._end_strays()

    def _end_strays(self) -> None:
        """Launches the database does not know are stopped and forgotten; those of ended workloads are stopped."""
        unsure = [launch for launch in self._engine.launches() if launch not in self._settled]
        for batch in in_batches(unsure):
            known = self._load_known(batch)
            strays = [launch for launch in batch if not known.get(launch, False)]
            seen = self._engine.seen(strays)
            for launch in strays:
                self._end_stray(launch, seen[launch], is_known=launch in known)

    def _end_stray(self, launch: str, seen: Seen, *, is_known: bool) -> None:
        if seen.state in {"starting", "running"}:
            self._say_stop(launch)
        elif is_known:
            self._settled.add(launch)
        else:
            self._engine.forget(launch)

    def _load_known(self, launches: Sequence[str]) -> dict[str, bool]:
        """Those of the launches that the database has, and whether each is to run now."""
        with self._db.read() as session:
            found = session.execute(
                sa.select(WorkloadAttemptRow.id, WorkloadRow.state, WorkloadRow.attempt_id)
                .join(WorkloadRow, WorkloadRow.id == WorkloadAttemptRow.workload_id)
                .where(WorkloadAttemptRow.id.in_(launches))
            ).all()
        return {attempt: state in HOLDING and current == attempt for attempt, state, current in found}
