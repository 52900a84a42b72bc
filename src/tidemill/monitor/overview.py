"""The overview: how many of each thing, and how much of what there is."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.assets.tables import AssetCountRow
from tidemill.images.tables import ImageRow
from tidemill.monitor.schemas import CountsView, OverviewView, ResourceView
from tidemill.monitor.use import Uses, platform_use, project_use
from tidemill.workloads.lifecycle import STATES
from tidemill.workloads.tables import WorkloadRow


def platform_overview(session: Session) -> OverviewView:
    """Of all live projects."""
    live = sa.select(ProjectRow.id).where(ProjectRow.deleted_at.is_(None))
    return _overview(session, live, platform_use(session))


def project_overview(session: Session, project_id: str) -> OverviewView:
    """Of one project."""
    return _overview(session, [project_id], project_use(session, project_id))


def _overview(session: Session, projects: sa.Select[str] | Sequence[str], uses: Uses) -> OverviewView:
    return OverviewView(
        counts=_counts(session, projects),
        workloads=_workloads(session, projects),
        resources=[ResourceView(name=name, capacity=use.capacity, used=use.used) for name, use in uses.items()],
    )


def _counts(session: Session, projects: sa.Select[str] | Sequence[str]) -> CountsView:
    found = session.execute(
        sa.select(AssetCountRow.kind, sa.cast(sa.func.sum(AssetCountRow.live), sa.BigInteger))
        .where(AssetCountRow.project_id.in_(projects))
        .group_by(AssetCountRow.kind)
    )
    assets: dict[str, int] = {kind: int(number) for kind, number in found}
    images = session.scalar(sa.select(sa.func.count()).where(ImageRow.project_id.in_(projects))) or 0
    return CountsView(
        datasets=assets.get("dataset", 0),
        algorithms=assets.get("algorithm", 0),
        models=assets.get("model", 0),
        images=images,
    )


def _workloads(session: Session, projects: sa.Select[str] | Sequence[str]) -> dict[str, int]:
    found = session.execute(
        sa.select(WorkloadRow.state, sa.func.count())
        .where(WorkloadRow.project_id.in_(projects), WorkloadRow.deleted_at.is_(None))
        .group_by(WorkloadRow.state)
    )
    counted: dict[str, int] = dict(found.all())
    return {state: counted.get(state, 0) for state in STATES}
