"""What a run left in `evaluation/` beside its model becomes an evaluation by itself."""

import logging

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.known import load_versions
from tidemill.assets.tables import VersionRow
from tidemill.kernel.db import Database
from tidemill.kernel.ids import new_id
from tidemill.models.evaluations.rows import (
    PREFIX,
    RESULT_MAX_BYTES,
    BadResult,
    fill,
    pin_owner,
    read_result,
    touch,
)
from tidemill.models.tables import UNRANKED, EvaluationRow, FactsRow
from tidemill.store import pins, trees
from tidemill.store.backends import BlobBackend, BlobMissing

log = logging.getLogger("tidemill.models")

RESULT, PREDICTIONS = "evaluation/evaluation.json", "evaluation/predictions.jsonl"


def keep_evaluation(db: Database, backend: BlobBackend, version_id: str) -> str | None:
    """The evaluation of a model version that a run made; its id. Doing it twice does it once."""
    with db.read() as session:
        facts = session.get(FactsRow, version_id)
        version = session.get(VersionRow, version_id)
        if facts is None or version is None or facts.run_id is None:
            return None
        known = _find(session, facts)
        result = trees.find_entry(session, version.tree_id, RESULT)
        predictions = trees.find_entry(session, version.tree_id, PREDICTIONS)
    if known is not None:
        return known
    if result is None or result.digest is None or result.size_bytes > RESULT_MAX_BYTES:
        return None
    try:
        found = read_result(b"".join(backend.read(result.digest)))
    except (BadResult, BlobMissing) as error:
        log.info("the evaluation beside %s cannot be understood: %s", version_id, error)
        return None
    with db.write() as session:
        known = _find(session, facts)
        if known is not None:
            return known
        names = load_versions(session, {version_id, facts.dataset_version_id or ""})
        model, dataset = names.get(version_id), names.get(facts.dataset_version_id or "")
        if model is None or model.project_row.id != facts.project_id:
            return None
        told = found.get("dataset")
        row = EvaluationRow(
            id=new_id(PREFIX),
            project_id=facts.project_id,
            origin="run",
            state="done",
            model_asset_id=facts.asset_id,
            model_version_id=version_id,
            model=f"{model.asset}@{model.number}",
            dataset_asset_id=_asset_of(session, facts.dataset_version_id),
            dataset_version_id=facts.dataset_version_id,
            dataset=f"{dataset.asset}@{dataset.number}" if dataset else str(told or "")[:200],
            run_id=facts.run_id,
            part="test",
            task=facts.task,
            stage="",
            done=0,
            metrics={},
            primary_metric="",
            rank=UNRANKED,
            digest=result.digest,
            size_bytes=result.size_bytes,
            revision=0,
            changed_at=facts.created_at,
            created_at=facts.created_at,
            created_by=version.created_by,
            finished_at=facts.created_at,
        )
        threshold = found.get("threshold")
        row.threshold = float(threshold) if isinstance(threshold, int | float) else None
        fill(row, found)
        sizes = {result.digest: result.size_bytes}
        if predictions is not None and predictions.digest is not None:
            row.predictions_digest, row.predictions_bytes = predictions.digest, predictions.size_bytes
            sizes[predictions.digest] = predictions.size_bytes
        session.add(row)
        session.flush()
        # The files are the version's; held here too, they outlive it.
        pins.pin(session, row.project_id, pin_owner(row.id), sizes)
        touch(session, row, row.changed_at)
        return row.id


def _find(session: Session, facts: FactsRow) -> str | None:
    same = sa.and_(EvaluationRow.run_id == facts.run_id, EvaluationRow.model_version_id == facts.version_id)
    return session.scalar(sa.select(EvaluationRow.id).where(same))


def _asset_of(session: Session, version_id: str | None) -> str | None:
    if version_id is None:
        return None
    return session.scalar(sa.select(VersionRow.asset_id).where(VersionRow.id == version_id))
