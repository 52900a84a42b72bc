"""Evaluations: asked for, listed, shown, stopped, deleted."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET, MODEL
from tidemill.assets.lookup import Found, resolve_reference
from tidemill.assets.tables import VersionRow
from tidemill.datasets.counting import STATE, get_many
from tidemill.datasets.states import DONE, PUBLISHED
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.kernel.db import announce
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.models.evaluations.rows import PREFIX, TOPIC, pin_owner
from tidemill.models.evaluations.schemas import EvaluationCreate, EvaluationView, State
from tidemill.models.evaluations.views import evaluation_views
from tidemill.models.naming import name_for
from tidemill.models.pythons import RUNTIME, image_for
from tidemill.models.tables import UNRANKED, EvaluationRow, FactsRow
from tidemill.store import pins
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.wanted import Input, Wanted

KIND = "evaluation"
PROGRAM = "tidemill.models.evaluations.worker"
TOKEN_SCOPES = ("evaluation.work", "upload.write")
RETRIES = 3
MODEL_FOLDER, DATASET_FOLDER = "model", "dataset"
ENDED = frozenset({"done", "failed", "stopped"})


def resolve_model(session: Session, text: str, *, by: Caller, field: str = "model") -> Found:
    """The model version a caller means; it must be committed."""
    found = resolve_reference(session, text, by=by, kind=MODEL, field=field)
    if found.version.state != "committed":
        raise Conflict("model_not_committed", field=field, name=name_for(found, by))
    return found


def create_evaluation(
    session: Session, model: Found, facts: FactsRow | None, body: EvaluationCreate, *, own_python: bool, by: Caller
) -> EvaluationRow:
    """A new evaluation and the workload that does it. The facts were read before."""
    if facts is None or not facts.facts.get("is_runnable"):
        raise Invalid("model_not_runnable", field="model", name=name_for(model, by))
    dataset = _resolve_dataset(session, body.dataset, by=by)
    _check_labelled(session, dataset, by)
    row = EvaluationRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        origin="asked",
        state="waiting",
        model_asset_id=model.asset.id,
        model_version_id=model.version.id,
        model=name_for(model, by),
        dataset_asset_id=dataset.asset.id,
        dataset_version_id=dataset.version.id,
        dataset=name_for(dataset, by),
        task=facts.task,
        part=body.part,
        threshold=body.threshold,
        stage="",
        done=0,
        metrics={},
        primary_metric="",
        rank=UNRANKED,
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    session.add(row)
    session.flush()
    wanted = Wanted(
        kind=KIND,
        owner_id=row.id,
        name=f"{row.model} · {row.dataset}",
        command=("python", "-m", PROGRAM),
        image=image_for(RUNTIME, own_python=own_python),
        spec=body.spec,
        inputs=(
            Input(model.version.id, f"{MODEL_FOLDER}/{model.asset.name}"),
            Input(dataset.version.id, f"{DATASET_FOLDER}/{dataset.asset.name}"),
        ),
        environment={"TIDEMILL_WORK": row.id, "TIDEMILL_WORK_PLACE": "evaluation-works"},
        retries=RETRIES,
        token_scopes=TOKEN_SCOPES,
    )
    row.workload_id = workloads.submit(session, wanted, by=by).id
    _record(session, "create", row, by=by, after={"model": row.model, "dataset": row.dataset, "part": row.part})
    announce(session, TOPIC)
    session.flush()
    return row


def list_evaluations(
    session: Session, page: PageQuery, *, model: str | None, dataset: str | None, state: State | None, by: Caller
) -> Page[EvaluationView]:
    """The project's evaluations, newest first; of one model or dataset, or one version of it."""
    statement = sa.select(EvaluationRow).where(EvaluationRow.project_id == by.project.id)
    if model is not None:
        found = resolve_reference(session, model, by=by, kind=MODEL, field="model")
        column, value = (
            (EvaluationRow.model_version_id, found.version.id)
            if "@" in model
            else (EvaluationRow.model_asset_id, found.asset.id)
        )
        statement = statement.where(column == value)
    if dataset is not None:
        found = resolve_reference(session, dataset, by=by, kind=DATASET, field="dataset")
        if "@" in dataset:
            statement = statement.where(EvaluationRow.dataset_version_id == found.version.id)
        else:
            statement = statement.where(EvaluationRow.dataset_asset_id == found.asset.id)
    if state is not None:
        statement = statement.where(EvaluationRow.state == state)
    if page.q:
        text = f"%{name_key(page.q)}%"
        statement = statement.where(sa.or_(EvaluationRow.model.ilike(text), EvaluationRow.dataset.ilike(text)))
    return fetch_page(
        session,
        statement,
        page,
        sorts={"created_at": EvaluationRow.created_at, "primary_value": EvaluationRow.rank},
        id_column=EvaluationRow.id,
        default_sort="-created_at",
        view=lambda rows: evaluation_views(session, rows, by=by),
    )


def get_evaluation(session: Session, evaluation_id: str, *, by: Caller, lock: bool = False) -> EvaluationRow:
    row = session.get(EvaluationRow, evaluation_id, with_for_update=lock or None, populate_existing=lock)
    if row is None or row.project_id != by.project.id:
        raise NotFound("evaluation_not_found", id=evaluation_id[:100])
    return row


def stop_evaluation(session: Session, row: EvaluationRow, *, by: Caller) -> None:
    """Asks it to end."""
    if row.state in ENDED or row.workload_id is None:
        raise Conflict("evaluation_ended", id=row.id)
    workloads.stop(session, row.workload_id, by=by)
    _record(session, "stop", row, by=by)


def delete_evaluation(session: Session, row: EvaluationRow, *, by: Caller) -> None:
    """Forgets an ended evaluation and its files."""
    workload = session.get(WorkloadRow, row.workload_id) if row.workload_id else None
    if row.state not in ENDED or (workload is not None and workload.state not in FINAL):
        raise Conflict("evaluation_not_ended", id=row.id)
    pins.unpin_all(session, row.project_id, pin_owner(row.id))
    if workload is not None and workload.deleted_at is None:
        workloads.delete(session, workload.id, by=by)
    _record(session, "delete", row, by=by, before={"model": row.model, "dataset": row.dataset})
    session.delete(row)
    announce(session, TOPIC)


def _resolve_dataset(session: Session, text: str, *, by: Caller) -> Found:
    """The version that was named; a name alone means the newest that is published."""
    found = resolve_reference(session, text, by=by, kind=DATASET, field="dataset")
    if "@" in text:
        return found
    newest = session.scalar(
        sa.select(VersionRow)
        .join(DatasetVersionRow, DatasetVersionRow.version_id == VersionRow.id)
        .where(
            VersionRow.asset_id == found.asset.id,
            VersionRow.deleted_at.is_(None),
            DatasetVersionRow.state == PUBLISHED,
        )
        .order_by(VersionRow.number.desc())
        .limit(1)
    )
    return found if newest is None else Found(found.project, found.asset, newest)


def _check_labelled(session: Session, dataset: Found, by: Caller) -> None:
    own = session.scalar(sa.select(DatasetVersionRow).where(DatasetVersionRow.version_id == dataset.version.id))
    if own is None or own.state != PUBLISHED:
        raise Conflict("evaluation_not_published", field="dataset", name=name_for(dataset, by))
    counted = get_many(session, [own.vid], STATE).get(own.vid, {})
    if not sum(counted.get(str(code), 0) for code in DONE):
        raise Conflict("evaluation_unlabelled", field="dataset", name=name_for(dataset, by))


def _record(session: Session, verb: str, row: EvaluationRow, *, by: Caller, **change: object) -> None:
    audit.record(
        session,
        f"evaluation.{verb}",
        by=by,
        target_kind="evaluation",
        target_id=row.id,
        target_name=f"{row.model} · {row.dataset}",
        project_id=row.project_id,
        **change,  # type: ignore[arg-type]
    )
