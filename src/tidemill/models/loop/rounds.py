"""Rounds: publish the draft, begin a new one from it, train, perhaps annotate.

Each step is background work of its own that survives a crash; a round is a row that says which is under way. A loop
looks at rounds and takes the next step when the one before it is done: load, decide, apply.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, ProjectRef, permissions_in
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets import copying, publishing
from tidemill.datasets.lookup import Opened, open_version
from tidemill.datasets.states import PUBLISHED
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works.service import error_view
from tidemill.datasets.works.states import ENDED
from tidemill.jobs.states import FINAL as JOB_FINAL
from tidemill.jobs.tables import JobRow
from tidemill.jobs.texts import error_text, text
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, NotFound, TidemillError
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.models.auto import service as auto
from tidemill.models.auto import sources
from tidemill.models.auto.schemas import AutoCreate, ModelSource
from tidemill.models.loop.schemas import RetrainStart, RoundRun, RoundView
from tidemill.models.tables import FactsRow, RoundRow
from tidemill.models.training import planning, starting
from tidemill.models.training.schemas import TrainStart
from tidemill.models.training.situation import measure
from tidemill.training.tables import RunRow
from tidemill.training.views import run_view
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow

log = logging.getLogger("tidemill.models")

PREFIX = "rnd"
EVERY_S = 1.0
RUNNING, DONE, FAILED, STOPPED = "running", "done", "failed", "stopped"


def start_round(session: Session, opened: Opened, body: RetrainStart, *, by: Caller) -> RoundRow:
    """Begins with publishing the draft."""
    last = find_last(session, opened.asset_id)
    if last is not None and last.state == RUNNING:
        raise Conflict("loop_busy", name=opened.asset)
    counted = measure(session, opened, spec=body.spec)
    if counted.labelled < planning.LABELLED_MIN:
        raise Conflict("train_too_few_labels", name=opened.name, count=counted.labelled, min=planning.LABELLED_MIN)
    job = publishing.submit(session, Place(DATASET, opened.asset_id, str(opened.number)), note=None, by=by)
    row = RoundRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        asset_id=opened.asset_id,
        state=RUNNING,
        step="publishing",
        asked=body.model_dump(),
        version_number=opened.number,
        job_id=job.id,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        changed_at=by.now,
    )
    session.add(row)
    session.flush()
    _record(session, "start", row, opened.asset, by=by)
    return row


def stop_round(session: Session, row: RoundRow, *, by: Caller) -> None:
    """No further step is taken; what is under way is asked to end where it can be taken up again."""
    if row.state != RUNNING:
        raise Conflict("loop_round_ended", id=row.id)
    if row.step == "training" and row.run_id is not None:
        run = session.get(RunRow, row.run_id)
        if run is not None and run.workload_id is not None:
            workloads.stop(session, run.workload_id, by=by)
    elif row.step == "annotating" and row.work_id is not None:
        work = session.get(WorkRow, row.work_id)
        if work is not None and work.workload_id is not None and work.state not in ENDED:
            workloads.stop(session, work.workload_id, by=by)
    _end(row, STOPPED, by.now)
    _record(session, "stop", row, row.id, by=by)


def get_round(session: Session, asset_id: str, round_id: str, *, lock: bool = False) -> RoundRow:
    row = session.get(RoundRow, round_id, with_for_update=lock or None, populate_existing=lock)
    if row is None or row.asset_id != asset_id:
        raise NotFound("loop_round_not_found", id=round_id[:100])
    return row


def find_last(session: Session, asset_id: str) -> RoundRow | None:
    newest = sa.select(RoundRow).where(RoundRow.asset_id == asset_id)
    return session.scalar(newest.order_by(RoundRow.created_at.desc(), RoundRow.id.desc()).limit(1))


def list_rounds(session: Session, asset_id: str, page: PageQuery, *, by: Caller) -> Page[RoundView]:
    return fetch_page(
        session,
        sa.select(RoundRow).where(RoundRow.asset_id == asset_id),
        page,
        sorts={"created_at": RoundRow.created_at},
        id_column=RoundRow.id,
        default_sort="-created_at",
        view=lambda rows: [round_view(session, row, by.language) for row in rows],
    )


def round_view(session: Session, row: RoundRow, language: Language) -> RoundView:
    run = session.get(RunRow, row.run_id) if row.run_id else None
    return RoundView(
        id=row.id,
        step=row.step,
        state=row.state,
        version=row.version_number,
        draft=row.draft_number,
        run=RoundRun(id=run.id, name=run.name, state=run.state) if run else None,
        model=run_view(session, run, language).model if run else None,
        auto=row.work_id,
        error=error_view(row.error, language),
        created_at=row.created_at,
        created_by=row.created_by,
        finished_at=row.finished_at,
    )


class Rounds:
    """Takes rounds further; `app.state.rounds`."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._db: Database = app.state.db
        self._steps: dict[str, Callable[[RoundRow, Caller], None]] = {
            "publishing": self._after_publishing,
            "copying": self._after_copying,
            "training": self._after_training,
            "annotating": self._after_annotating,
        }

    def look(self) -> None:
        """One look at every round under way."""
        with self._db.read() as session:
            going = session.scalars(sa.select(RoundRow.id).where(RoundRow.state == RUNNING)).all()
        for round_id in going:
            self._advance(round_id)

    def _advance(self, round_id: str) -> None:
        with self._db.read() as session:
            row = session.get_one(RoundRow, round_id)
            by = self._caller(session, row)
        try:
            if by is None:
                raise Conflict("loop_nobody")
            self._steps[row.step](row, by)
        except TidemillError as error:
            self._fail(row, error_text(error))

    def _caller(self, session: Session, row: RoundRow) -> Caller | None:
        """Who began the round, with what they may do now; None when they are gone."""
        user = session.get(UserRow, row.created_by_id) if row.created_by_id else None
        project = session.get(ProjectRow, row.project_id)
        if user is None or user.deleted_at is not None or project is None or project.deleted_at is not None:
            return None
        caller = Caller(
            user_id=user.id,
            user_name=user.name,
            kind="system",
            is_administrator=user.kind == "administrator",
            is_annotator=user.kind == "annotator",
            address="",
            request_id=row.id,
            language="en",
            now=self._app.state.clock(),
            project_ref=ProjectRef(project.id, project.name, project.is_public),
        )
        return replace(caller, permissions=permissions_in(session, caller, project))

    def _after_publishing(self, row: RoundRow, by: Caller) -> None:
        place = Place(DATASET, row.asset_id, str(row.version_number))
        with self._db.read() as session:
            opened = open_version(session, place, project_id=by.project.id)
        if opened.state != PUBLISHED:
            self._wait_for_job(row)
            return
        with self._db.write() as session:
            if (mine := self._locked(session, row, "publishing")) is None:
                return
            mine.job_id = copying.submit(session, place, note="", by=by).id
            self._step(mine, "copying", by)

    def _after_copying(self, row: RoundRow, by: Caller) -> None:
        job = self._wait_for_job(row)
        if job is None:
            return
        place = Place(DATASET, row.asset_id, str(row.version_number))
        asked = RetrainStart.model_validate(row.asked)
        wanted = TrainStart(**asked.model_dump(exclude={"then_annotate", "threshold"}))
        state = self._app.state
        plan = planning.make_plan(
            self._db, state.facts, place, wanted, own_python=state.settings.models_own_python, by=by
        )
        with self._db.write() as session:
            if (mine := self._locked(session, row, "copying")) is None:
                return
            mine.draft_number = int(job.result["version"])
            mine.run_id = starting.start(session, plan, name=None, by=by)[0].id
            self._step(mine, "training", by)

    def _after_training(self, row: RoundRow, by: Caller) -> None:
        with self._db.read() as session:
            run = session.get(RunRow, row.run_id)
            if run is None:
                raise Conflict("loop_run_gone")
            carrier = session.get(WorkloadRow, run.workload_id) if run.workload_id else None
        if run.state not in FINAL or (carrier is not None and carrier.outputs_state == "waiting"):
            return
        if run.state != "completed":
            raise Conflict("loop_run_failed", name=run.name, state=run.state)
        self._app.state.facts.look()
        if not row.asked.get("then_annotate"):
            self._finish(row, by)
            return
        with self._db.read() as session:
            facts = session.scalar(sa.select(FactsRow).where(FactsRow.run_id == run.id).limit(1))
        if facts is None or carrier is None or not facts.facts.get("is_runnable"):
            raise Conflict("loop_no_model", name=run.name)
        self._annotate(row, run, by)

    def _annotate(self, row: RoundRow, run: RunRow, by: Caller) -> None:
        state = self._app.state
        with self._db.read() as session:
            name = run_view(session, run, by.language).model
        if name is None:
            raise Conflict("loop_no_model", name=run.name)
        source = ModelSource(type="model", model=name)
        found = sources.resolve(self._db, state.facts, source, settings=state.settings, by=by)
        body = AutoCreate(source=source, threshold=row.asked["threshold"])
        with self._db.write() as session:
            if (mine := self._locked(session, row, "training")) is None:
                return
            place = Place(DATASET, row.asset_id, str(row.draft_number))
            opened = open_version(session, place, project_id=by.project.id)
            own = state.settings.models_own_python
            mine.work_id = auto.create_auto(session, opened, found, body, own_python=own, by=by).id
            self._step(mine, "annotating", by)

    def _after_annotating(self, row: RoundRow, by: Caller) -> None:
        with self._db.read() as session:
            work = session.get(WorkRow, row.work_id)
        if work is not None and work.state not in ENDED:
            return
        if work is not None and work.state == FAILED:
            self._fail(row, work.error or text("work_broke"))
            return
        self._finish(row, by)

    def _wait_for_job(self, row: RoundRow) -> JobRow | None:
        """The step's job once it is done; None while it goes on. Raises when it came to nothing."""
        with self._db.read() as session:
            job = session.get(JobRow, row.job_id) if row.job_id else None
        if job is None:
            raise Conflict("loop_job_gone")
        if job.state not in JOB_FINAL:
            return None
        if job.state != "completed":
            raise Conflict("loop_job_failed", name=job.name)
        return job

    def _locked(self, session: Session, row: RoundRow, step: str) -> RoundRow | None:
        """The row, if it still is where it was: nobody stopped it, no other process was quicker."""
        mine = session.get(RoundRow, row.id, with_for_update=True, populate_existing=True)
        return mine if mine is not None and mine.state == RUNNING and mine.step == step else None

    def _step(self, row: RoundRow, step: str, by: Caller) -> None:
        row.step, row.changed_at = step, by.now

    def _finish(self, row: RoundRow, by: Caller) -> None:
        with self._db.write() as session:
            if (mine := self._locked(session, row, row.step)) is not None:
                mine.step = "done"
                _end(mine, DONE, by.now)

    def _fail(self, row: RoundRow, error: dict[str, Any]) -> None:
        log.info("the round %s came to nothing: %s", row.id, error)
        with self._db.write() as session:
            if (mine := self._locked(session, row, row.step)) is not None:
                mine.error = error
                _end(mine, FAILED, self._app.state.clock())


def _end(row: RoundRow, state: str, now: Any) -> None:
    row.state, row.changed_at, row.finished_at = state, now, now


def _record(session: Session, verb: str, row: RoundRow, name: str, *, by: Caller) -> None:
    audit.record(
        session,
        f"loop.{verb}",
        by=by,
        target_kind="dataset",
        target_id=row.asset_id,
        target_name=name,
        project_id=row.project_id,
        after={"round": row.id, "version": row.version_number},
    )
