"""What a training from a version would be: found, chosen, explained. Nothing is written."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import ALGORITHM, MODEL
from tidemill.assets.known import KnownVersion, load_versions
from tidemill.assets.lookup import Place, resolve_reference
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets.lookup import Opened, open_version
from tidemill.datasets.states import PUBLISHED
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, TidemillError
from tidemill.kernel.fields import NAME_MAX
from tidemill.kernel.i18n import find_hint, message
from tidemill.models.evaluations.service import resolve_model
from tidemill.models.facts import READ, FactsReader
from tidemill.models.listing import list_manifests, manifest_of, projects_of
from tidemill.models.manifests import TIME_BUDGET, Manifest, check_parameters
from tidemill.models.naming import name_for
from tidemill.models.pythons import image_for
from tidemill.models.schemas import ParameterView
from tidemill.models.tables import FactsRow
from tidemill.models.training.choosing import Choice, budget_for, choose
from tidemill.models.training.schemas import (
    ChoiceView,
    ProblemView,
    StartModelView,
    TrainingPlan,
    TrainStart,
)
from tidemill.models.training.situation import CLASSIFYING, TASKS, Situation, measure
from tidemill.models.views import algorithm_view, called, manifest_view, parameter_views
from tidemill.workloads.specs import get_wanted_spec

LABELLED_MIN = 10
"""Below, nothing can be kept apart to test with."""
LISTED_MAX = 50


@dataclass(slots=True)
class Plan:
    """A training that could be started."""

    opened: Opened
    situation: Situation
    algorithm: KnownVersion | None
    manifest: Manifest | None
    model: KnownVersion | None
    model_reason: str
    image: str | None
    spec: str | None
    save_model: str
    time_budget_s: float
    choices: list[Choice] = field(default_factory=list)
    problems: list[TidemillError] = field(default_factory=list)
    algorithms: list[tuple[KnownVersion, Manifest]] = field(default_factory=list)
    starts: list[tuple[FactsRow, KnownVersion]] = field(default_factory=list)

    def parameters(self) -> dict[str, Any]:
        return {one.name: one.value for one in self.choices if one.value is not None}


def make_plan(
    db: Database, facts: FactsReader, place: Place, wanted: TrainStart, *, own_python: bool, by: Caller
) -> Plan:
    """The plan; what is wrong with what was asked for raises, what is wrong with the version is among its problems."""
    with db.read() as session:
        opened = open_version(session, place, project_id=by.project.id)
        situation = measure(session, opened, spec=wanted.spec)
        spec = get_wanted_spec(session, wanted.spec).name
        known = list_manifests(session, task=situation.task, by=by)
        asked = (
            resolve_reference(session, wanted.algorithm, by=by, kind=ALGORITHM, field="algorithm")
            if wanted.algorithm
            else None
        )
        model = resolve_model(session, wanted.model, by=by) if wanted.model else None
        starts = _starts(session, situation.task, by)
        chosen = next((one for one in known if one[0].project_row.is_public), known[0]) if known else None
        algorithm = load_versions(session, {asked.version.id})[asked.version.id] if asked else None
        start = load_versions(session, {model.version.id})[model.version.id] if model else None
    manifest = None
    if asked is not None:
        manifest = manifest_of(facts.ensure(asked.version.id), name_for(asked, by))
        _check_task(manifest, situation, name_for(asked, by))
    elif chosen is not None:
        algorithm, manifest = chosen
    reason = "start_asked" if wanted.model else "start_scratch"
    takes_model = manifest is not None and "train" in manifest.functions and manifest.functions["train"].model != "none"
    if start is None and wanted.model is None and takes_model:
        start = next((one for row, one in starts if situation.task in row.facts.get("trains", ())), None)
        reason = "start_pretrained" if start else reason
    budget = wanted.time_budget_s if wanted.time_budget_s is not None else _given_budget(wanted)
    choices: list[Choice] = []
    if manifest is not None:
        given = check_parameters(manifest, dict(wanted.parameters))
        choices = choose(manifest, situation, given=given, time_budget_s=budget)
    return Plan(
        opened=opened,
        situation=situation,
        algorithm=algorithm,
        manifest=manifest,
        model=start,
        model_reason=reason,
        image=image_for(manifest.image, own_python=own_python) if manifest else None,
        spec=spec,
        save_model=wanted.save_model or opened.asset[:NAME_MAX],
        time_budget_s=budget if budget is not None else budget_for(situation),
        choices=choices,
        problems=list(_problems(opened, situation, manifest)),
        algorithms=known,
        starts=starts,
    )


def plan_view(plan: Plan, *, by: Caller) -> TrainingPlan:
    """In the reader's language."""
    shown: dict[str, ParameterView] = {}
    if plan.manifest is not None:
        shown = {one.name: one for one in parameter_views(plan.manifest, by.language)}
    return TrainingPlan(
        dataset=plan.opened.name,
        task=plan.situation.task,
        algorithm=called(plan.algorithm, by) if plan.algorithm else None,
        image=plan.image,
        model=called(plan.model, by) if plan.model else None,
        model_reason=message(plan.model_reason, by.language),
        spec=plan.spec,
        save_model=plan.save_model,
        time_budget_s=plan.time_budget_s,
        can_train=not plan.problems,
        problems=[_problem(one, by) for one in plan.problems],
        algorithms=[algorithm_view(known, manifest, by=by) for known, manifest in plan.algorithms],
        models=[_start_view(row, known, plan.situation.task, by) for row, known in plan.starts],
        facts=plan.situation.facts(),
        choices=[
            ChoiceView(
                **shown[one.name].model_dump(),
                value=one.value,
                is_default=one.is_default,
                reason=message(one.reason, by.language, **one.params),
            )
            for one in plan.choices
        ],
        manifest=manifest_view(plan.algorithm, plan.manifest, by=by) if plan.algorithm and plan.manifest else None,
    )


def _given_budget(wanted: TrainStart) -> float | None:
    given = wanted.parameters.get(TIME_BUDGET)
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) and given > 0 else None


def _check_task(manifest: Manifest, situation: Situation, name: str) -> None:
    if "train" not in manifest.functions:
        raise Invalid("train_no_function", field="algorithm", name=name)
    if manifest.task != situation.task:
        raise Invalid("train_other_task", field="algorithm", name=name, task=manifest.task, wanted=situation.task)


def _problems(opened: Opened, now: Situation, manifest: Manifest | None) -> list[TidemillError]:
    found: list[TidemillError] = []
    if manifest is None:
        found.append(Conflict("train_no_algorithm", task=now.task))
    if opened.state != PUBLISHED:
        found.append(Conflict("train_not_published", name=opened.name))
    if now.labelled < LABELLED_MIN:
        found.append(Conflict("train_too_few_labels", name=opened.name, count=now.labelled, min=LABELLED_MIN))
    elif now.task in CLASSIFYING and now.classes < 2:
        found.append(Conflict("train_one_class", name=opened.name))
    return found


def _starts(session: Session, task: str, by: Caller) -> list[tuple[FactsRow, KnownVersion]]:
    """Models that training could start from: pretrained ones for the task first, then those trained here."""
    if task not in TASKS:
        return []
    rows = session.scalars(
        sa.select(FactsRow)
        .join(VersionRow, VersionRow.id == FactsRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(
            FactsRow.project_id.in_(projects_of(session, "all", by)),
            FactsRow.kind == MODEL.name,
            FactsRow.state == READ,
            VersionRow.deleted_at.is_(None),
            AssetRow.deleted_at.is_(None),
        )
        .order_by(FactsRow.created_at.desc())
        .limit(500)
    ).all()
    fitting = [row for row in rows if task in row.facts.get("trains", ()) or (row.task == task and row.run_id)]
    fitting.sort(key=lambda row: task not in row.facts.get("trains", ()))
    known = load_versions(session, {row.version_id for row in fitting[:LISTED_MAX]})
    return [(row, known[row.version_id]) for row in fitting[:LISTED_MAX]]


def _start_view(row: FactsRow, known: KnownVersion, task: str, by: Caller) -> StartModelView:
    code = "start_pretrained" if task in row.facts.get("trains", ()) else "start_earlier"
    return StartModelView(
        reference=called(known, by),
        title=known.asset,
        reason=message(code, by.language),
        metrics=row.facts.get("metrics", {}),
    )


def _problem(error: TidemillError, by: Caller) -> ProblemView:
    return ProblemView(
        code=error.code,
        message=message(error.code, by.language, **error.params),
        hint=find_hint(error.code, by.language, **error.params),
    )
