"""Results written into a dataset: asked for, listed."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Place, resolve_reference
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import copying
from tidemill.datasets.lookup import Opened, check_draft, open_version
from tidemill.datasets.states import DRAFT
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.datasets.works.service import error_view
from tidemill.inference.results.writing import KIND, found_by, labels_for
from tidemill.inference.schemas import WriteBackCreate, WriteBackMapping, WriteBackTarget, WriteBackView
from tidemill.inference.tables import InferenceRunRow, WriteBackRow
from tidemill.jobs import service as jobs
from tidemill.jobs.states import FINAL as JOB_FINAL
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import Conflict, Forbidden, NotFound
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.models.auto.service import check_mapping, mapping_view
from tidemill.workloads.lifecycle import FINAL

PREFIX = "iwb"
ENDED = frozenset({"done", "failed", "stopped"})


def create(session: Session, run: InferenceRunRow, body: WriteBackCreate, *, by: Caller) -> WriteBackRow:
    """Asks for it; a job of its own does it."""
    if not by.may("dataset.write"):
        raise Forbidden("forbidden_permission", permission="dataset.write")
    _check_results(run)
    opened = _target(session, run, body, by=by)
    _refuse_second(session, run, opened, body.form)
    row = WriteBackRow(
        id=new_id(PREFIX),
        project_id=run.project_id,
        run_id=run.id,
        form=body.form,
        asked=body.model_dump(mode="json", exclude={"form", "dataset"}),
        state="waiting",
        dataset_asset_id=opened.asset_id,
        dataset=opened.asset,
        seq=0,
        counts={},
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    made: DatasetVersionRow | None = None
    copy: dict[str, Any] | None = None
    if body.form == "version":
        if body.mapping is not None:
            check_mapping(session, opened, found_by(run), body)
        place = Place(DATASET, opened.asset_id, str(opened.number))
        made, copy = copying.prepare(session, place, note=body.note or run.name, by=by)
        row.vid = made.vid
    else:
        row.vid, row.version = opened.vid, opened.number
        # Labels are made, and what cannot be mapped is refused, while somebody is there to be told.
        row.asked = {**row.asked, "mapping": labels_for(session, opened, run, body, by=by)}
    session.add(row)
    session.flush()
    job = jobs.submit(
        session,
        KIND,
        params={"write_back": row.id, "copy": copy},
        name=run.name,
        by=by,
        project_id=run.project_id,
        link=version_link(by.project.name, DATASET.name, opened.asset, opened.number),
    )
    row.job_id = job.id
    if made is not None:
        made.job_id = job.id
    session.flush()
    audit.record(
        session, "inference.write_back", by=by, target_kind="inference_run", target_id=run.id, target_name=run.name,
        project_id=run.project_id, after={"form": body.form, "dataset": opened.name, "threshold": body.threshold},
    )  # fmt: skip
    return row


def suggest_mapping(session: Session, run: InferenceRunRow, ask: WriteBackTarget, *, by: Caller) -> WriteBackMapping:
    """What the labels that were found seem to mean in the version that would be written to."""
    _check_results(run)
    opened = _target(session, run, ask, by=by)
    found = mapping_view(session, opened, found_by(run), by=by)
    return WriteBackMapping(**found.model_dump(), dataset=opened.asset, version=opened.number)


def list_all(session: Session, run: InferenceRunRow, page: PageQuery, *, by: Caller) -> Page[WriteBackView]:
    """Of one run, the newest first."""
    return fetch_page(
        session,
        sa.select(WriteBackRow).where(WriteBackRow.run_id == run.id),
        page,
        sorts={"created_at": WriteBackRow.created_at},
        id_column=WriteBackRow.id,
        default_sort="-created_at",
        view=lambda rows: [view(session, row, by.language) for row in rows],
    )


def get(session: Session, run: InferenceRunRow, write_back_id: str) -> WriteBackRow:
    row = session.get(WriteBackRow, write_back_id)
    if row is None or row.run_id != run.id:
        raise NotFound("inference_write_back_not_found", id=write_back_id[:100])
    return row


def view(session: Session, row: WriteBackRow, language: Language) -> WriteBackView:
    job = session.get(JobRow, row.job_id) if row.job_id else None
    state, error = row.state, row.error
    if state not in ENDED and job is not None and job.state in JOB_FINAL:
        # The job was cancelled, or given up, without having been able to say so here.
        state = "stopped" if job.state == "cancelled" else "failed"
        error = error or job.error
    return WriteBackView(
        id=row.id,
        run=row.run_id,
        form=row.form,
        state=state,
        threshold=row.asked.get("threshold"),
        job=row.job_id,
        dataset=row.dataset,
        version=row.version,
        done=sum(row.counts.values()),
        counts=row.counts,
        error=error_view(error, language),
        created_at=row.created_at,
        created_by=row.created_by,
        finished_at=row.finished_at or (job.finished_at if job and state in ENDED else None),
    )


def _check_results(run: InferenceRunRow) -> None:
    if run.state not in FINAL:
        raise Conflict("inference_run_not_ended", name=run.name, state=run.state)
    if not run.shards:
        raise Conflict("inference_no_results", name=run.name)


def _target(session: Session, run: InferenceRunRow, body: WriteBackTarget, *, by: Caller) -> Opened:
    """The version that is written to, or that the new one is made from."""
    if body.dataset is not None and body.form == "suggestions":
        found = resolve_reference(session, body.dataset, by=by, kind=DATASET, field="dataset")
        return _draft(session, found.asset, found.version, by=by)
    version = session.get(VersionRow, run.dataset_version_id) if run.dataset_version_id else None
    asset = session.get(AssetRow, version.asset_id) if version else None
    if version is None or asset is None or asset.deleted_at is not None or version.deleted_at is not None:
        raise Conflict("inference_dataset_gone", field="dataset", name=run.dataset)
    if body.form == "version":
        return _open(session, asset, version, by=by)
    own = session.scalars(sa.select(DatasetVersionRow).where(DatasetVersionRow.version_id == version.id)).one()
    if own.state == DRAFT:
        return _draft(session, asset, version, by=by)
    newest = session.scalar(
        sa.select(VersionRow)
        .join(DatasetVersionRow, DatasetVersionRow.version_id == VersionRow.id)
        .where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None), DatasetVersionRow.state == DRAFT)
        .order_by(VersionRow.number.desc())
        .limit(1)
    )
    if newest is None:
        raise Conflict("inference_no_draft", field="dataset", name=asset.name)
    return _draft(session, asset, newest, by=by)


def _draft(session: Session, asset: AssetRow, version: VersionRow, *, by: Caller) -> Opened:
    opened = _open(session, asset, version, by=by)
    check_draft(opened)
    return opened


def _open(session: Session, asset: AssetRow, version: VersionRow, *, by: Caller) -> Opened:
    if asset.project_id != by.project.id:
        raise Conflict("inference_foreign_dataset", field="dataset", name=asset.name)
    return open_version(session, Place(DATASET, asset.id, str(version.number)), project_id=by.project.id)


def _refuse_second(session: Session, run: InferenceRunRow, opened: Opened, form: str) -> None:
    """Two that write the same to the same place at once would be in each other's way."""
    going = (
        sa.select(WriteBackRow.id)
        .join(JobRow, JobRow.id == WriteBackRow.job_id)
        .where(
            WriteBackRow.run_id == run.id,
            WriteBackRow.form == form,
            WriteBackRow.dataset_asset_id == opened.asset_id,
            JobRow.state.not_in(JOB_FINAL),
        )
    )
    if session.scalar(going.limit(1)):
        raise Conflict("inference_writing_back", name=run.name)
