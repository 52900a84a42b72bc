"""What a work's program reports, kept in one transaction each: items, report and cursor together, or nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets import bulk
from tidemill.datasets.changes import content_stayed
from tidemill.datasets.lookup import Opened
from tidemill.datasets.schemas import BulkItem, BulkRefusal
from tidemill.datasets.tables import DatasetVersionRow, WorkRow
from tidemill.datasets.works import reports
from tidemill.datasets.works.replacing import settle_existing
from tidemill.datasets.works.schemas import FinishIn, NoteIn, ProgressIn, StepIn
from tidemill.datasets.works.service import TOPIC, find_opened
from tidemill.datasets.works.states import DONE, ENDED, FAILED
from tidemill.kernel.db import Database, announce
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.i18n import LANGUAGES, Language
from tidemill.store import pins
from tidemill.workloads import service as workloads

Words = dict[Language, str]


def get_own(session: Session, work_id: str, *, by: Caller, lock: bool = False) -> WorkRow:
    """The work whose program is calling; nobody else has these routes."""
    row = session.get(WorkRow, work_id, with_for_update=lock or None, populate_existing=lock)
    if row is None or by.workload_id is None or row.workload_id != by.workload_id:
        raise NotFound("work_not_found", id=work_id[:100])
    return row


def get_running(session: Session, work_id: str, *, by: Caller) -> WorkRow:
    """`get_own`, locked; Conflict when it has ended."""
    row = get_own(session, work_id, by=by, lock=True)
    if row.state in ENDED:
        raise Conflict("work_ended", id=row.id)
    return row


def written_version(session: Session, row: WorkRow) -> Opened:
    """The version whose items the work writes."""
    found = find_opened(session, row.target_vid if row.kind == "preprocess" and row.target_vid else row.vid)
    if found is None:
        raise Conflict("work_version_gone", id=row.id)
    return found


def take_step(db: Database, work_id: str, step: StepIn, *, by: Caller) -> int:
    """Keeps what was done; how far the work now is. A step that is known already is only acknowledged."""
    given, refused = bulk.prepare(step.items, by=by)
    words = _in_all_languages(step.items, refused, by)
    with db.write() as session:
        row = get_running(session, work_id, by=by)
        if row.done != step.at:
            return repeated(row, step.at, step.done)
        notes = [note.model_dump() for note in step.notes]
        counts: dict[str, int] = dict(step.counts)
        if step.items and not row.is_dry_run:
            opened = written_version(session, row)
            existing, reason = row.asked.get("existing", "keep"), "preprocess" if row.kind == "preprocess" else "import"
            settle_existing(session, opened, given, existing=existing, counts=counts, by=by)
            mode = "keep" if existing == "keep" else "replace"
            result = bulk.add_items(session, opened, given, existing=mode, reason=reason, by=by)
            refused = [*refused, *result.refused]
            _count(counts, added=result.added, annotated=result.annotated, unchanged=result.unchanged)
            if not (result.added or result.annotated or counts.get("replaced")):
                # Nothing came that was not there.
                content_stayed(session, opened.vid, _revision(session, opened.vid))
        elif step.items:
            refused = [*refused, *_try_out(session, written_version(session, row), given, counts)]
        _count(counts, refused=len(refused))
        _advance(session, row, step, notes + [_note(one, words) for one in refused], counts, by)
        return row.done


def repeated(row: WorkRow, at: int, done: int) -> int:
    """A step that does not begin where the work is was done before, or raises Conflict."""
    if row.done >= done:
        return row.done
    raise Conflict("work_step", at=at, done=row.done, details={"done": row.done})


def count_more(row: WorkRow, more: dict[str, int]) -> None:
    """Adds to the work's counts."""
    row.counts = _added(row.counts, more)


def note_progress(session: Session, work_id: str, told: ProgressIn, *, by: Caller) -> None:
    """What the work is at, while there is nothing to keep."""
    row = get_running(session, work_id, by=by)
    row.stage = told.stage
    for name in ("total", "format", "version_revision"):
        if (value := getattr(told, name)) is not None:
            setattr(row, name, value)
    _touch(session, row, by)


def finish(session: Session, work_id: str, told: FinishIn, *, by: Caller) -> None:
    """The work is done; the file it made is kept."""
    row = get_own(session, work_id, by=by, lock=True)
    if row.state == DONE:
        return
    if row.state in ENDED:
        raise Conflict("work_ended", id=row.id)
    if told.sha256 is not None:
        pins.pin(session, row.project_id, row.id, {told.sha256: told.size_bytes})
        row.digest, row.size_bytes, row.file_name = told.sha256, told.size_bytes, told.file_name
    row.counts = _added(row.counts, told.counts)
    row.state, row.stage, row.finished_at = DONE, "", by.now
    _touch(session, row, by)


def fail(session: Session, work_id: str, note: NoteIn, *, by: Caller) -> None:
    """The work cannot be done, and the program says why."""
    if get_own(session, work_id, by=by).state in ENDED:
        return
    # The workload is locked first, as where it moves and its work follows.
    workloads.end_tries(session, str(by.workload_id))
    row = get_own(session, work_id, by=by, lock=True)
    if row.state in ENDED:
        return
    kept = note.model_dump()
    if (version := find_opened(session, row.target_vid or row.vid)) is not None:
        # Of what the server itself refused the program knows the code; most speak of the version.
        kept["params"].setdefault("name", version.name)
    reports.append(session, row, [kept])
    row.state, row.error, row.finished_at = FAILED, {"note": kept}, by.now
    _touch(session, row, by)


def advance(
    session: Session, row: WorkRow, done: int, total: int | None, notes: Sequence[dict[str, Any]], by: Caller
) -> None:
    """Moves the cursor and keeps the notes."""
    row.done, row.total = done, total if total is not None else row.total
    reports.append(session, row, notes)
    _touch(session, row, by)


def _advance(
    session: Session, row: WorkRow, step: StepIn, notes: list[dict[str, Any]], counts: dict[str, int], by: Caller
) -> None:
    row.stage, row.format = step.stage or row.stage, step.format or row.format
    row.counts = _added(row.counts, counts)
    advance(session, row, step.done, step.total, notes, by)


def _revision(session: Session, vid: int) -> int:
    return session.scalars(sa.select(DatasetVersionRow.revision).where(DatasetVersionRow.vid == vid)).one()


def _try_out(
    session: Session, opened: Opened, given: Sequence[bulk.Given], counts: dict[str, int]
) -> list[BulkRefusal]:
    """What would become of the items."""
    there = bulk.find_paths(session, opened.vid, [one.path for one in given])
    for one in given:
        row = there.get(one.path)
        if row is None:
            _count(counts, added=1)
        elif one.item.sha256 is not None and row.digest != one.item.sha256:
            _count(counts, different=1)
        else:
            _count(counts, present=1)
    return []


def _in_all_languages(items: Sequence[BulkItem], refused: Sequence[BulkRefusal], by: Caller) -> dict[int, Words]:
    """Why items were refused, by their places: asked once more in each language, each item by itself."""
    found: dict[int, Words] = {}
    for one in refused:
        alone = [items[one.index]]
        for language in LANGUAGES:
            # One that came twice is fine by itself; words for that need nothing but its path.
            for again in bulk.prepare(alone, by=replace(by, language=language))[1]:
                found.setdefault(one.index, {})[language] = again.message
    return found


def _note(refusal: BulkRefusal, words: dict[int, Words]) -> dict[str, Any]:
    params = {"path": refusal.path, "message": words.get(refusal.index, refusal.message)}
    return {"code": refusal.code, "path": refusal.path, "line": None, "level": "skipped", "params": params}


def _count(counts: dict[str, int], **more: int) -> None:
    for name, value in more.items():
        if value:
            counts[name] = counts.get(name, 0) + value


def _added(before: dict[str, Any], more: dict[str, int]) -> dict[str, Any]:
    found = dict(before)
    for name, value in more.items():
        found[name] = found.get(name, 0) + value
    return found


def _touch(session: Session, row: WorkRow, by: Caller) -> None:
    row.revision += 1
    row.changed_at = by.now
    announce(session, TOPIC)
