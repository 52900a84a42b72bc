"""The build of a package version: a workload, which the version's row follows.

The workload's program (`packages.worker`) gathers what has to be gathered, where other people's code belongs, and then
has the server put the version together (`packages.works`). It waits for a server that is away, and says everything
again: whatever dies, the build goes on or is found to have failed.
"""

import os

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.views import version_name
from tidemill.images.builtin import OWN
from tidemill.images.names import PUBLIC
from tidemill.images.wheels import pip_environment
from tidemill.jobs.texts import text
from tidemill.models.pythons import RUNTIME, image_for
from tidemill.packages import plans, sources
from tidemill.packages.plans import Plan
from tidemill.packages.rows import ENDED, move
from tidemill.packages.schemas import State
from tidemill.packages.tables import PackageVersionRow
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL, Moved
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.wanted import Wanted

KIND = "package-build"
PROGRAM = "tidemill.packages.worker"
SCOPE = "package.work"
RETRIES = 2
TIME_LIMIT_S = 2 * 3600.0
_NOT_FOR_WORKLOADS = frozenset({"PATH", "HOME", "LANG", "LC_ALL"})
_STATES: dict[str, State] = {"pending": "pending", "stopped": "stopped", "failed": "failed", "completed": "failed"}
"""A workload that ended well without the version being there did not do what it was for."""


def start(session: Session, asset: AssetRow, version: VersionRow, row: PackageVersionRow, *, by: Caller) -> None:
    """Submits the workload that builds the version."""
    plan = plans.from_json(row.plan)
    wanted = Wanted(
        kind=KIND,
        owner_id=version.id,
        name=version_name(asset, version),
        command=("python", "-m", PROGRAM),
        image=_image(plan),
        environment={"TIDEMILL_WORK": version.id},
        # Where packages come from may have a password in it.
        secrets=_pip() if needed(plan) else {},
        time_limit_s=TIME_LIMIT_S,
        retries=RETRIES,
        token_scopes=(SCOPE,),
    )
    workload = workloads.submit(session, wanted, by=by)
    row.workload_id, row.started_at, row.finished_at = workload.id, None, None
    move(session, row, "pending", now=by.now)


class BuildWatcher:
    """Told of every move of builds' workloads, in the transaction that moves them."""

    def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
        if event.from_state is None:
            return
        row = session.get(PackageVersionRow, workload.owner_id, with_for_update=True, populate_existing=True)
        if row is None or row.workload_id != workload.id or row.state in ENDED:
            return
        to = _STATES.get(event.to_state, "building")
        problem = workload.message or text("package_broke") if to == "failed" else None
        move(session, row, to, now=event.at, problem=problem)


def is_over(session: Session, row: PackageVersionRow) -> bool:
    """Whether its workload has ended, or is gone."""
    workload = session.get(WorkloadRow, row.workload_id) if row.workload_id else None
    return workload is None or workload.state in FINAL


def _image(plan: Plan) -> str | None:
    """Dependencies are found where they will be used; everything else needs no more than our own Python."""
    return effective_image(plan) if needed(plan) else None


def needed(plan: Plan) -> list[str]:
    """Python packages that the build looks for: what was asked for, and what the model server needs and an image of
    somebody else may not have. In a container image pip does that when the image is built."""
    if plan.base.kind != "python":
        return []
    is_whole = effective_image(plan) is None or plan.base.name == RUNTIME
    return sources.asked_for(plan) if is_whole else sources.needed_by(plan)


def effective_image(plan: Plan) -> str | None:
    """What the base image is to a workload; None: the platform's own Python, which has all that the image has."""
    if not plan.base.is_builtin:
        return plan.base.name
    if plan.base.name.startswith(f"{OWN}:"):
        return None
    name = image_for(plan.base.name, own_python=plan.own_python)
    return None if name is None else f"{PUBLIC}/{name}"


def _pip() -> dict[str, str]:
    return {name: value for name, value in pip_environment(os.environ).items() if name not in _NOT_FOR_WORKLOADS}
