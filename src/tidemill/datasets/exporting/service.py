"""Exports: asked for, used again while they are true, shown, forgotten when they are old."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import formats
from tidemill.datasets.exporting.schemas import ExportCreate, ExportState, ExportView
from tidemill.datasets.formats.training_files import KINDS
from tidemill.datasets.lookup import Opened, get_dataset, open_version
from tidemill.datasets.tables import DatasetVersionRow, WorkRow
from tidemill.datasets.works import service as works
from tidemill.datasets.works.registry import TRAINING, needs_files
from tidemill.datasets.works.service import Asked, forget
from tidemill.datasets.works.states import DONE, FAILED, RUNNING, STOPPED, WAITING
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.i18n import Language
from tidemill.workloads.wanted import Input

PROGRAM = "tidemill.datasets.exporting.worker"
_STATES: dict[str, ExportState] = {WAITING: "generating", RUNNING: "generating", DONE: "ready"}


def create_export(session: Session, place: Place, body: ExportCreate, *, by: Caller) -> tuple[WorkRow, bool]:
    """An export of the version as it is now, and whether it is a new one."""
    opened = open_version(session, place, project_id=by.project.id)
    _, dataset = get_dataset(session, place, project_id=by.project.id)
    _check(body, dataset.annotation_type)
    asked = body.model_dump(mode="json", exclude={"fresh"})
    fingerprint = hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()
    if not body.fresh and (found := _find_same(session, opened, fingerprint)) is not None:
        return found, False
    with_files = needs_files(body.format, dataset.annotation_type, with_data=body.with_data)
    wanted = Asked(
        kind="export",
        asked=asked,
        program=PROGRAM,
        title=f"{opened.name} {body.format}",
        format=body.format,
        fingerprint=fingerprint,
        version_revision=opened.revision,
        inputs=(Input(opened.version_id, "source"),) if with_files else (),
    )
    return works.begin(session, opened, wanted, by=by), True


def _check(body: ExportCreate, annotation_type: str) -> None:
    if body.format == TRAINING:
        if annotation_type not in KINDS:
            raise Invalid("export_training_type", field="format", annotation_type=annotation_type)
        ratio, seed = body.options.get("test_ratio", 0.2), body.options.get("seed", 0)
        is_ratio = isinstance(ratio, int | float) and 0 <= ratio <= 0.9
        if not is_ratio or not isinstance(seed, int) or isinstance(ratio, bool) or isinstance(seed, bool):
            raise Invalid("export_training_options", field="options")
    elif body.format not in formats.WRITERS:
        allowed = ", ".join(sorted([*formats.WRITERS, TRAINING]))
        raise Invalid("export_format_unknown", field="format", allowed=allowed)


def export_view(row: WorkRow, opened: Opened, language: Language) -> ExportView:
    shown: dict[str, Any] = works.fields(row, opened, language)
    state = _STATES.get(row.state, "failed" if row.state == FAILED else "stopped")
    if row.state == STOPPED:
        state = "stopped"
    if state == "ready" and row.digest is None:
        state = "expired"
    return ExportView(
        **{**shown, "state": state},
        format=row.asked["format"],
        with_data=row.asked["with_data"],
        states=row.asked["states"],
        options=row.asked["options"],
        file_name=row.file_name,
        size_bytes=row.size_bytes,
        is_current=row.version_revision == opened.revision,
    )


def get_file(row: WorkRow) -> tuple[str, int, str]:
    """Digest, size and name of the file that an export made."""
    if row.state != DONE:
        raise Conflict("export_not_ready", id=row.id)
    if row.digest is None or row.size_bytes is None:
        raise Conflict("export_expired", id=row.id)
    return row.digest, row.size_bytes, row.file_name


def forget_old(db: Database, now: datetime, days: float) -> None:
    """Removes exports past their time, and works of versions that are gone."""
    old = sa.and_(WorkRow.kind == "export", WorkRow.finished_at < now - timedelta(days=days))
    gone = WorkRow.vid.in_(sa.select(DatasetVersionRow.vid).where(DatasetVersionRow.version_id.is_(None)))
    with db.read() as session:
        ended = WorkRow.finished_at.is_not(None)
        ids = session.scalars(sa.select(WorkRow.id).where(ended, sa.or_(old, gone)).limit(500)).all()
    for work_id in ids:
        with db.write() as session:
            row = session.get(WorkRow, work_id, with_for_update=True)
            if row is not None:
                forget(session, row)


def _find_same(session: Session, opened: Opened, fingerprint: str) -> WorkRow | None:
    """One that was asked for in the same words, of the version as it is now, made or being made."""
    return session.scalar(
        sa.select(WorkRow)
        .where(
            WorkRow.vid == opened.vid,
            WorkRow.fingerprint == fingerprint,
            WorkRow.kind == "export",
            WorkRow.version_revision == opened.revision,
            WorkRow.state.in_((WAITING, RUNNING, DONE)),
        )
        .order_by(WorkRow.created_at.desc())
        .limit(1)
    )
