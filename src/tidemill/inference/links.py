"""Runs in the lineage of versions: what was written into a dataset came from one."""

from collections.abc import Sequence
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.assets.uses import Source
from tidemill.inference.tables import InferenceRow, InferenceRunRow

KIND = "inference"


def source_of(session: Session, run: InferenceRunRow) -> Source | None:
    return next(iter(find_sources(session, [run.id])), None)


def find_sources(session: Session, ids: Sequence[str]) -> list[Source]:
    """Those of the runs that are still there."""
    rows = session.execute(
        sa.select(InferenceRunRow, InferenceRow.name, ProjectRow)
        .join(InferenceRow, InferenceRow.id == InferenceRunRow.inference_id)
        .join(ProjectRow, ProjectRow.id == InferenceRunRow.project_id)
        .where(InferenceRunRow.id.in_(list(ids)))
    )
    return [_source(run, name, project) for run, name, project in rows]


def run_link(project: str, inference: str, number: int) -> str:
    return f"/p/{quote(project, safe='')}/inferences/{quote(inference, safe='')}/runs/{number}"


def _source(run: InferenceRunRow, name: str, project: ProjectRow) -> Source:
    return Source(
        kind=KIND,
        id=run.id,
        name=name,
        version=str(run.number),
        label=run.name,
        project_id=project.id,
        project=project.name,
        link=run_link(project.name, name, run.number),
        created_at=run.created_at,
        created_by=run.created_by,
    )
