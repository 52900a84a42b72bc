"""The overview over HTTP."""

from typing import Annotated

from fastapi import Query

from tidemill.accounts.access import Caller, needs
from tidemill.kernel.routing import ReadSession, Router
from tidemill.monitor import keeping, overview
from tidemill.monitor.schemas import CurvesView, OverviewView
from tidemill.monitor.tables import PLATFORM
from tidemill.monitor.use import platform_use, project_use

router = Router(tags=["overview"])

Administrator = Annotated[Caller, needs("machine.read")]
Reader = Annotated[Caller, needs("workload.read")]
Hours = Annotated[float, Query(gt=0, le=168, description="How far back")]


@router.get("/overview")
def get_platform_overview(caller: Administrator, session: ReadSession) -> OverviewView:
    """Counts of things, and what of all machines is held."""
    del caller
    return overview.platform_overview(session)


@router.get("/overview/usage")
def get_platform_usage(caller: Administrator, session: ReadSession, hours: Hours = 24) -> CurvesView:
    """What was held over the last hours."""
    current = platform_use(session)
    return keeping.read_curves(session, PLATFORM, hours=hours, now=caller.now, current=current)


@router.get("/projects/{project}/overview")
def get_project_overview(caller: Reader, session: ReadSession) -> OverviewView:
    """Counts of the project's things, and what it holds of what it may."""
    return overview.project_overview(session, caller.project.id)


@router.get("/projects/{project}/overview/usage")
def get_project_usage(caller: Reader, session: ReadSession, hours: Hours = 24) -> CurvesView:
    """What the project held over the last hours."""
    current = project_use(session, caller.project.id)
    return keeping.read_curves(session, caller.project.id, hours=hours, now=caller.now, current=current)
