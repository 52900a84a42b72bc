"""What a run's program reports, kept in one transaction each: shard, index and cursor together, or nothing."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.datasets.doubts import millionths
from tidemill.datasets.rows import insert_many
from tidemill.inference.launching import DATASET_FOLDER, MODEL_FOLDER, workers_for
from tidemill.inference.rows import pin_owner, touch
from tidemill.inference.schemas import (
    LABELS_MAX,
    InferenceFail,
    InferenceFinish,
    InferenceProgress,
    InferenceTask,
    ResultIn,
    ShardIn,
    ShardKept,
)
from tidemill.inference.settings import ModelSettings, load_settings
from tidemill.inference.tables import (
    FAILED,
    NO_SCORE,
    InferenceResultLabelRow,
    InferenceResultRow,
    InferenceRunRow,
    InferenceShardRow,
)
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.store import pins
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow

_RESULT = ("rid", "seq", "score", "shard", "start", "length")
_LABEL = ("rid", "label", "seq", "score")


def get_own(session: Session, run_id: str, *, by: Caller, lock: bool = False) -> InferenceRunRow:
    """The run whose program is calling; nobody else has these routes."""
    statement = sa.select(InferenceRunRow).where(InferenceRunRow.id == run_id)
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None or by.workload_id is None or row.workload_id != by.workload_id:
        raise NotFound("work_not_found", id=run_id[:100])
    return row


def begin(session: Session, run_id: str, *, by: Caller) -> InferenceTask:
    """What is to be done, and how far an earlier attempt came."""
    row = get_own(session, run_id, by=by, lock=True)
    settings = load_settings(row.settings)
    if not isinstance(settings, ModelSettings):
        raise NotFound("work_not_found", id=run_id[:100])
    row.looked = row.done
    inputs = session.get_one(WorkloadRow, row.workload_id).inputs
    folders = {target.partition("/")[0]: target for target in (given["target"] for given in inputs)}
    return InferenceTask(
        id=row.id,
        state=_work_state(row),
        source=settings.source.model_dump(mode="json"),
        model_folder=folders.get(MODEL_FOLDER),
        dataset_folder=folders[DATASET_FOLDER],
        threshold=settings.threshold,
        states=[str(one) for one in settings.states],
        workers=workers_for(session, settings)[0],
        seq=row.seq,
        done=row.done,
        shards=row.shards,
        total=row.total or 0,
        upto=row.upto or 0,
    )


def read_vid(session: Session, run_id: str, *, by: Caller) -> int:
    """The version the run reads."""
    row = get_own(session, run_id, by=by)
    if row.vid is None:
        raise NotFound("work_not_found", id=run_id[:100])
    return row.vid


def note_progress(session: Session, run_id: str, told: InferenceProgress, *, by: Caller) -> None:
    """What the run is at, while there is nothing to keep."""
    row = _get_running(session, run_id, by)
    row.stage = told.stage
    if told.rate is not None:
        row.rate, row.rated_at = told.rate, by.now
    if told.task:
        row.task = row.task or told.task
    if told.done is not None:
        row.looked = max(row.done, min(told.done, row.total or told.done))
    touch(session, row, by.now)


def take_shard(session: Session, run_id: str, told: ShardIn, *, by: Caller) -> ShardKept:
    """Keeps a shard; how far the run now is. One that is known already is only acknowledged."""
    row = _get_running(session, run_id, by)
    if told.number <= row.shards:
        return _kept(row)
    if told.number != row.shards + 1 or told.after != row.seq:
        raise Conflict("work_step", at=told.after, done=row.seq, details={"seq": row.seq, "shards": row.shards})
    _check_rows(told)
    pins.pin(session, row.project_id, pin_owner(row.id), {told.sha256: told.size_bytes})
    session.add(
        InferenceShardRow(
            rid=row.rid,
            number=told.number,
            digest=told.sha256,
            size_bytes=told.size_bytes,
            items=len(told.rows),
            first_seq=told.rows[0].seq,
            last_seq=told.rows[-1].seq,
        )
    )
    _index(session, row, told)
    row.shards, row.seq = told.number, told.rows[-1].seq
    row.done += len(told.rows)
    row.looked = max(row.looked, row.done)
    row.total = max(row.total or 0, row.done)
    row.size_bytes += told.size_bytes
    if told.rate:
        row.rate, row.rated_at = told.rate, by.now
    touch(session, row, by.now)
    return _kept(row)


def finish(session: Session, run_id: str, told: InferenceFinish, *, by: Caller) -> None:
    """Everything was looked at. Saying it twice does it once."""
    row = get_own(session, run_id, by=by, lock=True)
    if row.is_whole:
        return
    if told.seq != row.seq:
        raise Conflict("work_step", at=told.seq, done=row.seq, details={"seq": row.seq, "shards": row.shards})
    # Items that were taken out of a draft meanwhile are not waited for.
    row.is_whole, row.stage, row.total, row.looked = True, "", row.done, row.done
    touch(session, row, by.now)


def fail(session: Session, run_id: str, note: InferenceFail, *, by: Caller) -> None:
    """It cannot be done, and the program says why."""
    if get_own(session, run_id, by=by).is_whole:
        return
    # The workload is locked first, as where it moves and its run follows.
    workloads.end_tries(session, str(by.workload_id))
    row = get_own(session, run_id, by=by, lock=True)
    row.error = {"note": note.model_dump()}
    touch(session, row, by.now)


def _get_running(session: Session, run_id: str, by: Caller) -> InferenceRunRow:
    row = get_own(session, run_id, by=by, lock=True)
    if _work_state(row) != "running":
        raise Conflict("work_ended", id=row.id)
    return row


def _work_state(row: InferenceRunRow) -> str:
    """As programs of works know it."""
    if row.is_whole:
        return "done"
    return "stopped" if row.state in FINAL else "running"


def _kept(row: InferenceRunRow) -> ShardKept:
    return ShardKept(seq=row.seq, done=row.done, shards=row.shards)


def _check_rows(told: ShardIn) -> None:
    """Lines follow one another without gaps, items by their numbers."""
    seq, at = told.after, 0
    for one in told.rows:
        if one.seq <= seq or one.start != at:
            raise Conflict("inference_shard_bad", number=told.number)
        seq, at = one.seq, at + one.length
    if at != told.size_bytes:
        raise Conflict("inference_shard_bad", number=told.number)


def _index(session: Session, row: InferenceRunRow, told: ShardIn) -> None:
    numbers = _numbers(row, told.rows)
    labels = [list(one) for one in row.labels]
    results, seen = [], []
    for one in told.rows:
        results.append((row.rid, one.seq, _score(one), told.number, one.start, one.length))
        for name, surest, count in one.labels:
            label = numbers.get(name)
            if label is None:
                continue
            seen.append((row.rid, label, one.seq, millionths(surest)))
            labels[label][1] += 1
            labels[label][2] += count
        row.errors += one.is_error
        row.annotations += one.annotations
        row.empty += not one.is_error and not one.annotations
    row.labels = labels
    insert_many(session, InferenceResultRow, _RESULT, results)
    insert_many(session, InferenceResultLabelRow, _LABEL, sorted(set(seen)))


def _score(one: ResultIn) -> int:
    if one.is_error:
        return FAILED
    return NO_SCORE if one.score is None else millionths(one.score)


def _numbers(row: InferenceRunRow, rows: Sequence[ResultIn]) -> dict[str, int]:
    """Places of labels; new ones come last. More than so many are kept in the shards only."""
    found = {one[0]: place for place, one in enumerate(row.labels)}
    new = [name for one in rows for name, _, _ in one.labels if name not in found]
    for name in dict.fromkeys(new):
        if len(found) >= LABELS_MAX:
            break
        found[name] = len(found)
    row.labels = [*row.labels, *([name, 0, 0] for name in list(found)[len(row.labels) :])]
    return found
