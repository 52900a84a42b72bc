"""Manifests and facts as people see them, in their language."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.known import KnownVersion, load_versions, readable_versions
from tidemill.kernel.i18n import Language
from tidemill.models.evaluations.schemas import RunName
from tidemill.models.manifests import Manifest, in_words
from tidemill.models.schemas import (
    AlgorithmView,
    FactsView,
    FunctionView,
    ManifestView,
    MetricView,
    ParameterView,
)
from tidemill.models.tables import FactsRow
from tidemill.training.tables import RunRow


def called(known: KnownVersion, by: Caller) -> str:
    """How the caller names the version."""
    own = f"{known.asset}@{known.number}"
    return own if known.project_row.id == by.project.id else f"{known.project}/{own}"


def manifest_view(known: KnownVersion, manifest: Manifest, *, by: Caller) -> ManifestView:
    language = by.language
    return ManifestView(
        **algorithm_view(known, manifest, by=by).model_dump(),
        manifest=manifest.manifest,
        image=manifest.image,
        functions={name: FunctionView.model_validate(one) for name, one in manifest.functions.items()},
        parameters=parameter_views(manifest, language),
        metrics=[
            MetricView(name=one.name, goal=one.goal, title=in_words(one.title, language) or one.name)
            for one in manifest.metrics
        ],
        primary=manifest.primary,
    )


def algorithm_view(known: KnownVersion, manifest: Manifest, *, by: Caller) -> AlgorithmView:
    return AlgorithmView(
        reference=called(known, by),
        name=known.asset,
        project=known.project,
        version=known.number,
        task=manifest.task,
        title=in_words(manifest.title, by.language) or known.asset,
        description=in_words(manifest.description, by.language),
    )


def parameter_views(manifest: Manifest, language: Language) -> list[ParameterView]:
    return [
        ParameterView(
            **one.model_dump(exclude={"title", "help"}),
            title=in_words(one.title, language) or one.name,
            help=in_words(one.help, language),
        )
        for one in manifest.parameters
    ]


def facts_views(session: Session, rows: Sequence[FactsRow], *, by: Caller) -> list[FactsView]:
    """All rows of a page at once."""
    ids = {row.version_id for row in rows} | {row.dataset_version_id for row in rows if row.dataset_version_id}
    known = load_versions(session, ids)
    readable = readable_versions(session, list(known.values()), by=by)
    run_ids = {row.run_id for row in rows if row.run_id}
    mine = sa.select(RunRow.id, RunRow.name).where(RunRow.id.in_(run_ids), RunRow.project_id == by.project.id)
    runs = dict(session.execute(mine).all()) if run_ids else {}
    found = []
    for row in rows:
        if row.version_id not in known:
            continue
        dataset = known.get(row.dataset_version_id or "")
        shown = called(dataset, by) if dataset and dataset.id in readable else None
        found.append(_facts_view(row, known[row.version_id], shown, runs.get(row.run_id or ""), by))
    return found


def _facts_view(row: FactsRow, known: KnownVersion, dataset: str | None, run: str | None, by: Caller) -> FactsView:
    facts = row.facts
    metrics, primary = facts.get("metrics", {}), facts.get("primary")
    runnable = bool(facts.get("is_runnable"))
    return FactsView(
        version_id=row.version_id,
        model=known.asset,
        version=known.number,
        project=known.project,
        reference=called(known, by),
        state=row.state,
        problem=row.problem,
        task=row.task,
        format=facts.get("format"),
        labels=facts.get("labels", []),
        input=facts.get("input", {}),
        signature=facts.get("signature"),
        metrics=metrics,
        primary=primary,
        primary_value=metrics.get(primary) if primary else None,
        adapter=facts.get("adapter"),
        made_with=facts.get("made_with", {}),
        run=RunName(id=row.run_id, name=run) if row.run_id and run else None,
        dataset=dataset,
        can_evaluate=runnable,
        can_annotate=runnable,
        created_at=row.created_at,
    )
