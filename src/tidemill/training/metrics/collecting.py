"""Points that runs print or write to files, gathered while they run.

One turn looks at every run that is not over or was not read to its end. Files and output are read outside of
transactions; what was found and how far was read go into the database together, so that a crash at any moment neither
loses a point nor counts one twice.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from tidemill.engines.base import Engine, EngineError
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.training.metrics import cursors
from tidemill.training.metrics.adding import add_metrics, find_left_batch, note_change
from tidemill.training.metrics.event_files import Broken, read_records
from tidemill.training.metrics.finding import EventFile, find_event_files, find_left_files
from tidemill.training.metrics.json_lines import Line, read_lines, whole_lines
from tidemill.training.metrics.series import Incoming, add_points
from tidemill.training.schemas import MetricsAdd
from tidemill.training.tables import CursorRow, RunRow
from tidemill.training.workspaces import NotThere, open_file
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

log = logging.getLogger("tidemill.training")

EVERY_S = 1.0
PIECE_BYTES = 1 << 20
PIECES_A_TURN = 8
SEARCH_EVERY_TURNS = 5
NOT_YET_LAUNCHED = ("pending", "starting")
LEFT_MAX_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Open:
    """A run that may still hold something new."""

    id: str
    workload_id: str
    workspace: str
    is_over: bool
    launches: tuple[str, ...]


@dataclass(slots=True)
class Found:
    """What one turn found for one run."""

    printed: Incoming = field(default_factory=Incoming)
    written: Incoming = field(default_factory=Incoming)
    left: list[MetricsAdd] = field(default_factory=list)
    offsets: dict[str, tuple[int, bool]] = field(default_factory=dict)
    has_more: bool = False


class Collector:
    """The loop of one process."""

    def __init__(self, db: Database, engine: Callable[[], Engine], clock: Clock) -> None:
        self._db = db
        self._engine = engine
        self._clock = clock
        self._turn = 0
        self._files: dict[str, list[EventFile]] = {}

    def collect(self) -> None:
        """One turn."""
        self._turn += 1
        found = self._find_open()
        self._files = {run.id: self._files[run.id] for run in found if run.id in self._files}
        for run in found:
            try:
                self._collect_run(run)
            except (EngineError, OSError) as error:
                log.warning("metrics of %s could not be read; trying again: %s", run.id, error)

    def _find_open(self) -> list[Open]:
        with self._db.read() as session:
            rows = session.execute(
                sa.select(RunRow.id, WorkloadRow.id, WorkloadRow.workspace, WorkloadRow.state)
                .join(WorkloadRow, WorkloadRow.id == RunRow.workload_id)
                # One that is starting may still wait for its image, and the engine knows nothing of it.
                .where(
                    RunRow.metrics_open.is_(True), WorkloadRow.attempt > 0, WorkloadRow.state.not_in(NOT_YET_LAUNCHED)
                )
            ).all()
            ids = [workload_id for _, workload_id, _, _ in rows]
            launches: dict[str, list[str]] = {}
            for attempt in session.scalars(
                sa.select(WorkloadAttemptRow)
                .where(WorkloadAttemptRow.workload_id.in_(ids))
                .order_by(WorkloadAttemptRow.number)
            ):
                launches.setdefault(attempt.workload_id, []).append(attempt.id)
        return [
            Open(run_id, workload_id, workspace, state in FINAL, tuple(launches.get(workload_id, ())))
            for run_id, workload_id, workspace, state in rows
        ]

    def _collect_run(self, run: Open) -> None:
        with self._db.read() as session:
            known = cursors.load(session, run.id)
        found = Found()
        for launch in run.launches:
            try:
                self._read_output(run, launch, known.get(f"log:{launch}"), found)
            except EngineError:
                # What the engine knows nothing of any more will not be told later either.
                if not run.is_over:
                    raise
        workspace = self._engine().workspace(run.workspace)
        for file in self._event_files(run, workspace):
            self._read_event_file(workspace, file, known.get(f"file:{file.path}"), found)
        if run.is_over:
            _read_left(workspace, known, found)
        is_done = run.is_over and not found.has_more
        if found.offsets or is_done:
            self._save(run, found, is_done=is_done)

    def _read_output(self, run: Open, launch: str, cursor: CursorRow | None, found: Found) -> None:
        if cursor is not None and cursor.is_done:
            return
        start = offset = cursor.offset if cursor else 0
        now_ms = int(self._clock().timestamp() * 1000)
        for _ in range(PIECES_A_TURN):
            piece = self._engine().logs(launch, 0, offset=offset, limit=PIECE_BYTES)
            lines, used = whole_lines(piece.data)
            is_last = piece.is_over and piece.next_offset >= piece.end_offset
            if is_last or (not used and len(piece.data) >= PIECE_BYTES):
                # The end of all output, or a line that no reader waits for.
                lines, used = piece.data.splitlines(), len(piece.data)
            for line in read_lines(lines):
                _add_line(found.printed, line, now_ms)
            offset = piece.offset + used
            if is_last:
                found.offsets[f"log:{launch}"] = offset, True
                return
            if piece.next_offset >= piece.end_offset or not used:
                break
        else:
            found.has_more = True
        if run.is_over:
            found.has_more = True
        if offset != start:
            found.offsets[f"log:{launch}"] = offset, False

    def _event_files(self, run: Open, workspace: Path) -> list[EventFile]:
        if run.is_over or run.id not in self._files or self._turn % SEARCH_EVERY_TURNS == 0:
            self._files[run.id] = find_event_files(workspace)
        return self._files[run.id]

    def _read_event_file(self, workspace: Path, file: EventFile, cursor: CursorRow | None, found: Found) -> None:
        if cursor is not None and cursor.is_done:
            return
        start = offset = cursor.offset if cursor else 0
        is_broken = False
        try:
            with open_file(workspace, file.path) as opened:
                for _ in range(PIECES_A_TURN):
                    opened.seek(offset)
                    data = opened.read(2 * PIECE_BYTES)
                    read = read_records(data, offset)
                    for tag, step, value, at_s in read.scalars:
                        found.written.add(f"{file.prefix}{tag}"[:200], step, value, _milliseconds(at_s))
                    if read.next_offset == offset:
                        break
                    offset = read.next_offset
                else:
                    found.has_more = True
        except NotThere:
            return
        except Broken as broken:
            log.info("event file %s: %s", file.path, broken)
            is_broken = True
        if offset != start or is_broken:
            found.offsets[f"file:{file.path}"] = offset, is_broken

    def _save(self, run: Open, found: Found, *, is_done: bool) -> None:
        with self._db.write() as session:
            row = session.get(RunRow, run.id, with_for_update=True)
            if row is None or row.workload_id != run.workload_id:
                return
            for batch in found.left:
                add_metrics(session, row, batch)
            for source, incoming in (("log", found.printed), ("tensorboard", found.written)):
                if incoming:
                    add_points(session, run.id, source, incoming)  # type: ignore[arg-type]
            for name, (offset, over) in found.offsets.items():
                cursors.save(session, run.id, name, offset, is_done=over)
            if is_done:
                row.metrics_open = False
            session.flush()
            note_change(session, row, self._clock())


def _read_left(workspace: Path, known: dict[str, CursorRow], found: Found) -> None:
    for path in find_left_files(workspace):
        name = f"left:{path}"
        if name in known:
            continue
        try:
            with open_file(workspace, path) as opened:
                lines = opened.read(LEFT_MAX_BYTES).splitlines()
        except NotThere:
            continue
        for line in lines:
            try:
                batch = find_left_batch(json.loads(line))
            except (ValueError, RecursionError):
                continue
            if batch is not None:
                found.left.append(batch)
        found.offsets[name] = 0, True


def _add_line(incoming: Incoming, line: Line, at_ms: int) -> None:
    for key, value in line.values.items():
        incoming.add(key, line.step, value, at_ms)


def _milliseconds(at_s: float) -> int:
    return int(at_s * 1000) if 0 <= at_s < 1e11 else 0
