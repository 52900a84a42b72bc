"""A model of the catalogue becomes a model asset: its files taken in one by one, then one version with all of them."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.kinds import MODEL
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import Conflict
from tidemill.models.catalogue import fetching
from tidemill.models.catalogue.entries import Entry, File, find_entry, model_json
from tidemill.models.facts import FactsReader
from tidemill.models.planting import Entry as TreeEntry
from tidemill.models.planting import Plant, plant
from tidemill.store import blobs, intake
from tidemill.store.depot import Store

KIND = "catalogue_install"


def submit(session: Session, entry: Entry, *, by: Caller) -> JobRow:
    """Asks for the installation into the caller's project; one that is under way is found."""
    going = find_going(session, by.project.id).get(entry.name)
    if going is not None:
        return session.get_one(JobRow, going)
    if entry.package is not None and not entry.has_package:
        raise Conflict("catalogue_package", name=entry.name, package=entry.package)
    return jobs.submit(
        session,
        KIND,
        params={"entry": entry.name},
        name=entry.name,
        by=by,
        project_id=by.project.id,
        link=f"/projects/{by.project.name}/models/{entry.name}",
    )


def find_going(session: Session, project_id: str) -> dict[str, str]:
    """Installations under way: the jobs' ids by name."""
    rows = session.scalars(
        sa.select(JobRow).where(
            JobRow.kind == KIND, JobRow.project_id == project_id, JobRow.state.in_(("waiting", "running"))
        )
    )
    return {row.params["entry"]: row.id for row in rows}


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the job. What it has taken in is found again by the next attempt."""

    def run(job: RunningJob) -> dict[str, Any]:
        store: Store = app.state.store
        entry = find_entry(job.params["entry"])
        if entry is None:
            raise Conflict("catalogue_unknown", name=job.params["entry"])
        folder = store.temporary / job.id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            return _install(job, store, app.state.facts, entry, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return run


def _install(job: RunningJob, store: Store, facts: FactsReader, entry: Entry, folder: Path) -> dict[str, Any]:
    by = _caller(job)
    entries, done = [], 0
    listed: str | None = None
    for file in entry.files:
        done = _take_in(job, store, file, folder, done, entry.size_bytes)
        entries.append(TreeEntry(file.path, file.sha256, file.size_bytes))
        if isinstance(entry.labels, dict) and file.path == entry.labels["file"]:
            listed = b"".join(store.backend.read(file.sha256)).decode("utf-8")
    described = orjson.dumps(model_json(entry, listed), option=orjson.OPT_INDENT_2)
    digest, size = intake.keep_bytes(job.db, store.backend, by.project.id, described, job.now)
    entries.append(TreeEntry("model.json", digest, size))
    told = f"{entry.title['en']} · {entry.title['zh-CN']}"
    note = f"{entry.origin}, {entry.licence}"
    number, is_new = plant(job.db, store, Plant(MODEL, entry.name, entry.task, told, note, entries), by=by)
    facts.look()
    return {"model": f"{entry.name}@{number}", "new": is_new}


def _take_in(job: RunningJob, store: Store, file: File, folder: Path, done: int, total: int) -> int:
    """One file into the store, unless the project has it; how many bytes are done."""
    assert job.project_id is not None
    came = done

    def progress(count: int) -> None:
        nonlocal came
        came += count
        job.progress(came, total, "bytes")
        job.check()

    with job.db.write() as session:
        is_held = file.sha256 in blobs.known(session, job.project_id, [file.sha256], job.now)
    if is_held:
        return done + file.size_bytes
    target, staged = folder / file.sha256, None
    local = fetching.find_local(job.settings.catalogue_folder, file)
    if local is not None:
        staged = fetching.copy(local, file, target, progress)
    if staged is None:
        came = done
        staged = fetching.download(file, target, job.settings.outbound_allow, progress)
    intake.keep_files(job.db, store.backend, job.project_id, [staged], job.now)
    return done + file.size_bytes


def _caller(job: RunningJob) -> Caller:
    with job.db.read() as session:
        project = session.get_one(ProjectRow, job.project_id)
    return replace(
        job.caller(),
        project_ref=ProjectRef(project.id, project.name, project.is_public),
        permissions=frozenset({"model.read", "model.write"}),
    )
