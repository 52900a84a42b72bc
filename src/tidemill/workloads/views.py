"""Rows as people see them, in their language."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.jobs.texts import say
from tidemill.kernel.i18n import Language
from tidemill.workloads.schemas import EventView, NodeView, ResourcesView, WorkloadView
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadEventRow, WorkloadRow
from tidemill.workloads.waiting import short_view
from tidemill.workloads.wanted import PRIORITY_NAMES


def workload_views(session: Session, rows: Sequence[WorkloadRow], language: Language) -> list[WorkloadView]:
    """All rows of a page at once: one query for their nodes, one for their projects' names."""
    attempts = {
        attempt.id: attempt
        for attempt in session.scalars(
            sa.select(WorkloadAttemptRow).where(WorkloadAttemptRow.id.in_([row.attempt_id for row in rows]))
        )
    }
    named = session.execute(
        sa.select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_({row.project_id for row in rows}))
    ).all()
    names: dict[str, str] = dict(named)
    return [_view(row, attempts.get(row.attempt_id or ""), names.get(row.project_id, ""), language) for row in rows]


def workload_view(session: Session, row: WorkloadRow, language: Language) -> WorkloadView:
    (view,) = workload_views(session, [row], language)
    return view


def event_view(row: WorkloadEventRow, language: Language) -> EventView:
    return EventView(
        id=row.id,
        at=row.at,
        from_state=row.from_state,
        to_state=row.to_state,
        reason=row.reason,
        message=say(row.message, language) if row.message else "",
        by=row.by,
        attempt=row.attempt,
    )


def _view(row: WorkloadRow, attempt: WorkloadAttemptRow | None, project: str, language: Language) -> WorkloadView:
    waiting = short_view(row, language) if row.state == "pending" else None
    return WorkloadView(
        id=row.id,
        kind=row.kind,
        owner_id=row.owner_id,
        name=row.name,
        project=project,
        state=row.state,
        stop_reason=row.stop_reason,
        message=say(row.message, language) if row.message else "",
        exit_code=row.exit_code,
        attempt=row.attempt,
        retries=row.retries,
        retries_used=row.retries_used,
        priority=PRIORITY_NAMES[row.priority],
        preemptible=row.preemptible,
        spec=row.spec,
        resources=ResourcesView(
            cpus=row.cpus,
            memory_bytes=row.memory_bytes,
            accelerator=row.accelerator,
            accelerators=row.accelerators,
            fabrics=row.fabrics,
        ),
        nodes_count=row.nodes,
        nodes=_nodes(attempt) if attempt and row.state != "pending" else [],
        image=row.resolved_image.get("title") or row.image,
        command=row.command,
        time_limit_s=row.time_limit_s,
        idle_limit_s=row.idle_limit_s,
        window=row.window,
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=row.started_at,
        ended_at=row.ended_at,
        waiting=waiting,
        place=waiting.place if waiting else None,
        outputs_state=row.outputs_state,
        output_version_id=row.output_version_id,
    )


def _nodes(attempt: WorkloadAttemptRow) -> list[NodeView]:
    """Where each node was to be, and how it was when we last looked."""
    seen = {node["index"]: node for node in attempt.nodes}
    return [
        NodeView(
            index=planned["index"],
            host_name=seen.get(planned["index"], {}).get("host_name", ""),
            machine=planned["machine"],
            state=seen.get(planned["index"], {}).get("state", "starting"),
            exit_code=seen.get(planned["index"], {}).get("exit_code"),
            devices=[f"{kind}:{device_id}" for kind, device_id, _ in planned["devices"]],
        )
        for planned in attempt.placement
    ]
