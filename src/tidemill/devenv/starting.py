"""Starting and stopping: each start is a workload, all of one environment share its workspace."""

import secrets

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.devenv.inputs import find_inputs
from tidemill.devenv.jupyter import COMMAND, PORTS
from tidemill.devenv.tables import EnvironmentRow
from tidemill.doors.office import Office
from tidemill.kernel.errors import Conflict
from tidemill.workloads import service as workloads
from tidemill.workloads.lifecycle import FINAL, Reason
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.wanted import Output, Wanted

KIND = "environment"
PERSISTENT = "persistent-model"
TOKEN_SCOPES = (
    "project.read", "algorithm.read", "algorithm.write", "model.read", "model.write", "training.read",
    "training.write", "metric.write", "workload.read", "job.read", "upload.write", "image.read",
)  # fmt: skip
"""What a user's programs may do in their project with the token of the environment they run in."""


def workspace_key(environment_id: str) -> str:
    """The environment's files stay under this key, whatever runs."""
    return f"env-{environment_id}"


def start(app: FastAPI, session: Session, row: EnvironmentRow, *, by: Caller) -> WorkloadRow:
    """Submits a new workload; raises Conflict when the last one has not ended."""
    last = find_workload_of(session, row)
    if last is not None and last.state not in FINAL:
        raise Conflict("environment_not_stopped", name=row.name)
    office: Office = app.state.doors_office
    row.port = _free_port(session)
    row.tensorboard_port = None
    workload = workloads.submit(
        session,
        Wanted(
            kind=KIND,
            owner_id=row.id,
            name=row.name,
            command=("/bin/sh", "-c", COMMAND),
            image=row.image,
            spec=row.spec,
            nodes=row.nodes,
            run_on="first",
            inputs=tuple(find_inputs(session, row.inputs, by=by)),
            outputs=(Output(PERSISTENT, row.save_model),) if row.save_model else (),
            environment={"TIDEMILL_JUPYTER_PORT": str(row.port), "TIDEMILL_ENVIRONMENT_ID": row.id},
            secrets={"JUPYTER_TOKEN": office.app_token(row.id)},
            workspace=workspace_key(row.id),
            time_limit_s=row.time_limit_s,
            token_scopes=TOKEN_SCOPES,
            ports=(row.port,),
        ),
        by=by,
    )
    row.workload_id = workload.id
    row.idle_since = row.warned_at = None
    row.updated_at = by.now
    _record(session, "environment.start", row, by)
    return workload


def stop(session: Session, row: EnvironmentRow, *, reason: Reason = "user", by: Caller) -> None:
    """Asks it to end; its files stay."""
    last = find_workload_of(session, row)
    if last is None or last.state in FINAL:
        raise Conflict("environment_stopped", name=row.name)
    workloads.stop(session, last.id, reason=reason, by=by)
    row.updated_at = by.now
    row.idle_since = row.warned_at = None
    _record(session, "environment.stop", row, by)


def find_workload_of(session: Session, row: EnvironmentRow) -> WorkloadRow | None:
    """The environment's newest start."""
    return session.get(WorkloadRow, row.workload_id) if row.workload_id else None


def _free_port(session: Session) -> int:
    """One that no other environment begins with: where something else has taken it, the start finds the next."""
    taken = set(
        session.scalars(
            sa.select(EnvironmentRow.port)
            .join(WorkloadRow, WorkloadRow.id == EnvironmentRow.workload_id)
            .where(WorkloadRow.ended_at.is_(None))
        )
    )
    while (port := secrets.choice(PORTS)) in taken:
        continue
    return port


def _record(session: Session, action: str, row: EnvironmentRow, by: Caller) -> None:
    audit.record(
        session, action, by=by, target_kind="environment", target_id=row.id, target_name=row.name,
        project_id=row.project_id, after={"workload": row.workload_id},
    )  # fmt: skip
