"""Runs: started, listed, stopped, resumed, deleted."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.inference import launching
from tidemill.inference.launching import Known
from tidemill.inference.rows import pin_owner, touch
from tidemill.inference.schemas import InferenceResume, InferenceRunView, InferenceStart
from tidemill.inference.service import get_inference
from tidemill.inference.settings import CodeSettings, ModelSettings, load_settings
from tidemill.inference.tables import InferenceRow, InferenceRunRow
from tidemill.inference.views import run_views
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import looks_like_id, new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store import pins
from tidemill.training.runs import workloads_of
from tidemill.training.schemas import RunState
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow

PREFIX = "ifr"


def list_runs(
    session: Session, entry: InferenceRow, page: PageQuery, *, state: RunState | None, by: Caller
) -> Page[InferenceRunView]:
    """An entry's runs, newest first."""
    statement = sa.select(InferenceRunRow).where(InferenceRunRow.inference_id == entry.id)
    if state:
        statement = statement.where(InferenceRunRow.state == state)
    if page.q:
        statement = statement.where(contains(InferenceRunRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"name": InferenceRunRow.name_key, "created_at": InferenceRunRow.created_at},
        id_column=InferenceRunRow.id,
        default_sort="-created_at",
        view=lambda rows: run_views(session, rows, by.language),
        total=None if state or page.q else entry.runs_count,
    )


def get_run(session: Session, inference: str, run: str, *, by: Caller, lock: bool = False) -> InferenceRunRow:
    """A run of that entry, by its number, name or id."""
    entry = get_inference(session, inference, by=by)
    if looks_like_id(run, PREFIX):
        match = InferenceRunRow.id == run
    elif run.isdecimal() and len(run) < 18:
        match = InferenceRunRow.number == int(run)
    else:
        match = InferenceRunRow.name_key == name_key(run)
    mine = sa.select(InferenceRunRow).where(InferenceRunRow.inference_id == entry.id, match)
    statement = mine.order_by(InferenceRunRow.number.desc()).limit(1)
    row = session.scalar(statement.with_for_update() if lock else statement)
    if row is None:
        raise NotFound("inference_run_not_found", name=run[:100], inference=entry.name)
    return row


def settings_of(run: InferenceRunRow) -> CodeSettings | ModelSettings:
    return load_settings(run.settings)


def with_changes(entry: InferenceRow, body: InferenceStart) -> CodeSettings | ModelSettings:
    """The entry's settings with what this one run does otherwise."""
    settings = load_settings(entry.settings)
    changes: dict[str, Any] = {"spec": body.spec, "priority": body.priority}
    if isinstance(settings, ModelSettings):
        changes |= {"dataset": body.dataset, "threshold": body.threshold}
    elif body.dataset is not None or body.threshold is not None:
        raise Invalid("inference_code_start", field="dataset" if body.dataset is not None else "threshold")
    return settings.model_copy(update={name: value for name, value in changes.items() if value is not None})


def start_inference(
    session: Session, entry: InferenceRow, body: InferenceStart, known: Known, *, by: Caller
) -> InferenceRunRow:
    """A new run of a locked entry; it waits in the queue until there is room for it."""
    entry.last_number += 1
    name = f"{entry.name}-{entry.last_number}"
    run = InferenceRunRow(
        id=new_id(PREFIX),
        project_id=entry.project_id,
        inference_id=entry.id,
        number=entry.last_number,
        name=name,
        name_key=name_key(name),
        form=known.settings.form,
        settings={},
        state="pending",
        labels=[],
        stage="",
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    launching.fill(session, run, known, by=by)
    session.add(run)
    session.flush()
    token = body.token.get_secret_value() if body.token else None
    wanted = launching.wanted(session, run, known, workspace=None, token=token, by=by)
    workload = workloads.submit(session, wanted, by=by)
    run.workload_id, run.state = workload.id, workload.state
    entry.runs_count += 1
    entry.last_run_id, entry.updated_at = run.id, by.now
    session.flush()
    touch(session, run, by.now)
    _audit(session, "inference.start", run, by=by, after={"source": run.source, "dataset": run.dataset})
    return run


def stop_run(session: Session, run: InferenceRunRow, *, by: Caller) -> None:
    """Asks it to end; one that has ended stays as it is."""
    workloads.stop(session, carrier_of(run), by=by)
    session.flush()
    session.refresh(run)
    _audit(session, "inference.stop", run, by=by)


def resume_run(session: Session, run: InferenceRunRow, body: InferenceResume, known: Known, *, by: Caller) -> None:
    """Lets a locked, ended run go on where it stopped, in the workspace it left."""
    if run.state not in FINAL:
        raise Conflict("inference_run_not_ended", name=run.name, state=run.state)
    if run.is_whole or (run.form == "code" and run.state == "completed"):
        raise Conflict("inference_run_whole", name=run.name)
    before = session.get_one(WorkloadRow, carrier_of(run))
    run.attempts_before += before.attempt
    token = body.token.get_secret_value() if body.token else None
    wanted = launching.wanted(session, run, known, workspace=before.workspace, token=token, by=by)
    workload = workloads.submit(session, wanted, by=by)
    run.workload_id, run.state, run.error, run.ended_at = workload.id, workload.state, None, None
    touch(session, run, by.now)
    session.flush()
    _audit(session, "inference.resume", run, by=by, after={"from": run.done})


def delete_run(session: Session, entry: InferenceRow, run: InferenceRunRow, *, by: Caller) -> None:
    """Removes an ended run of a locked entry with what it found; what was written into datasets stays."""
    if run.state not in FINAL:
        raise Conflict("inference_run_not_ended", name=run.name, state=run.state)
    for workload in workloads_of(session, run.id):
        if workload.state not in FINAL:
            raise Conflict("inference_run_not_ended", name=run.name, state=workload.state)
        workloads.delete(session, workload.id, by=by)
    pins.unpin_all(session, run.project_id, pin_owner(run.id))
    # Rows of results go afterwards, in short steps: nobody finds them without the run.
    session.delete(run)
    session.flush()
    entry.runs_count -= 1
    newest = sa.select(InferenceRunRow.id).where(InferenceRunRow.inference_id == entry.id)
    entry.last_run_id = session.scalar(newest.order_by(InferenceRunRow.number.desc()).limit(1))
    session.flush()
    _audit(session, "inference.delete_run", run, by=by, before={"state": run.state})


def carrier_of(run: InferenceRunRow) -> str:
    """The workload that carries it."""
    if run.workload_id is None:
        raise NotFound("inference_run_not_found", name=run.name, inference=run.inference_id)
    return run.workload_id


def _audit(session: Session, action: str, row: InferenceRunRow, *, by: Caller, **changes: Any) -> None:
    audit.record(
        session, action, by=by, target_kind="inference_run", target_id=row.id, target_name=row.name,
        project_id=row.project_id, **changes,
    )  # fmt: skip
