"""How the loop on a dataset stands."""

from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET
from tidemill.assets.known import load_versions
from tidemill.assets.lookup import Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets import counting, doubts, items
from tidemill.datasets.items import Filter
from tidemill.datasets.lookup import Opened, get_dataset, open_version
from tidemill.datasets.schemas import ItemView
from tidemill.datasets.service import progress_of
from tidemill.datasets.states import DONE, DRAFT, PUBLISHED, SCENES, SUGGESTED, UNLABELLED
from tidemill.datasets.tables import ITEMS, DatasetVersionRow
from tidemill.kernel.i18n import message
from tidemill.models.evaluations.schemas import RunName
from tidemill.models.loop.advising import Standing, advise
from tidemill.models.loop.rounds import find_last, round_view
from tidemill.models.loop.schemas import ActionView, Advice, LoopPoint, LoopView
from tidemill.models.model_files import rank_of
from tidemill.models.tables import EvaluationRow, FactsRow, TrainingRow
from tidemill.training.tables import RunRow

POINTS_MAX = 100
NEXT = 20


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a dataset that the loop is about."""

    draft: Opened | None
    published: Opened | None


def show_loop(session: Session, place: Place, *, by: Caller) -> LoopView:
    """Everything on the page."""
    asset, dataset = get_dataset(session, place, project_id=by.project.id)
    found = find_versions(session, asset, by)
    shown = found.draft or found.published
    states = counting.get_counts(session, shown.vid).get(counting.STATE, {}) if shown else {}
    labelled = sum(states.get(str(code), 0) for code in DONE)
    curve = list_points(session, asset.id, by=by)
    last = find_last(session, asset.id)
    going = last is not None and last.state == "running"
    newest = next((point for point in reversed(curve) if point.model), None)
    looked, order = _next_items(session, found.draft)
    standing = Standing(
        is_busy=going,
        labelled=labelled,
        suggested=states.get(str(SUGGESTED), 0),
        unlabelled=states.get(str(UNLABELLED), 0),
        trained_with=newest.labelled if newest else None,
        quality=newest.value if newest else None,
        has_looked=order == "uncertainty",
    )
    code, action = advise(standing)
    measured = [point for point in curve if point.value is not None]
    best = max(measured, key=lambda point: rank_of({str(point.metric): point.value}, point.metric), default=None)
    return LoopView(
        dataset=asset.name,
        task=SCENES.get(dataset.annotation_type, dataset.annotation_type),
        draft=found.draft.number if found.draft else None,
        latest_published=found.published.number if found.published else None,
        items=sum(states.values()),
        labelled=labelled,
        suggested=standing.suggested,
        unlabelled=standing.unlabelled,
        progress=progress_of(states)[2],
        curve=curve,
        primary=newest.metric if newest else None,
        best=best,
        model=newest.model if newest else None,
        next_items=looked,
        next_order=order,
        advice=Advice(
            code=code,
            message=message(f"advice_{code}", by.language, labelled=labelled, suggested=standing.suggested),
            action=action,
        ),
        actions=_actions(found, newest, standing, by),
        round=round_view(session, last, by.language) if last else None,
    )


def find_versions(session: Session, asset: AssetRow, by: Caller) -> Versions:
    """The newest draft and the newest published version."""

    def newest(state: str) -> Opened | None:
        number = session.scalar(
            sa.select(sa.func.max(VersionRow.number))
            .join(DatasetVersionRow, DatasetVersionRow.version_id == VersionRow.id)
            .where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None), DatasetVersionRow.state == state)
        )
        if number is None:
            return None
        return open_version(session, Place(DATASET, asset.id, str(number)), project_id=by.project.id)

    return Versions(newest(DRAFT), newest(PUBLISHED))


def list_points(session: Session, dataset_asset_id: str, *, by: Caller) -> list[LoopPoint]:
    """Models that were trained from the dataset, the oldest first."""
    rows = session.execute(
        sa.select(TrainingRow, RunRow.name, FactsRow)
        .join(RunRow, RunRow.id == TrainingRow.run_id)
        .join(FactsRow, FactsRow.run_id == TrainingRow.run_id)
        .where(TrainingRow.dataset_asset_id == dataset_asset_id, TrainingRow.project_id == by.project.id)
        .order_by(TrainingRow.created_at.desc(), TrainingRow.run_id.desc())
        .limit(POINTS_MAX)
    ).all()
    known = load_versions(session, {facts.version_id for _, _, facts in rows})
    measured = _evaluations(session, [training.run_id for training, _, _ in rows])
    points: dict[str, LoopPoint] = {}
    for training, name, facts in rows:
        version = known.get(facts.version_id)
        evaluation = measured.get(training.run_id)
        metrics, primary = facts.facts.get("metrics", {}), facts.facts.get("primary")
        if evaluation is not None and evaluation.primary_metric:
            metrics, primary = evaluation.metrics, evaluation.primary_metric
        points.setdefault(
            training.run_id,
            LoopPoint(
                labelled=training.labelled,
                version=int(training.dataset.rpartition("@")[2]),
                model=f"{version.asset}@{version.number}" if version and version.is_live else None,
                evaluation=evaluation.id if evaluation else None,
                run=RunName(id=training.run_id, name=name),
                metric=primary,
                value=metrics.get(primary) if primary else None,
                created_at=training.created_at,
            ),
        )
    return list(reversed(points.values()))


def _evaluations(session: Session, run_ids: list[str]) -> dict[str, EvaluationRow]:
    rows = session.scalars(sa.select(EvaluationRow).where(EvaluationRow.run_id.in_(run_ids)))
    return {str(row.run_id): row for row in rows}


def _next_items(session: Session, draft: Opened | None) -> tuple[list[ItemView], Any]:
    """What to label next: what a model is least sure of, else simply the next."""
    if draft is None:
        return [], "seq"
    wanted = [ITEMS.c.state.in_((UNLABELLED, SUGGESTED))]
    found = doubts.find_seqs(session, draft.vid, "uncertainty", wanted, label=None, after=None, limit=NEXT)
    order = "uncertainty" if found else "seq"
    seqs = [seq for seq, _ in found]
    if not seqs:
        seqs = items.find_seqs(session, draft.vid, Filter(state=UNLABELLED), after=None, limit=NEXT)
    loaded = items.load_items(session, draft.vid, seqs, with_doubt=True)
    return [ItemView.model_validate(orjson.loads(orjson.dumps(one))) for one in loaded], order


def _actions(found: Versions, newest: LoopPoint | None, now: Standing, by: Caller) -> dict[str, ActionView]:
    def view(*reasons: tuple[bool, str]) -> ActionView:
        code = next((code for is_so, code in reasons if is_so), None)
        return ActionView(allowed=code is None, reason=message(code, by.language) if code else None)

    busy = (now.is_busy, "loop_busy_reason")
    few = (now.labelled == 0, "loop_no_labels_reason")
    may_not = (not (by.may("training.write") and by.may("dataset.write")), "loop_forbidden_reason")
    return {
        "label": view((found.draft is None, "loop_no_draft_reason")),
        "train": view(may_not, busy, (found.published is None and found.draft is None, "loop_no_draft_reason"), few),
        "retrain": view(may_not, busy, (found.draft is None, "loop_no_draft_reason"), few),
        "auto": view(
            may_not, busy, (found.draft is None, "loop_no_draft_reason"), (newest is None, "loop_no_model_reason")
        ),
    }
