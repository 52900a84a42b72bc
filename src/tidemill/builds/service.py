"""Building Python images: a workload gathers wheels, then background work makes the image of them."""

import json
import os
import shutil
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.builds.recipe import WHEELS
from tidemill.images import making
from tidemill.images.depot import Images
from tidemill.images.registry.repositories import record
from tidemill.images.tables import ImageRow
from tidemill.images.wheels import pip_environment
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.jobs.texts import say
from tidemill.kernel.errors import Conflict, TidemillError, Unavailable
from tidemill.kernel.fields import name_key
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.wanted import Wanted

KIND = "build"
JOB = "image_build"
TIME_LIMIT_S = 2 * 3600.0
OF_PACKAGES = "packages/"
"""Images that were made for package versions never change."""
_NOT_FOR_WORKLOADS = frozenset({"PATH", "HOME", "LANG", "LC_ALL"})


def start(session: Session, row: ImageRow, *, by: Caller) -> WorkloadRow:
    """Submits the workload that builds the image."""
    wanted = Wanted(
        kind=KIND,
        owner_id=row.id,
        name=f"{row.name}:{row.version}",
        command=("python", "-m", "tidemill.builds.recipe"),
        environment={
            "TIDEMILL_REQUIREMENTS": json.dumps(row.requirements),
            "TIDEMILL_ALWAYS": json.dumps(making.all_requirements(())),
        },
        # Where packages come from may have a password in it.
        secrets={k: v for k, v in pip_environment(os.environ).items() if k not in _NOT_FOR_WORKLOADS},
        time_limit_s=TIME_LIMIT_S,
    )
    workload = workloads.submit(session, wanted, by=by)
    row.workload_id, row.state, row.problem, row.updated_at = workload.id, "building", None, by.now
    return workload


def rebuild(session: Session, row: ImageRow, *, by: Caller) -> WorkloadRow:
    """Builds an image again, from what was asked for then: newer packages may have come since."""
    if row.kind != "python" or row.is_builtin or row.name.startswith(OF_PACKAGES):
        raise Conflict("build_not_possible", image=f"{row.name}:{row.version}")
    if row.state == "building":
        raise Conflict("image_building", image=f"{row.name}:{row.version}")
    record(session, "image.build", row, by=by, before={"digest": row.digest})
    return start(session, row, by=by)


def stop(session: Session, row: ImageRow, *, by: Caller) -> None:
    """Stops the build under way."""
    if row.state != "building" or row.workload_id is None:
        raise Conflict("build_not_running", image=f"{row.name}:{row.version}")
    workloads.stop(session, row.workload_id, by=by)


class BuildWatcher:
    """Hears where builds are."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.to_state not in FINAL:
            return
        row = session.get(ImageRow, workload.owner_id)
        if row is None or row.workload_id != workload.id or row.state != "building":
            return
        if event.to_state == "completed":
            params = {"image_id": row.id, "workload_id": workload.id}
            title = f"{row.name}:{row.version}"
            by = _creator(session, workload)
            jobs.submit(session, JOB, params=params, name=title, by=by, project_id=row.project_id)
            return
        stopped = event.to_state == "stopped"
        why = say(workload.message, "en") if workload.message else event.reason or ""
        error = Conflict("build_stopped") if stopped else Conflict("build_failed", reason=why)
        making.fail(session, row.id, error, now=event.at)


def finish(job: RunningJob) -> dict[str, Any]:
    """Makes the image of what the workload left."""
    images: Images = job.app.state.images
    image_id, workload_id = job.params["image_id"], job.params["workload_id"]
    with job.db.read() as session:
        row, workload = session.get(ImageRow, image_id), session.get(WorkloadRow, workload_id)
    if row is None or workload is None or row.workload_id != workload_id:
        return {"image_id": image_id, "is_made": False}
    folder = job.app.state.engine.workspace(workload.workspace) / WHEELS
    job.progress(0, None, "", "build_installing")
    try:
        making.finish_python(images, image_id, folder)
    except TidemillError as error:
        with job.db.write() as session:
            making.fail(session, image_id, error, now=job.now)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    return {"image_id": image_id, "is_made": True}


def look_after(app: FastAPI) -> None:
    """Starts builds that rooms below asked for, and gives up those whose end was lost."""
    with app.state.db.read() as session:
        building = sa.and_(ImageRow.state == "building", ImageRow.kind == "python")
        rows = session.scalars(sa.select(ImageRow).where(building)).all()
    for row in rows:
        with app.state.db.write() as session:
            _look_after(session, row.id, now=app.state.clock())


def _look_after(session: Session, image_id: str, *, now: datetime) -> None:
    row = session.get(ImageRow, image_id, with_for_update=True)
    if row is None or row.state != "building":
        return
    if row.workload_id is None:
        try:
            with session.begin_nested():
                start(session, row, by=_requester(session, row, now))
        except TidemillError as error:
            making.fail(session, row.id, error, now=now)
        return
    workload = session.get(WorkloadRow, row.workload_id)
    if workload is not None and (workload.state not in FINAL or _is_finishing(session, row)):
        return
    making.fail(session, row.id, Unavailable("build_lost"), now=now)


def _is_finishing(session: Session, row: ImageRow) -> bool:
    title = f"{row.name}:{row.version}"
    same = sa.and_(JobRow.project_id == row.project_id, JobRow.kind == JOB, JobRow.name == title)
    active = sa.select(JobRow.id).where(same, JobRow.state.in_(("waiting", "running")))
    return session.scalar(active.limit(1)) is not None


def _requester(session: Session, row: ImageRow, now: datetime) -> Caller:
    """Who asked for the image, without a request."""
    user = session.scalar(sa.select(UserRow).where(UserRow.name_key == name_key(row.created_by)))
    return _without_request(session, user.id if user else None, row.created_by, row.project_id, now)


def _creator(session: Session, workload: WorkloadRow) -> Caller:
    return _without_request(
        session,
        workload.created_by_id,
        workload.created_by,
        workload.project_id,
        workload.ended_at or workload.changed_at,
    )


def _without_request(session: Session, user_id: str | None, name: str, project_id: str, now: datetime) -> Caller:
    project = session.get_one(ProjectRow, project_id)
    return Caller(
        user_id=user_id,
        user_name=name,
        kind="system",
        is_administrator=False,
        address="",
        request_id="",
        language="en",
        now=now,
        project_ref=ProjectRef(project.id, project.name, project.is_public),
    )
