"""What an evaluation's program reports, kept in one transaction each."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import text
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.models.evaluations.rows import RESULT_MAX_BYTES, BadResult, fill, pin_owner, read_result, touch
from tidemill.models.evaluations.schemas import EvaluationFail, EvaluationFinish, EvaluationProgress, EvaluationTask
from tidemill.models.evaluations.service import DATASET_FOLDER, ENDED, MODEL_FOLDER
from tidemill.models.tables import EvaluationRow
from tidemill.store import pins
from tidemill.store.backends import BlobBackend
from tidemill.workloads import service as workloads
from tidemill.workloads.tables import WorkloadRow


def get_own(session: Session, evaluation_id: str, *, by: Caller, lock: bool = False) -> EvaluationRow:
    """The evaluation whose program is calling; nobody else has these routes."""
    row = session.get(EvaluationRow, evaluation_id, with_for_update=lock or None, populate_existing=lock)
    if row is None or by.workload_id is None or row.workload_id != by.workload_id:
        raise NotFound("evaluation_not_found", id=evaluation_id[:100])
    return row


def begin(session: Session, evaluation_id: str, *, by: Caller) -> EvaluationTask:
    """What is to be done."""
    row = get_own(session, evaluation_id, by=by)
    inputs = session.get_one(WorkloadRow, row.workload_id).inputs
    targets = {target.partition("/")[0]: target for target in (given["target"] for given in inputs)}
    return EvaluationTask(
        id=row.id,
        state=row.state,
        model=row.model,
        model_folder=targets[MODEL_FOLDER],
        dataset=row.dataset,
        dataset_folder=targets[DATASET_FOLDER],
        part=row.part,
        threshold=0.5 if row.threshold is None else row.threshold,
    )


def note_progress(session: Session, evaluation_id: str, told: EvaluationProgress, *, by: Caller) -> None:
    row = _running(session, evaluation_id, by)
    row.stage, row.done, row.total = told.stage, told.done, told.total
    touch(session, row, by.now)


def finish(db: Database, backend: BlobBackend, evaluation_id: str, told: EvaluationFinish, *, by: Caller) -> None:
    """The program has sent its files: held, read, and the evaluation is done. Saying it twice does it once."""
    sizes = {told.evaluation.sha256: told.evaluation.size_bytes}
    if told.predictions is not None:
        sizes[told.predictions.sha256] = told.predictions.size_bytes
    with db.write() as session:
        row = get_own(session, evaluation_id, by=by, lock=True)
        if row.state == "done":
            return
        _check_running(row)
        # Held first: only what the project itself has sent can be, and so be read.
        pins.pin(session, row.project_id, pin_owner(row.id), sizes)
    try:
        if told.evaluation.size_bytes > RESULT_MAX_BYTES:
            raise BadResult("size")
        result = read_result(b"".join(backend.read(told.evaluation.sha256)))
    except BadResult as error:
        raise Conflict("evaluation_result_bad", what=str(error)[:200]) from None
    with db.write() as session:
        row = get_own(session, evaluation_id, by=by, lock=True)
        _check_running(row)
        row.digest, row.size_bytes = told.evaluation.sha256, told.evaluation.size_bytes
        if told.predictions is not None:
            row.predictions_digest, row.predictions_bytes = told.predictions.sha256, told.predictions.size_bytes
        fill(row, result)
        row.state, row.stage, row.finished_at = "done", "", by.now
        touch(session, row, by.now)


def fail(session: Session, evaluation_id: str, note: EvaluationFail, *, by: Caller) -> None:
    """It cannot be done, and the program says why."""
    if get_own(session, evaluation_id, by=by).state in ENDED:
        return
    # The workload is locked first, as where it moves and its evaluation follows.
    workloads.end_tries(session, str(by.workload_id))
    row = get_own(session, evaluation_id, by=by, lock=True)
    if row.state in ENDED:
        return
    row.state, row.finished_at = "failed", by.now
    row.error = text("evaluation_failed", reason=str(note.params.get("reason", note.code))[:500])
    touch(session, row, by.now)


def _running(session: Session, evaluation_id: str, by: Caller) -> EvaluationRow:
    row = get_own(session, evaluation_id, by=by, lock=True)
    _check_running(row)
    return row


def _check_running(row: EvaluationRow) -> None:
    if row.state in ENDED:
        raise Conflict("work_ended", id=row.id)
