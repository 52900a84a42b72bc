"""What rooms above do with workloads: submit, stop, delete, and hear of every move.

    row = submit(session, Wanted(kind="run", owner_id=run.id, name="resnet", command=("python", "train.py")), by=caller)

All in the caller's transaction. A request that could never be met is refused here, with the field and what would fit.
"""

from dataclasses import asdict
from datetime import time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.accounts.permissions import PROGRAM_PERMISSIONS, PROJECT_PERMISSIONS, within
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.known import load_versions, readable_versions
from tidemill.images.service import ResolvedImage, resolve
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.store.paths import check_path
from tidemill.workloads import lifecycle
from tidemill.workloads.capacity import load_machines, quota_of, runs_images
from tidemill.workloads.lifecycle import FINAL, Moved, Reason, Watcher, register
from tidemill.workloads.placing import Shape, choose, most_nodes
from tidemill.workloads.planning import Used, over_quota
from tidemill.workloads.specs import get_wanted_spec
from tidemill.workloads.tables import SpecRow, WorkloadRow
from tidemill.workloads.wanted import PRIORITIES, Input, Output, Resources, Wanted

__all__ = [
    "Input",
    "Moved",
    "Output",
    "Resources",
    "Wanted",
    "Watcher",
    "delete",
    "end_tries",
    "find_workload",
    "get_workload",
    "register",
    "stop",
    "submit",
]

PREFIX = "wkl"
NODES_MAX = 1000
RETRIES_MAX = 100


def submit(session: Session, wanted: Wanted, *, by: Caller) -> WorkloadRow:
    """A new workload in the caller's project, waiting to be started. The caller of this checks the permission.

    Raises Invalid when a field breaks a rule or nothing here could ever run it, Conflict when the project's quota could
    never allow it.
    """
    spec = get_wanted_spec(session, wanted.spec)
    _check(wanted)
    _check_inputs(session, wanted, by)
    image = resolve(session, by.project.id, wanted.image)
    _refuse_impossible(session, _shape(spec, image, wanted.nodes), by)
    row = _row(wanted, spec, image, by)
    session.add(row)
    session.flush()
    lifecycle.begin(session, row, by=by.user_name, now=by.now)
    _record(session, "workload.create", row, by, after=_shown(row))
    return row


def stop(session: Session, workload_id: str, *, reason: Reason = "user", by: Caller) -> None:
    """Asks a workload to end; one that has ended, or is asked already, is left as it is."""
    row = session.get(WorkloadRow, workload_id, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound("workload_not_found", id=workload_id[:100])
    if row.state in FINAL or row.state == "stopping":
        if row.state == "stopping" and row.stop_reason == "preempted" and reason != "preempted":
            # It was to come back; now it is not.
            row.stop_reason, row.changed_at, row.revision = reason, by.now, row.revision + 1
        return
    to: lifecycle.State = "stopped" if row.state == "pending" else "stopping"
    before = row.state
    lifecycle.move(session, row, to, reason=reason, by=by.user_name, now=by.now, **_outputs_wait(row, to))
    _record(session, "workload.stop", row, by, before={"state": before}, after={"state": to, "reason": reason})


def delete(session: Session, workload_id: str, *, by: Caller) -> None:
    """Removes an ended workload: it is gone for everybody at once, and what the engine keeps of it soon after."""
    row = session.get(WorkloadRow, workload_id, with_for_update=True, populate_existing=True)
    if row is None or row.deleted_at is not None:
        raise NotFound("workload_not_found", id=workload_id[:100])
    if row.state not in FINAL:
        raise Conflict("workload_not_ended", name=row.name)
    row.deleted_at = row.changed_at = by.now
    row.revision += 1
    _record(session, "workload.delete", row, by, before=_shown(row))


def end_tries(session: Session, workload_id: str) -> None:
    """However it ends now, it is not tried again: its program knows that this would not help."""
    row = session.get_one(WorkloadRow, workload_id, with_for_update=True, populate_existing=True)
    row.retries = row.retries_used


def find_workload(session: Session, workload_id: str, *, project_id: str) -> WorkloadRow | None:
    """A workload of that project that was not deleted."""
    row = session.get(WorkloadRow, workload_id)
    return row if row is not None and row.project_id == project_id and row.deleted_at is None else None


def get_workload(session: Session, workload_id: str, *, project_id: str) -> WorkloadRow:
    """`find_workload`, or NotFound."""
    row = find_workload(session, workload_id, project_id=project_id)
    if row is None:
        raise NotFound("workload_not_found", id=workload_id[:100])
    return row


def _outputs_wait(row: WorkloadRow, to: str) -> dict[str, Any]:
    """One that waits for a retry may have written something in an earlier attempt."""
    return {"outputs_state": "waiting"} if to in FINAL and row.outputs and row.attempt else {}


def _shape(spec: SpecRow, image: ResolvedImage, nodes: int) -> Shape:
    needs = frozenset([*spec.fabrics, runs_images(image.kind)])
    return Shape(spec.cpus, spec.memory_bytes, spec.accelerator, spec.accelerators, needs, nodes)


def _check(wanted: Wanted) -> None:
    if not 1 <= wanted.nodes <= NODES_MAX:
        raise Invalid("workload_nodes", field="nodes", max=NODES_MAX)
    if not wanted.command:
        raise Invalid("workload_command_missing", field="command")
    if not 0 <= wanted.retries <= RETRIES_MAX:
        raise Invalid("workload_retries", field="retries", max=RETRIES_MAX)
    for field, seconds in (("time_limit_s", wanted.time_limit_s), ("idle_limit_s", wanted.idle_limit_s)):
        if seconds is not None and seconds <= 0:
            raise Invalid("workload_limit", field=field)
    if len(wanted.outputs) > 1:
        raise Invalid("workload_outputs_one", field="outputs")
    for output in wanted.outputs:
        check_path(output.folder, field="outputs")
    if wanted.window is not None:
        _check_window(wanted.window)


def _check_window(window: tuple[str, str, str]) -> None:
    try:
        start, end = (time.fromisoformat(text) for text in window[:2])
        ZoneInfo(window[2])
    except (ValueError, ZoneInfoNotFoundError, OSError, IndexError):
        raise Invalid("workload_window", field="window") from None
    if start == end or start.tzinfo or end.tzinfo:
        raise Invalid("workload_window", field="window")


def _check_inputs(session: Session, wanted: Wanted, by: Caller) -> None:
    """Every version is there and the caller may read it, and no two are put in one place."""
    found = load_versions(session, {given.version_id for given in wanted.inputs})
    readable = readable_versions(session, list(found.values()), by=by)
    seen: set[str] = set()
    for given in wanted.inputs:
        known = found.get(given.version_id)
        if known is None or not known.is_live or known.id not in readable:
            raise Invalid("workload_input_unknown", field="inputs", id=given.version_id[:100])
        target = check_path(given.target, field="inputs")
        if any(target == other or target.startswith(f"{other}/") or other.startswith(f"{target}/") for other in seen):
            raise Invalid("workload_target_taken", field="inputs", target=target)
        seen.add(target)


def _refuse_impossible(session: Session, shape: Shape, by: Caller) -> None:
    machines = load_machines(session)
    if machines and choose(shape, machines) is None:
        if runs_images("oci") in shape.fabrics and not any(runs_images("oci") in one.fabrics for one in machines):
            raise Invalid("workload_needs_containers", field="image")
        fits = most_nodes(shape, machines)
        if fits == 0:
            raise Invalid("workload_never_fits", field="spec")
        raise Invalid("workload_too_many_nodes", field="nodes", nodes=shape.nodes, fits=fits)
    quota = quota_of(session.get_one(ProjectRow, by.project.id).quota)
    if why := over_quota(quota, Used(), shape):
        raise Conflict(
            "workload_over_quota",
            field="nodes" if shape.nodes > 1 else "spec",
            resource=_resource_name(why.params["resource"]),
            wanted=_amount(why.params["resource"], why.params["wanted"]),
            limit=_amount(why.params["resource"], why.params["limit"]),
        )


def _resource_name(resource: str) -> str:
    return {"cpus": "CPU", "memory_bytes": "GiB"}.get(resource, resource)


def _amount(resource: str, value: float) -> str:
    return f"{value / 2**30 if resource == 'memory_bytes' else value:.4g}"


def _row(wanted: Wanted, spec: SpecRow, image: ResolvedImage, by: Caller) -> WorkloadRow:
    workload_id = new_id(PREFIX)
    return WorkloadRow(
        id=workload_id,
        project_id=by.project.id,
        kind=wanted.kind,
        owner_id=wanted.owner_id,
        name=wanted.name,
        name_key=name_key(wanted.name),
        state="pending",
        command=list(wanted.command),
        image=wanted.image,
        resolved_image=asdict(image),
        run_on=wanted.run_on,
        environment=dict(wanted.environment),
        secrets=dict(wanted.secrets),
        token_scopes=_scopes(wanted, by),
        ports=list(wanted.ports),
        inputs=[asdict(given) for given in wanted.inputs],
        outputs=[asdict(output) for output in wanted.outputs],
        workspace=wanted.workspace or workload_id,
        owns_workspace=wanted.workspace is None,
        spec=spec.name,
        cpus=spec.cpus,
        memory_bytes=spec.memory_bytes,
        accelerator=spec.accelerator,
        accelerators=spec.accelerators,
        fabrics=sorted(spec.fabrics),
        nodes=wanted.nodes,
        priority=PRIORITIES[wanted.priority],
        preemptible=wanted.preemptible,
        retries=wanted.retries,
        retries_used=0,
        time_limit_s=wanted.time_limit_s,
        idle_limit_s=wanted.idle_limit_s,
        window=list(wanted.window) if wanted.window else None,
        attempt=0,
        placement=[],
        queued_at=by.now,
        outputs_state="none",
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )


def _scopes(wanted: Wanted, by: Caller) -> list[str]:
    """What its token may: never more than the token it was asked for with."""
    known = {*PROJECT_PERMISSIONS, *PROGRAM_PERMISSIONS}
    return sorted(within(known & set(wanted.token_scopes), by.scopes))


def _shown(row: WorkloadRow) -> dict[str, Any]:
    return {"kind": row.kind, "name": row.name, "spec": row.spec, "nodes": row.nodes, "image": row.image}


def _record(session: Session, action: str, row: WorkloadRow, by: Caller, **change: Any) -> None:
    audit.record(
        session,
        action,
        by=by,
        target_kind="workload",
        target_id=row.id,
        target_name=row.name,
        project_id=row.project_id,
        **change,
    )
