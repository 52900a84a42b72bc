"""Works: begun, found, shown, stopped, forgotten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets.lookup import COLUMNS, Opened
from tidemill.datasets.tables import DatasetVersionRow, WorkRow
from tidemill.datasets.works.reports import words
from tidemill.datasets.works.schemas import WorkErrorView, WorkView
from tidemill.datasets.works.states import DONE, ENDED, PREFIXES, WAITING, WORKLOAD_KINDS, Kind
from tidemill.jobs.texts import say, say_error
from tidemill.kernel.db import Database, announce
from tidemill.kernel.errors import Conflict, Forbidden, NotFound
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store import pins
from tidemill.store.tables import PinRow
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.wanted import Input, Wanted

TOPIC = "dataset_works"
RETRIES = 3
TRIAL_KEPT = timedelta(days=1)
_INPUTS = "/inputs"
TOKEN_SCOPES = ("dataset.work", "upload.write")
"""What a work's program may, in its project: report on works, which ask besides that it is their own, and send content.
Nothing else there is open to it."""

V = TypeVar("V", bound=WorkView)


@dataclass(frozen=True, slots=True)
class Asked:
    """A work to be begun."""

    kind: Kind
    asked: dict[str, Any]
    program: str
    """The module that does it."""
    title: str
    format: str | None = None
    is_dry_run: bool = False
    target_vid: int | None = None
    fingerprint: str | None = None
    version_revision: int | None = None
    inputs: tuple[Input, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    """The platform's own Python when not given."""
    spec: str | None = None
    token_scopes: tuple[str, ...] = ()
    """What its program may beside a work's own steps."""


def begin(session: Session, opened: Opened, wanted: Asked, *, by: Caller) -> WorkRow:
    """A new work on the version, and the workload that does it."""
    if not by.may("upload.write"):
        # Its program sends content as the one who asked for it.
        raise Forbidden("forbidden_permission", permission="upload.write")
    row = WorkRow(
        id=new_id(PREFIXES[wanted.kind]),
        kind=wanted.kind,
        project_id=by.project.id,
        vid=opened.vid,
        target_vid=wanted.target_vid,
        state=WAITING,
        asked=wanted.asked,
        is_dry_run=wanted.is_dry_run,
        format=wanted.format,
        stage="",
        done=0,
        counts={},
        notes_count=0,
        parts=0,
        fingerprint=wanted.fingerprint,
        version_revision=wanted.version_revision,
        file_name="",
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    session.add(row)
    session.flush()
    workload = workloads.submit(session, _workload(row, wanted), by=by)
    row.workload_id = workload.id
    _record(session, "create", row, opened, by=by, after=wanted.asked)
    announce(session, TOPIC)
    session.flush()
    return row


def find_opened(session: Session, vid: int) -> Opened | None:
    """The version a work is about, by its number; None when it is gone or in the bin."""
    row = session.execute(
        sa.select(*COLUMNS).where(
            DatasetVersionRow.vid == vid,
            VersionRow.id == DatasetVersionRow.version_id,
            VersionRow.deleted_at.is_(None),
            AssetRow.id == VersionRow.asset_id,
            AssetRow.deleted_at.is_(None),
        )
    ).one_or_none()
    return None if row is None else Opened(*row)


def get_work(session: Session, opened: Opened, kind: Kind, work_id: str, *, lock: bool = False) -> WorkRow:
    """A work of that kind on that version."""
    row = session.get(WorkRow, work_id, with_for_update=lock or None, populate_existing=lock)
    if row is None or row.vid != opened.vid or row.kind != kind:
        raise NotFound("work_not_found", id=work_id[:100])
    return row


def list_works(session: Session, opened: Opened, kind: Kind, page: PageQuery, view: Any, *, by: Caller) -> Page[V]:
    """Works of a kind on a version, the newest first."""
    return fetch_page(
        session,
        sa.select(WorkRow).where(WorkRow.vid == opened.vid, WorkRow.kind == kind),
        page,
        sorts={"created_at": WorkRow.created_at},
        id_column=WorkRow.id,
        default_sort="-created_at",
        view=lambda rows: [view(row, opened, by.language) for row in rows],
    )


def stop(session: Session, row: WorkRow, opened: Opened, *, by: Caller) -> None:
    """Asks a work to end. What it has done stays done."""
    if row.state in ENDED or row.workload_id is None:
        raise Conflict("work_ended", id=row.id)
    workloads.stop(session, row.workload_id, by=by)
    _record(session, "stop", row, opened, by=by)


def delete(session: Session, row: WorkRow, opened: Opened, *, by: Caller) -> None:
    """Forgets an ended work, its report and the file it made."""
    workload = session.get(WorkloadRow, row.workload_id) if row.workload_id else None
    if row.state not in ENDED or (workload is not None and workload.state not in FINAL):
        raise Conflict("work_not_ended", id=row.id)
    forget(session, row)
    if workload is not None and workload.deleted_at is None:
        workloads.delete(session, workload.id, by=by)
    _record(session, "delete", row, opened, by=by)


def forget(session: Session, row: WorkRow) -> None:
    """Removes a work and lets go of what it holds in the store."""
    for owner in (row.id, inputs_owner(row.id)):
        pins.unpin_all(session, row.project_id, owner)
    session.delete(row)
    announce(session, TOPIC)


def inputs_owner(work_id: str) -> str:
    """Under this name the store keeps what was sent for the work."""
    return f"{work_id}{_INPUTS}"


def release_trials(db: Database, now: datetime) -> None:
    """Lets go of what was sent for trial runs that nobody followed by an import for a day."""
    holds = sa.exists().where(PinRow.project_id == WorkRow.project_id, PinRow.owner == WorkRow.id + _INPUTS)
    old = sa.and_(WorkRow.is_dry_run, WorkRow.finished_at < now - TRIAL_KEPT)
    with db.read() as session:
        found = session.execute(sa.select(WorkRow.id, WorkRow.project_id).where(old, holds).limit(500)).all()
    for work_id, project_id in found:
        with db.write() as session:
            pins.unpin_all(session, project_id, inputs_owner(work_id))


def fields(row: WorkRow, opened: Opened, language: Language) -> dict[str, Any]:
    """What all views of works show."""
    percent = None
    if row.state == DONE:
        percent = 100.0
    elif row.total:
        percent = min(100.0, round(100 * row.done / row.total, 1))
    return {
        "id": row.id,
        "kind": row.kind,
        "state": row.state,
        "stage": row.stage,
        "done": row.done,
        "total": row.total,
        "progress": percent,
        "counts": row.counts,
        "notes": row.notes_count,
        "error": error_view(row.error, language),
        "dry_run": row.is_dry_run,
        "dataset": opened.asset,
        "version": opened.number,
        "workload_id": row.workload_id,
        "created_at": row.created_at,
        "created_by": row.created_by,
        "finished_at": row.finished_at,
    }


def error_view(error: dict[str, Any] | None, language: Language) -> WorkErrorView | None:
    """Why a work failed: a note of its program, or what the platform says of its workload."""
    if error is None:
        return None
    if "note" in error:
        note = error["note"]
        return WorkErrorView(code=note["code"], message=words(note, language), path=note.get("path") or None)
    if "said" in error:
        return WorkErrorView(code="work_failed", message=say(error, language))
    told = say_error(error, language)
    return WorkErrorView(code=told["code"], message=told["message"], hint=told["hint"])


def views_of(session: Session, rows: Sequence[WorkRow]) -> list[tuple[WorkRow, Opened]]:
    """Works with their versions; those of versions that are gone are left out."""
    opened = {vid: find_opened(session, vid) for vid in {row.vid for row in rows}}
    return [(row, found) for row in rows if (found := opened[row.vid]) is not None]


def _workload(row: WorkRow, wanted: Asked) -> Wanted:
    return Wanted(
        kind=WORKLOAD_KINDS[wanted.kind],
        owner_id=row.id,
        name=wanted.title,
        command=("python", "-m", wanted.program),
        image=wanted.image,
        spec=wanted.spec,
        inputs=wanted.inputs,
        environment={"TIDEMILL_WORK": row.id, **wanted.environment},
        secrets=wanted.secrets,
        retries=RETRIES,
        token_scopes=(*TOKEN_SCOPES, *wanted.token_scopes),
    )


def _record(session: Session, verb: str, row: WorkRow, opened: Opened, *, by: Caller, **change: Any) -> None:
    audit.record(
        session,
        f"dataset.{row.kind}_{verb}",
        by=by,
        target_kind="dataset",
        target_id=opened.asset_id,
        target_name=opened.name,
        **change,
    )
