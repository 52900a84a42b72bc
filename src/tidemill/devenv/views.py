"""Environments as people see them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.devenv.idle import stops_at, warning_of
from tidemill.devenv.inputs import named_inputs
from tidemill.devenv.jupyter import NONE, find_port
from tidemill.devenv.schemas import EnvironmentView, InputView, SshView, WarningView
from tidemill.devenv.service import NEVER_STARTED
from tidemill.devenv.starting import workspace_key
from tidemill.devenv.tables import EnvironmentRow
from tidemill.engines.base import Engine
from tidemill.kernel import i18n
from tidemill.kernel.settings import Settings
from tidemill.workloads.tables import WorkloadRow
from tidemill.workloads.views import workload_views

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def environment_views(
    session: Session, rows: Sequence[EnvironmentRow], *, request: Request, by: Caller
) -> list[EnvironmentView]:
    """All rows of a page at once."""
    ids = [row.workload_id for row in rows if row.workload_id]
    found = session.scalars(sa.select(WorkloadRow).where(WorkloadRow.id.in_(ids), WorkloadRow.deleted_at.is_(None)))
    workloads = {row.id: row for row in found}
    shown = {view.id: view for view in workload_views(session, list(workloads.values()), by.language)}
    shared = _shared_names(session, rows)
    views = []
    for row in rows:
        workload = workloads.get(row.workload_id or "")
        warning = warning_of(row, workload, by.now)
        views.append(
            EnvironmentView(
                id=row.id,
                name=row.name,
                description=row.description,
                state=workload.state if workload else NEVER_STARTED,
                image=row.image,
                spec=row.spec,
                nodes=row.nodes,
                inputs=[_input_view(one) for one in row.inputs],
                **named_inputs(row.inputs),
                save_model=row.save_model,
                time_limit_s=row.time_limit_s,
                idle_limit_s=row.idle_limit_s,
                idle_since=row.idle_since,
                stops_at=stops_at(row, workload),
                warning=_warning_view(warning, by) if warning else None,
                has_jupyter=_has_jupyter(row, workload, request.app.state.engine),
                ssh=_ssh_view(row, row.name_key in shared, request, by),
                workload=shown.get(row.workload_id or ""),
                created_at=row.created_at,
                created_by=row.created_by,
                updated_at=row.updated_at,
            )
        )
    return views


def environment_view(
    session: Session, row: EnvironmentRow, *, request: Request, by: Caller, password: str | None = None
) -> EnvironmentView:
    (view,) = environment_views(session, [row], request=request, by=by)
    if password is not None:
        view.ssh.password = password
    return view


def _has_jupyter(row: EnvironmentRow, workload: WorkloadRow | None, engine: Engine) -> bool | None:
    if workload is None or workload.state != "running":
        return None
    port = find_port(engine, workspace_key(row.id), workload.id)
    return None if port is None else port != NONE


def _shared_names(session: Session, rows: Sequence[EnvironmentRow]) -> set[str]:
    """Names that other projects' environments have too: they do not say which is meant."""
    keys = {row.name_key for row in rows}
    found = session.scalars(
        sa.select(EnvironmentRow.name_key)
        .where(EnvironmentRow.name_key.in_(keys), EnvironmentRow.deleted_at.is_(None))
        .group_by(EnvironmentRow.name_key)
        .having(sa.func.count() > 1)
    )
    return set(found)


def _input_view(one: dict[str, str]) -> InputView:
    name = one["ref"].rpartition("/")[2].partition("@")[0].rpartition(":")[2]
    return InputView(kind=one["kind"], ref=one["ref"], target=f"{one['kind']}/{name}")


def _warning_view(warning: tuple[str, datetime], by: Caller) -> WarningView:
    kind, at = warning
    minutes = max(1, round((at - by.now) / timedelta(minutes=1)))
    text = i18n.message(f"environment_stops_{kind}", by.language, minutes=minutes)
    return WarningView(kind=kind, text=text, stops_at=at)


def _ssh_view(row: EnvironmentRow, is_shared: bool, request: Request, by: Caller) -> SshView:
    settings: Settings = request.app.state.settings
    host = request.url.hostname or settings.host
    user = _ssh_user(row, is_shared, by)
    return SshView(
        is_enabled=settings.ssh_enabled,
        host=host,
        port=settings.ssh_port,
        user=user,
        command=f"ssh -p {settings.ssh_port} {user}@{host}",
    )


def _ssh_user(row: EnvironmentRow, is_shared: bool, by: Caller) -> str:
    """What to type: the name where it is plain and only one has it, else with the project's, else the id."""
    if not is_shared and _PLAIN.fullmatch(row.name):
        return row.name
    if _PLAIN.fullmatch(row.name) and _PLAIN.fullmatch(by.project.name):
        return f"{by.project.name}.{row.name}"
    return row.id
