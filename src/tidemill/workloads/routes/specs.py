"""Specs and machines over HTTP."""

from typing import Annotated

from fastapi import Path, Query

from tidemill.accounts.access import Caller, needs, signed_in
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.workloads import specs
from tidemill.workloads.machines import list_machines as machine_views
from tidemill.workloads.schemas import MachineView, SpecCreate, SpecPatch, SpecView

router = Router(tags=["specs"])

Writer = Annotated[Caller, needs("spec.write")]
SpecPath = Annotated[str, Path(max_length=400, description="A spec's name or id")]


@router.get("/specs")
def list_specs(
    page: Paging,
    caller: Annotated[Caller, signed_in()],
    session: ReadSession,
    enabled: Annotated[bool | None, Query(description="Only those that are offered, or that are not")] = None,
) -> Page[SpecView]:
    del caller
    return specs.list_specs(session, page, enabled=enabled)


@router.post("/specs", status_code=201)
def create_spec(body: SpecCreate, caller: Writer, session: WriteSession) -> SpecView:
    return specs.create_spec(session, body, by=caller)


@router.get("/specs/{spec}")
def get_spec(spec: SpecPath, caller: Annotated[Caller, signed_in()], session: ReadSession) -> SpecView:
    del caller
    return specs.view_spec(session, specs.get_spec(session, spec))


@router.patch("/specs/{spec}")
def update_spec(spec: SpecPath, body: SpecPatch, caller: Writer, session: WriteSession) -> SpecView:
    """What was submitted with it before keeps what it got."""
    return specs.update_spec(session, spec, body, by=caller)


@router.delete("/specs/{spec}", status_code=204)
def delete_spec(spec: SpecPath, caller: Writer, session: WriteSession) -> None:
    specs.delete_spec(session, spec, by=caller)


@router.get("/machines")
def list_machines(caller: Annotated[Caller, needs("machine.read")], session: ReadSession) -> list[MachineView]:
    """What there is to give out, and how much of it is."""
    del caller
    return machine_views(session)
